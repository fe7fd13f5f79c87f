"""comparisons.py [MODEL...] [--check]

One `detent compare` for each model and target on the whole evaluation set, as Markdown, the best in bold, beside the
best of onnxruntime.quantization. --check exits 1 if our best has a lower SQNR than theirs, or a score more than 0.3
point below FP32 (EfficientNet-B0: not above 76 %)."""

from measured import GRIDS, Measured, Misses, models_named, parser_of, points, print_header, print_row, theirs
from models import CANDIDATES, MODELS
from program import compared

NAMES = ["shapes_unet", "occupancy3d", "cifar10_resnet18", "cifar10_efficientnet_b0", "imagenet_mobilenetv2"]
COLUMNS = [*CANDIDATES, "auto"]
MAY_LOSE = 0.003
LOWEST = {"cifar10_efficientnet_b0": 0.76}


def compare(model, misses):
    for grid, target in GRIDS.items():
        report = compared(model, model.evaluation(1), target, COLUMNS)
        criterion = report["criterion"]
        fp32, cells, ours, peers = report["fp32"][criterion], [], [], theirs(model.name, grid)
        for variant in report["variants"]:
            metrics = variant["metrics"]
            ours.append(Measured(metrics[criterion], metrics["sqnr_db"], name=variant["calibrator"]))
            text = " ".join([str(ours[-1]), *([variant["takes"]] if variant.get("takes") else [])])
            cells.append(f"**{text}**" if variant["calibrator"] == report["winner"] else text)
        peer = max(peers, key=lambda one: one.score, default=None)
        print_row(model, model.metric, points(fp32), target, *cells, f"{peer} {peer.name}" if peer else "-")
        winner, bound = max(ours, key=lambda one: one.score), LOWEST.get(model.name, fp32 - MAY_LOSE)
        misses.hold(winner.score >= bound, f"{model} {grid}: {winner.name} {winner.score}, at least {bound}")
        if peers:
            db, their_db = (max(one.db for one in each) for each in (ours, peers))
            misses.hold(db > their_db, f"{model} {grid}: SQNR {db} dB, theirs {their_db} dB")


def main():
    given, misses = parser_of(__doc__).parse_args(), Misses()
    print_header("model", "metric", "FP32", "target", *COLUMNS, "onnxruntime.quantization")
    for model in models_named(given.models, NAMES):
        compare(model, misses)
    misses.end(given.check)


if __name__ == "__main__":
    main()
