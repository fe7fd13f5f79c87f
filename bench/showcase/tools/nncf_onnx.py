"""nncf_onnx.py JOB.json: NNCF's post-training quantization of ONNX models, with model_type TRANSFORMER for transformers
as its page advises."""

import json
import logging
import pathlib
import sys

import nncf
import onnx

import arrays

nncf.set_log_level(logging.ERROR)
job = json.loads(pathlib.Path(sys.argv[1]).read_text())
samples = list(arrays.samples(job["calib"]))
transformer = job["kind"] in ("sentence embedding", "language model", "transformer")
loaded, note = arrays.raised(onnx.load(job["model"]))
model = nncf.quantize(loaded, nncf.Dataset(samples), subset_size=len(samples),
                      model_type=nncf.ModelType.TRANSFORMER if transformer else None)
onnx.save(model, job["out"])
print(json.dumps({"settings": "model_type TRANSFORMER" if transformer else "defaults", "note": note,
                  "version": nncf.__version__}))
