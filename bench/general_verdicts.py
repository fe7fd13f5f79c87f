"""general_verdicts.py DETENT SHARED [NETWORK...]

Quantizes seven networks that are no detectors in many ways and lays the verdict, which needs no labels, beside the true
loss of the score. Prints a table, and how often a verdict is wrong on the networks that the limits were fitted to and
on the others."""

import pathlib

from networks import arguments, labelled, print_header, print_row, scratch
from verdicts import grade, report_of, wrong_verdicts

RANGES = ["max", "percentile:99.9", "percentile:99", "percentile:97", "entropy", "mse"]
VARIANTS = [["--target", target, *options] for target in ("tensorrt", "onnxruntime") for options in (
    *(["--calibrator", one] for one in RANGES), ["--calibrator", "max", "--format", "per-tensor=on"],
    ["--accuracy", "fast", "--format", "weight-bits=7"])]
VARIANTS += [["--calibrator", "percentile:95"], [], ["--type", "int4"], ["--type", "int4", "--block", "channel"]]

# Shares of the score, as for detectors: .0125 and .055 of a mAP of .63.
GOOD, BROKEN = 0.02, 0.09


def measure(detent, network, variant):
    """Returns (loss, its standard error, verdict, true grades, reason); None where it cannot be made, or nothing is
    quantized."""
    command = "quantize-weights" if "int4" in variant else "quantize"
    report = report_of(detent, [*network.options, "--max-drop", 100, *variant], command)
    if not report or not report.get("verdict"):
        return None
    bound = report["bound"]
    loss = (bound["reached"] - bound["fp32"]) * (1 if bound["metric"] == "nats" else -1)
    # A label can change its verdict only where the class changes: the standard error is at most that of these.
    error = ((1 - report["error"]["argmax_agreement"]) / network.judged) ** 0.5 if network.judged else 0
    truths = dict.fromkeys(grade((loss + side * error) / bound["fp32"], GOOD, BROKEN) for side in (-1, 0, 1))
    return loss, error, report["verdict"], list(truths), report["verdict_reasons"][0]


def main():
    given, rows = arguments(__doc__), {True: [], False: []}
    print_header("network", "options", "loss", "verdict", "by its loss", "because")
    with scratch() as folder:
        for name, network in labelled(given.shared, pathlib.Path(folder)).items():
            if network.detector or (given.networks and name not in given.networks):
                continue
            for variant in VARIANTS:
                if found := measure(given.detent, network, variant):
                    loss, error, verdict, truths, reason = found
                    rows[network.fitted].append((verdict, truths))
                    print_row(name, " ".join(variant) or "(defaults)", f"{loss:.4f} ± {error:.4f}", verdict,
                              " or ".join(truths), reason)
    for fitted, found in rows.items():
        print(f"\n{'Fitted to' if fitted else 'Others'}: {wrong_verdicts(found)}")


if __name__ == "__main__":
    main()
