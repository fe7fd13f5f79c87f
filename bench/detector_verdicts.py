"""detector_verdicts.py DETENT SHARED [PLOT.svg]

Quantizes two trained detectors in many ways and compares what Detent says without labels (agreement, verdict) with the
mAP that the labels give. Prints a table, the rank correlation and how often a verdict is wrong by a grade, and draws
agreement against mAP."""

import collections
import pathlib
import sys

import numpy
from networks import print_header, print_row
from verdicts import grade, report_of, wrong_verdicts

MODELS = ["bccd_dfl", "bccd_nmsfree"]
CALIBRATORS = ["max", "mse", "entropy", "percentile:99.99", "percentile:99.9", "percentile:99", "percentile:98",
               "percentile:97", "percentile:95", "samplemax:90", "samplemax:50"]
VARIANTS = [*(["--calibrator", one] for one in CALIBRATORS), ["--accuracy", "fast"], [], ["--accuracy", "best"],
            ["--format", "per-tensor=on"], ["--format", "weight-bits=7"],
            ["--format", "per-tensor=on", "--calibrator", "percentile:99.9"]]
# Grades of the true loss: a quarter to a third of what the agreement lacks (src/evaluate/judge.h).
GOOD, BROKEN = 0.0125, 0.055
COLOURS = {"good": "#2a9d5c", "doubtful": "#d98e04", "broken": "#c8352e"}

Row = collections.namedtuple("Row", "model target options map loss agreement error verdict truth")


def measure(detent, shared, model, target, options):
    """Returns what the report of one variant says; None where it cannot be made."""
    images = shared / "images/bccd"
    report = report_of(detent, [shared / "models" / model / "model_opset17.onnx", "--data", images / "calib", "--eval",
                                images / "eval", "--labels", images / "eval_coco.json", "--max-drop", 1, "--preprocess", "unit",
                                "--target", target, *options])
    if not report:
        return None
    found, bound = report["error"]["detections"], report["bound"]
    loss = bound["fp32"] - bound["reached"]
    return Row(model, target, " ".join(options) or "(defaults)", bound["reached"], loss, found["agreement"],
               found["standard_error"], report["verdict"], grade(loss, GOOD, BROKEN))


def ranks(numbers):
    return [sum(y < x for y in numbers) + (numbers.count(x) - 1) / 2 for x in numbers]


def x_of(disagreement):
    return 60 + 500 * min(1, disagreement)


def y_of(loss):
    return 360 - 500 * max(0, loss)


def text(x, y, words):
    return f'<text x="{x}" y="{y}" font-size="12" font-family="sans-serif">{words}</text>'


def drawing(rows):
    dots = [f'<circle cx="{x_of(1 - row.agreement):.1f}" cy="{y_of(row.loss):.1f}" r="4" fill="{COLOURS[row.verdict]}">'
            f"<title>{row.model} {row.target} {row.options}</title></circle>" for row in rows]
    ticks = [text(28, f"{y_of(loss) + 4:g}", f"{loss:.1f}") for loss in (0, 0.2, 0.4, 0.6)]
    ticks += [text(f"{x_of(share) - 8:g}", 380, f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1)]
    limits = [f'<path d="M{x_of(limit):g} 20V360" stroke="#999" stroke-dasharray="4"/>' for limit in (0.04, 0.18)]
    return "\n".join(['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 410" width="600">',
                      '<rect width="600" height="410" fill="white"/><path d="M60 20V360H570" stroke="black" fill="none"/>',
                      "".join(limits), "".join(ticks) + text(230, 400, "1 - agreement (no labels)") +
                      text(64, 30, "loss of mAP (labels)"), *dots, "</svg>", ""])


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    detent, shared, *plot = sys.argv[1:]
    rows = []
    print_header("model", "target", "options", "mAP", "loss", "agreement", "verdict", "by its loss")
    for model in MODELS:
        for target in ("tensorrt", "onnxruntime"):
            for options in VARIANTS:
                if row := measure(detent, pathlib.Path(shared), model, target, options):
                    rows.append(row)
                    print_row(model, target, row.options, f"{row.map:.3f}", f"{row.loss:.3f}",
                              f"{row.agreement:.3f} ± {row.error:.3f}", row.verdict, row.truth)
    spearman = []
    for model in MODELS:
        own = [(row.agreement, row.map) for row in rows if row.model == model]
        spearman.append(f"{model} {numpy.corrcoef(*(ranks(list(numbers)) for numbers in zip(*own)))[0, 1]:.2f}")
    print(f"\n{wrong_verdicts([(row.verdict, [row.truth]) for row in rows])}; Spearman of agreement and mAP within a model: "
          f"{', '.join(spearman)}")
    if plot:
        pathlib.Path(plot[0]).write_text(drawing(rows))


if __name__ == "__main__":
    main()
