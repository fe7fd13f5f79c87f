"""onnxruntime_dynamic.py JOB.json: onnxruntime.quantization's quantize_dynamic, weights per channel. With a Conv in the
model the weights are unsigned, because ONNX Runtime has no kernel for ConvInteger with signed ones."""

import json
import pathlib
import sys

import onnx
import onnxruntime
from onnxruntime import quantization

job = json.loads(pathlib.Path(sys.argv[1]).read_text())
convolves = any(node.op_type == "Conv" for node in onnx.load(job["model"], load_external_data=False).graph.node)
kind = quantization.QuantType.QUInt8 if convolves else quantization.QuantType.QInt8
quantization.quantize_dynamic(job["model"], job["out"], per_channel=not convolves, weight_type=kind)
print(json.dumps({"settings": f"{kind.name} weights{'' if convolves else ', per channel'}",
                  "version": onnxruntime.__version__}))
