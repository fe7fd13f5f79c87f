"""outliers.py [MODEL...] [--factor 20] [--at 5] [--target tensorrt]

Prints the effect of one bad sample on each calibrator. Sample --at of the calibration data is multiplied by --factor
behind the preprocessing; `detent compare` judges each calibrator on the whole evaluation set without that sample, and
with it under each policy of --policy outliers. Default: the bundled sample."""

import dataclasses

import numpy
from measured import models_named, parser_of, points, print_header, print_row
from models import CANDIDATES, LEVEL_OF, MODELS, Samples
from program import compared, saved, write_inputs

POLICIES = ["keep", "clip", "drop"]


def planted(model, factor, at):
    """Returns stacks of the calibration data, without the bad sample and with it."""
    (path,) = write_inputs(model, Samples(["--data", model.calibration])).values()
    stack = numpy.load(path)
    bad = stack.copy()
    bad[at] *= factor
    return saved(numpy.delete(stack, at, 0), "without.npy"), saved(bad, "with.npy")


def judge(model, calibration, policy, target):
    """Returns the report, and a cell for each calibrator."""
    report = compared(dataclasses.replace(model, calibration=calibration), model.evaluation(1), target, CANDIDATES, "--policy",
                      f"outliers={policy}")
    return report, [f"{points(one['metrics'][report['criterion']])}, {one['metrics']['sqnr_db']:.1f} dB"
                    for one in report["variants"]]


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--factor", type=float, default=20)
    parser.add_argument("--at", type=int, default=5)
    parser.add_argument("--target", choices=LEVEL_OF, default="tensorrt")
    given = parser.parse_args()
    for model in models_named(given.models, ["sample"]):
        without, bad = planted(model, given.factor, given.at)
        # Kept, so that no other sample is clipped.
        columns = [judge(model, without, "keep", given.target), *(judge(model, bad, one, given.target) for one in POLICIES)]
        plain, found = columns[0][0], columns[1][0]["outlier_samples"]
        print(f"{model}, {plain['criterion']} {points(plain['fp32'][plain['criterion']])}; named: "
              f"{', '.join(str(one['sample']) for one in found) or 'none'}\n")
        print_header("calibrator", "without it", *(f"with it, {policy}" for policy in POLICIES))
        for calibrator, *cells in zip(CANDIDATES, *(cells for _, cells in columns)):
            print_row(calibrator, *cells)
        print()


if __name__ == "__main__":
    main()
