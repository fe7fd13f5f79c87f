"""run_model.py MODEL.onnx OUT_DIR [--level disabled|basic|extended|all] INPUT=STACK.npy ...

Runs a model in ONNX Runtime over stacks of samples and writes each output as OUT_DIR/NAME.npy."""

import argparse
import pathlib

import numpy
from engine import LEVELS, run_model
from program import arrays, in_file


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("stacks", nargs="+", metavar="INPUT=STACK.npy")
    parser.add_argument("--level", choices=LEVELS, default="disabled")
    given = parser.parse_args()
    inputs = arrays(dict(pair.split("=", 1) for pair in given.stacks))
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, stack in run_model(given.model, inputs, given.level).items():
        numpy.save(given.folder / f"{in_file(name)}.npy", stack)


if __name__ == "__main__":
    main()
