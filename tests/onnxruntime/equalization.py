"""equalization.py [MODEL...] [--check]

Prints the SQNR in dB of every shared model with `--equalize off` and `auto`, by `detent compare` on samples that were
not calibrated with, as Markdown; a cell is before -> after. --check exits 1 if auto loses more than 0.2 dB."""

import json
import re

from measured import Misses, present, parser_of, print_header, print_row
from models import MODELS, SHARED, Model
from program import detent, fresh_file, listed, preprocessing

CALIBRATORS = ["max", "entropy", "mse", "percentile:99.9", "percentile:99.99"]
MAY_LOSE = 0.2
# Models without labels, which models.py does not name, and their largest number of images: every second one
# calibrates, the others judge.
UNLABELLED = {
    Model(name, SHARED / f"models/{name}/{file}", SHARED / f"images/{images}", preprocess): limit
    for name, file, images, preprocess, limit in (
        ("coco_yolox_nano", "model_opset11.onnx", "coco", "yolox", None),
        ("face_rfb320", "model_opset9.onnx", "faces", "unit,resize=240x320,div=128,mean=.9921875/.9921875/.9921875", None),
        ("text_ppocrv3_det", "model_opset14.onnx", "ocr", "imagenet,resize=320x320,crop=320x320", None),
        ("style_starry_night", "model_opset12.onnx", "coco", "raw,resize=540x540", 4))}


def in_natural_order(path):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.name)]


def evaluation_of(model):
    """Returns what judges: the images that --shard 1/2 leaves out, as many as calibrate; else about a hundred samples
    spread over the evaluation set, because its lists are sorted by class."""
    if model in UNLABELLED:
        return listed(sorted(model.calibration.iterdir(), key=in_natural_order)[1::2][:UNLABELLED[model]])
    every = model.evaluation(1).judged[1]
    if every.suffix == ".npy":
        return every
    images = every.read_text().splitlines()
    return listed(images[::max(1, len(images) // 100)])


def compared(model, equalize):
    report, limit = fresh_file("report.json"), UNLABELLED.get(model)
    detent("compare", model.file, "--data", model.calibration, *(["--shard", "1/2"] if model in UNLABELLED else []),
           "--limit", limit or 100, *preprocessing(model), "--eval", evaluation_of(model), "--eval-limit", limit or 200,
           "--calibrators", ",".join(CALIBRATORS), "--equalize", equalize, "--json", report, "--quiet")
    return json.loads(report.read_text())


def kept(families):
    return ", ".join(f"{one['name']} {one['alpha']}" for one in families if one["kept"] and one["values"] > 0) or "none"


def main():
    given, misses = parser_of(__doc__).parse_args(), Misses()
    print_header("model", "kept", *CALIBRATORS)
    every = [model for model in MODELS.values() if model.name != "sample"] + list(UNLABELLED)
    for model in present(model for model in every if not given.models or model.name in given.models):
        before, after = compared(model, "off"), compared(model, "auto")
        pairs = [tuple(one["metrics"]["sqnr_db"] for one in both) for both in zip(before["variants"], after["variants"])]
        print_row(model, kept(after["equalize"]["families"]), *(f"{a:.1f} -> {b:.1f}" for a, b in pairs))
        for calibrator, (a, b) in zip(CALIBRATORS, pairs):
            misses.hold(b >= a - MAY_LOSE, f"{model} {calibrator} {a} -> {b}")
    misses.end(given.check)


if __name__ == "__main__":
    main()
