"""cast_alone.py [MODEL...]

Prints the SQNR of the worst float output of `detent cast` to FP16 against FP32, in ONNX Runtime and in Detent, on the
few samples of models.py. MODEL may be a part of the name."""

import sys

import numpy
from engine import run_model
from measured import present, print_header, print_row
from measures import sqnr
from models import FLOAT_MODELS, exported_models
from program import arrays, cast_to, run, write_inputs


def main():
    wanted, every = sys.argv[1:] or [""], [model for model in FLOAT_MODELS if "/" not in model.name] + exported_models()
    print_header("model", "ONNX Runtime", "Detent")
    for model in present(model for model in every if any(part in model.name for part in wanted)):
        paths = write_inputs(model, model.samples())
        inputs, half = arrays(paths), cast_to(model, "fp16")
        floats = {name: array for name, array in run_model(model.file, inputs, "disabled").items()
                  if array.dtype == numpy.float32}
        print_row(model, *(f"{min(sqnr(array, found[name]) for name, array in floats.items()):.1f} dB"
                           for found in (run_model(half, inputs, "disabled"), run(half, paths))))


if __name__ == "__main__":
    main()
