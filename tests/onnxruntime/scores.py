"""scores.py [MODEL...] [--check]

Prints the whole table, every candidate of --calibrator auto and both targets on whole evaluation sets, as Markdown; the
last column is auto's choice. --check exits 1 if a bound of models.py is missed. Takes tens of minutes for all
models."""

from measured import Evaluation, Misses, chosen_by_auto, models_named, parser_of, points, print_header, print_row
from measures import changed_argmax
from models import CANDIDATES, LEVEL_OF, MODELS

# Candidates with a bound in models.py; the other percentiles clip some models too much or too little.
BOUNDED = ["max", "entropy", "mse", "percentile:99.99"]


def noise(one, other):
    """Returns the largest difference of the shares of correct answers of two equally good models: two standard
    deviations if each of the k of n samples on which they disagree is a coin toss, 2 sqrt(k) / n."""
    return 2 * (changed_argmax(one, other) / len(one)) ** 0.5


def score_model(model, misses):
    evaluation = Evaluation(model)
    if model.fp32:
        misses.hold(abs(evaluation.fp32 - model.fp32) <= 0.0025, f"{model} FP32 {evaluation.fp32}, known {model.fp32}")
    for target in LEVEL_OF:
        found = {calibrator: evaluation.of_calibrator(target, calibrator) for calibrator in CANDIDATES}
        auto, best = chosen_by_auto(model, target), max(CANDIDATES, key=lambda calibrator: found[calibrator].score)
        for calibrator in dict.fromkeys([*BOUNDED, auto]):
            score = found[calibrator].score
            misses.hold(score >= (model.at_least or 0), f"{model} {target} {calibrator} {score} < {model.at_least}")
        misses.hold(found[best].score >= (model.best_at_least or 0),
                    f"{model} {target} best {found[best].score} < {model.best_at_least}")
        if model.metric == "top-1":
            misses.hold(found[auto].score >= found[best].score - noise(found[auto].output, found[best].output),
                        f"{model} {target} auto takes {auto} {found[auto].score}, best {best} {found[best].score}")
        print_row(model, model.metric, points(evaluation.fp32), target, *found.values(), f"{points(found[auto].score)} {auto}")


def main():
    given, misses = parser_of(__doc__).parse_args(), Misses()
    print_header("model", "metric", "FP32", "target", *CANDIDATES, "auto takes")
    for model in models_named(given.models, MODELS):
        score_model(model, misses)
    misses.end(given.check)


if __name__ == "__main__":
    main()
