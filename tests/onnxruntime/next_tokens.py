"""next_tokens.py [--file A.onnx,B.onnx] [--targets tensorrt] [--draws 16,32x3] [--check] [ARGUMENT...]

Prints the cross entropy in nats a symbol and the share of correct next symbols of the shared folder's GPT in ONNX
Runtime, over all evaluation sequences, FP32 and quantized for both targets with the given arguments of `detent
quantize` (none: the defaults). --check exits 1 if FP32 is not 1.4204 +- 1e-4, or a default is 0.01 nats or more above
it."""

import argparse

from engine import run_model
from measured import Misses, present, print_header, print_row
from measures import next_tokens
from models import CHARS_GPT, KNOWN_NATS, LEVEL_OF, sequences
from program import quantized_from_data, report_of


def draws(text):
    """Yields (name, options) of "16,32x3": so many samples, with 1 or so many seeds."""
    yield "all", []
    for draw in filter(None, text.split(",")):
        count, _, seeds = draw.partition("x")
        for seed in range(1, int(seeds or 1) + 1):
            yield f"{count}, seed {seed}", ["--shuffle", str(seed), "--limit", count]


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--file", default="", help="scores these files instead of quantizing")
    parser.add_argument("--targets", default=",".join(LEVEL_OF))
    parser.add_argument("--draws", default="", help="also calibrates on so many samples, with 1 or so many seeds")
    parser.add_argument("--check", action="store_true")
    (given, more), misses = parser.parse_known_args(), Misses()
    for model in present([CHARS_GPT]):
        ids, following = sequences()

        def row(target, file, level, *cells, above=None):
            (logits,) = run_model(file, {"ids": ids}, level).values()
            nats, right = next_tokens(logits, following)
            print_row(target, *(cells or ("", "", "")), f"{nats:.4f}", f"{nats - (above or nats):.4f}", f"{100 * right:.2f} %")
            return nats
        print_header("target", "samples", "calibrator", "layers left float", "nats", "above FP32", "right")
        float_nats = row("FP32", model.file, "all")
        misses.hold(abs(float_nats - KNOWN_NATS) <= 1e-4, f"FP32 {float_nats} nats, known {KNOWN_NATS}")
        for file in filter(None, given.file.split(",")):
            row(file, file, "disabled", above=float_nats)
        for target in () if given.file else given.targets.split(","):
            for name, options in draws(given.draws):
                file = quantized_from_data(model, target, "", *more, *options)
                report = report_of(file)
                nats = row(target, file, LEVEL_OF[target], name, report["calibrator"], len(report["float_layers"]),
                           above=float_nats)
                misses.hold(name != "all" or nats - float_nats < 0.01, f"{target}: {nats - float_nats:.4f} nats above FP32")
    misses.end(given.check)


if __name__ == "__main__":
    main()
