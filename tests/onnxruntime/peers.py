"""peers.py [MODEL...]

Prints our calibrators beside those of onnxruntime.quantization on the same models and images, as Markdown. Theirs are
read from the shared folder (reference/peers); ours are measured here: ONNX Runtime runs the float model and our files.
Exits 1 if our entropy equals our max, as theirs does."""

import sys

from measured import (GRIDS, NAMES_OF_PEERS, THEIR_METHODS, Evaluation, Misses, chosen_by_auto, models_named, points,
                      print_header, print_row, theirs)

OURS = ["max", "entropy", "mse", "percentile:99.99", "percentile:99.999"]


def main():
    misses = Misses()
    print_header("model", "activations", "FP32", *(f"their {method}" for method in THEIR_METHODS), *OURS, "auto takes")
    for model in models_named(sys.argv[1:], NAMES_OF_PEERS):
        evaluation = Evaluation(model, "onnxruntime")
        for grid, target in GRIDS.items():
            auto = chosen_by_auto(model, target)
            found = {calibrator: evaluation.of_calibrator(target, calibrator) for calibrator in dict.fromkeys([*OURS, auto])}
            print_row(model, grid, points(evaluation.fp32), *theirs(model.name, grid), *(found[one] for one in OURS),
                      f"{auto} {found[auto]}")
            misses.hold(abs(found["entropy"].db - found["max"].db) >= 0.01, f"{model} {target}: entropy does the same as max")
    misses.end(True)


if __name__ == "__main__":
    main()
