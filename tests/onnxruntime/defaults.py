"""defaults.py [MODEL...]

Prints for each level of --accuracy, without a named calibrator, score and SQNR on the whole evaluation set in ONNX
Runtime, agreement with FP32, seconds of `quantize` by the clock and of all threads, and these in units of the first row
of a model and target."""

from measured import Evaluation, models_named, parser_of, points, print_header, print_row
from measures import decisions
from models import CANDIDATES, LEVEL_OF, MODELS, zoo_models
from program import answer, cost_of, quantized_from_data, report_of, sources


def options():
    parser = parser_of(__doc__)
    for name, default, says in (
            ("samples", "", "also calibrate on that many: 16,64"), ("levels", "fast,balanced,best", "only these"),
            ("calibrators", "", "max,mse: these instead of the levels"),
            ("outliers", "default", "keep,clip,drop: each of them; 'default' passes no option"),
            ("equalize", "default", "off,auto: each of them"), ("targets", ",".join(LEVEL_OF), "only these")):
        parser.add_argument(f"--{name}", default=default, help=says,
                            type=lambda text: [word for word in text.split(",") if word])
    parser.add_argument("--zoo", action="store_true", help="the zoo: auto beside the best calibrator by `detent compare`")
    return parser.parse_args()


def rows_of(given):
    """Returns [(level, calibrator, outliers, equalize, count of samples)]."""
    for outliers in given.outliers:
        for equalize in given.equalize:
            for one in given.calibrators or given.levels:
                yield (None, one) if given.calibrators else (one, ""), outliers, equalize, None
    for count in given.samples:
        yield ("balanced", ""), "default", "default", count


def words_of(level, outliers, equalize, count):
    words = {"--accuracy": level, "--policy": outliers, "--equalize": equalize, "--limit": count}
    prefix = {"--policy": "outliers="}
    given = [word for option, value in words.items() if value not in (None, "default")
             for word in (option, prefix.get(option, "") + value)]
    return given + (["--shuffle", "1"] if count else [])


def row(evaluation, target, asked, unit):
    """Prints a row; the first one of a model and target is the unit of the last column."""
    (level, calibrator), outliers, equalize, count = asked
    model = evaluation.model
    file = quantized_from_data(model, target, calibrator, *words_of(level, outliers, equalize, count))
    report, (wall, cpu), found = report_of(file), cost_of(file), evaluation.of_file(file, target)
    agreement = (decisions(evaluation.reference) == decisions(found.output)).mean()
    print_row(model, target, level or calibrator, outliers, equalize, count or "all", report["calibrator"],
              points(evaluation.fp32), points(found.score), f"{found.db:.1f} dB", f"{100 * agreement:.1f} %",
              report["verdict"], f"{wall:.1f} s", f"{cpu:.1f} s", f"{cpu / (unit or cpu):.1f}")
    return unit or cpu


def zoo_row(model, target):
    variants = answer("compare", model.file, "--quiet", "--target", target, "--calibrators", ",".join([*CANDIDATES, "auto"]),
                      *model.data, *sources(model.evaluation_stacks, "--eval"))["variants"]
    db = {one["calibrator"]: one["metrics"]["sqnr_db"] for one in variants}
    takes = next(one.get("takes", "") for one in variants if one["calibrator"] == "auto")
    best = max(CANDIDATES, key=db.get)
    print_row(model.name.removeprefix("zoo/"), target, takes, f"{db['auto']:.1f}", best, f"{db[best]:.1f}")


def main():
    given = options()
    if given.zoo:
        print_header("network", "target", "auto takes", "dB", "best", "dB")
        for model in zoo_models():
            if model.file.parent.name in ("chess", "gtcrn_simple", "latentradio_enc", "pfld"):
                for target in given.targets:
                    zoo_row(model, target)
        return
    print_header("model", "target", "asked", "outliers", "equalize", "samples", "calibrator", "FP32", "score", "SQNR",
                 "agreement", "verdict", "wall", "CPU", "CPU / first row")
    for model in models_named(given.models, [name for name in MODELS if name != "sample"]):
        evaluation = Evaluation(model)
        for target in given.targets:
            unit = None
            for asked in rows_of(given):
                unit = row(evaluation, target, asked, unit)


if __name__ == "__main__":
    main()
