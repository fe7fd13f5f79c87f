"""bounds.py [CALIBRATOR...] [--model NAME] [--max-drop 0.005] [--limit 64] [--with off,auto,auto+bias] [--check]

Prints as Markdown which layers `detent quantize --max-drop` keeps float on the whole evaluation set, without
equalization, with `--equalize auto`, and also with `--policy bias-correction=on`; ONNX Runtime scores each file.
--check exits 1 if a bound does not hold there, or if equalization keeps as many layers float as none."""

import argparse
import sys

from measured import Evaluation, Misses, models_named, points, print_header, print_row
from models import MODELS
from program import preprocessing, quantize, report_of

SETTINGS = {"off": [], "auto": ["--equalize", "auto"],
            "auto+bias": ["--equalize", "auto", "--policy", "bias-correction=on"]}
TARGET = "tensorrt"


def row(evaluation, calibrator, settings, given, misses):
    """Prints a row and returns how many layers the bound keeps."""
    model = evaluation.model
    file = quantize(model.file, TARGET, "--data", model.calibration, *preprocessing(model), *evaluation.samples.judged,
                    "--max-drop", given.max_drop, "--limit", given.limit, "--calibrator", calibrator, *SETTINGS[settings])
    report = report_of(file)
    bound, coverage, score = report["bound"], report["coverage"], evaluation.of_file(file, TARGET).score
    print_row(calibrator, settings, points(bound["all_int8"]), points(bound["reached"]), points(score),
              coverage["layers"] - coverage["int8_layers"], len(bound["kept"]),
              f"{100 * coverage['int8_macs'] / coverage['macs']:.1f} %", f"{report['seconds']:.0f}")
    misses.hold(not bound["met"] or score >= bound["fp32"] - float(given.max_drop) - 1e-9,
                f"{calibrator} {settings}: {points(score)} in the engine")
    return len(bound["kept"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("calibrators", nargs="*", default=["max", "percentile:99.9"], metavar="CALIBRATOR")
    parser.add_argument("--model", choices=MODELS, default="cifar10_efficientnet_b0")
    parser.add_argument("--max-drop", default="0.005")
    parser.add_argument("--limit", default="64")
    parser.add_argument("--with", dest="settings", default=",".join(SETTINGS), type=str)
    parser.add_argument("--check", action="store_true")
    given, misses = parser.parse_args(), Misses()
    for model in models_named([given.model], []):
        evaluation = Evaluation(model)
        print(f"{model}, FP32 {points(evaluation.fp32)}, --max-drop {given.max_drop}", file=sys.stderr)
        print_header("calibrator", "equalize", "all INT8", "reached", "in ONNX Runtime", "layers float", "kept by the bound",
                     "MACs in INT8", "seconds")
        for calibrator in given.calibrators:
            kept = {settings: row(evaluation, calibrator, settings, given, misses)
                    for settings in given.settings.split(",")}
            plain, *others = kept
            for other in others:
                misses.hold(kept[plain] == 0 or kept[other] < kept[plain],
                            f"{calibrator} {other}: {kept[other]} kept, without {kept[plain]}")
    misses.end(given.check)


if __name__ == "__main__":
    main()
