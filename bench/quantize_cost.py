"""quantize_cost.py DETENT SHARED [NETWORK...]

CPU time of `detent quantize` with its defaults over that with `--accuracy fast`, one thread, for every network here
with all its calibration samples and for both engines. The samples to judge on are left out, because only a bound needs
them."""

import pathlib

from clocks import time_ours
from networks import arguments, labelled, print_header, print_row, scratch, unlabelled

EVALUATION = {"--limit", "--eval", "--eval-limit", "--labels", "--masks", "--metric-command", "--next-token"}


def without_evaluation(options):
    """Returns the options without those of an evaluation, each with the words behind it."""
    kept, dropped = [], False
    for word in map(str, options):
        dropped = word in EVALUATION if word.startswith("--") else dropped
        if not dropped:
            kept.append(word)
    return kept


def main():
    given = arguments(__doc__)
    print_header("network", "target", "fast", "default / fast")
    with scratch() as folder:
        for name, network in (labelled(given.shared, pathlib.Path(folder)) | unlabelled(given.shared)).items():
            if given.networks and name not in given.networks:
                continue
            for target in ("tensorrt", "onnxruntime"):
                fast, balanced = (time_ours([given.detent, "quantize", *without_evaluation(network.options), "--target", target,
                                             "--accuracy", accuracy, "--threads", 1, "--accept-broken", "-o",
                                             f"{folder}/x.onnx"], "cpu") for accuracy in ("fast", "balanced"))
                print_row(name, target, f"{fast:.2f} s", f"{balanced / fast:.2f}")


if __name__ == "__main__":
    main()
