"""onnxruntime_static.py JOB.json: onnxruntime.quantization's quantize_static, as its page advises for x86-64 with VNNI:
pre-processed, Q/DQ pairs, weights per channel, activations unsigned; 7-bit weights on CPUs without VNNI."""

import json
import pathlib
import re
import sys

import onnx
import onnxruntime
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process

import arrays


class Reader(quantization.CalibrationDataReader):
    def __init__(self, folder):
        self.rest = arrays.samples(folder)

    def get_next(self):
        return next(self.rest, None)


job = json.loads(pathlib.Path(sys.argv[1]).read_text())
prepared, note = str(pathlib.Path(job["out"]).with_suffix(".prepared.onnx")), ""
try:
    quant_pre_process(job["model"], prepared)
except Exception as error:  # noqa: BLE001: its own advice is to skip what fails
    note, prepared = f"quant_pre_process failed ({type(error).__name__})", job["model"]
loaded, change = arrays.raised(onnx.load(prepared))
if change:
    note, prepared = f"{note} {change}".strip(), str(pathlib.Path(job["out"]).with_suffix(".prepared.onnx"))
    onnx.save(loaded, prepared)
reduced = not re.search(r"vnni|amx_int8", pathlib.Path("/proc/cpuinfo").read_text())
quantization.quantize_static(prepared, job["out"], Reader(job["calib"]), quant_format=quantization.QuantFormat.QDQ,
                             per_channel=True, reduce_range=reduced, activation_type=quantization.QuantType.QUInt8,
                             weight_type=quantization.QuantType.QInt8)
if prepared != job["model"]:
    pathlib.Path(prepared).unlink()
print(json.dumps({"settings": f"QDQ, per channel, QUInt8/QInt8, MinMax{', reduce_range' if reduced else ''}", "note": note,
                  "version": onnxruntime.__version__}))
