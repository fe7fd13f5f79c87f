"""modelopt_onnx.py JOB.json: NVIDIA Model-Optimizer's INT8 quantization of ONNX models, calibrated on the CPU, with FP32
around the pairs so that the other engines run the file as well."""

import json
import logging
import pathlib
import sys

import modelopt
import numpy
from modelopt.onnx.quantization import quantize

import arrays

logging.disable(logging.INFO)
job = json.loads(pathlib.Path(sys.argv[1]).read_text())
samples = list(arrays.samples(job["calib"]))
data = {name: numpy.concatenate([sample[name] for sample in samples]) if samples[0][name].ndim else samples[0][name]
        for name in samples[0]}
quantize(job["model"], quantize_mode="int8", calibration_data=data, calibration_eps=["cpu"], output_path=job["out"],
         high_precision_dtype="fp32", log_level="ERROR")
print(json.dumps({"settings": "int8, entropy, high_precision_dtype fp32", "version": modelopt.__version__}))
