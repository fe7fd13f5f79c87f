"""outlier_table.py DETENT MODEL CALIB.npy EVAL.npy [SEQUENCES]

Prints what planted outlier channels cost a language model in INT8, in nats a symbol above FP32, with and without
evening them out: the table in README.md. EVAL.npy holds one symbol more than the model reads; SEQUENCES of it are
scored (default: all)."""

import json
import subprocess
import sys

from networks import print_header, print_row, scratch
from plant_outliers import plant

TARGETS = ["tensorrt", "onnxruntime"]


def losses(program, file, data, equalize):
    """Returns the nats above FP32, by target."""
    calibration, evaluation, *sequences = data
    report = json.loads(subprocess.run(
        [program, "compare", file, "--data", calibration, "--eval", evaluation, *(["--eval-limit", *sequences] if sequences else []),
         "--next-token", "--targets", ",".join(TARGETS), "--calibrators", "auto", "--equalize", equalize, "--json", "-"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)
    return [row["metrics"]["nats"] - report["fp32"]["nats"] for row in report["variants"]]


def main():
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    _, program, model, *data = sys.argv
    print_header("strength", *(f"{target}, {how}" for target in TARGETS for how in ("off", "default")))
    with scratch() as folder:
        for strength in (1, 4, 16, 64):
            file = model if strength == 1 else f"{folder}/{strength}.onnx"
            if strength > 1:
                plant(model, strength, file)
            each = zip(losses(program, file, data, "off"), losses(program, file, data, "outliers"))
            print_row(strength, *(f"{nats:.4f}" for pair in each for nats in pair))


if __name__ == "__main__":
    main()
