"""A model's evaluation set, the float model's outputs on it, the scores of quantized models in ONNX Runtime, and tables
of them in Markdown."""

import argparse
import dataclasses
import json
import sys

import numpy
from engine import run_model
from measures import sqnr
from models import LEVEL_OF, MODELS, SHARED
from program import arrays, quantized, quantized_from_data, report_of, run, write_inputs


@dataclasses.dataclass
class Measured:
    score: float
    db: float
    output: numpy.ndarray = None
    name: str = ""

    def __str__(self):
        return f"{100 * self.score:.2f} ({self.db:.1f} dB)"


class Evaluation:
    """The whole evaluation set of a model. engine: the program that runs the float model, "detent" or "onnxruntime"."""

    def __init__(self, model, engine="detent"):
        self.model, self.samples = model, model.evaluation(1)
        paths = write_inputs(model, self.samples)
        self.inputs = arrays(paths)
        outputs = run(model.file, paths) if engine == "detent" else run_model(model.file, self.inputs, "disabled")
        (self.reference,) = outputs.values()
        self.fp32 = self.samples.score(self.reference)

    def of_file(self, file, target):
        (output,) = run_model(file, self.inputs, LEVEL_OF[target]).values()
        return Measured(self.samples.score(output), sqnr(self.reference, output), output)

    def of_calibrator(self, target, calibrator):
        return self.of_file(quantized(self.model, target, calibrator), target)


def chosen_by_auto(model, target):
    """Returns the calibrator that `--calibrator auto` takes."""
    return report_of(quantized_from_data(model, target, "auto"))["calibrator"]


def points(share):
    return f"{100 * share:.2f}"


def print_row(*cells):
    print(f"| {' | '.join(str(cell) for cell in cells)} |", flush=True)


def print_header(*columns):
    print_row(*columns)
    print(f"|{' --- |' * len(columns)}")


def present(models):
    """Yields the models that are there and names the others on stderr."""
    for model in models:
        if model.missing:
            print(f"skipped {model.name}: {model.missing}", file=sys.stderr)
        else:
            yield model


def models_named(names, default):
    return present([MODELS[name] for name in names or default])


def parser_of(text):
    """Returns a parser of MODEL... and --check for a program that its docstring describes."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--check", action="store_true")
    return parser


class Misses(list):
    """Sentences about bounds that were missed."""

    def hold(self, holds, sentence):
        if not holds:
            self.append(sentence)

    def end(self, check):
        """Prints them and ends the program, with 1 if they count."""
        for sentence in self:
            print(f"missed: {sentence}", file=sys.stderr)
        sys.exit(bool(check and self))


# The files of the scores of onnxruntime.quantization on the same models and images, and their names of the model.
_PEERS = {"shapes_unet": ("shapes_unet_occupancy3d.json", "unet"), "occupancy3d": ("shapes_unet_occupancy3d.json", "occ"),
          "cifar10_resnet18": ("cifar10_resnet18.json", "resnet18"),
          "cifar10_efficientnet_b0": ("cifar10_efficientnet_b0.json", "efficientnet_b0")}
NAMES_OF_PEERS = list(_PEERS)
THEIR_METHODS = ["MinMax", "Entropy", "Percentile"]
# Their grid of activations and our target with the same.
GRIDS = {"s8": "tensorrt", "u8": "onnxruntime"}


def theirs(name, grid):
    """Returns what onnxruntime.quantization reaches with each method; nothing for models without numbers."""
    if name not in _PEERS:
        return []
    file, model = _PEERS[name]
    rows = {(row["model"], row["method"], row["act"]): row for row in json.loads((SHARED / "reference/peers" / file).read_text())}
    found = [(method, rows[model, method, grid]) for method in THEIR_METHODS]
    return [Measured(row.get("score", row.get("top1")), row["sqnr_db"], name=method) for method, row in found]
