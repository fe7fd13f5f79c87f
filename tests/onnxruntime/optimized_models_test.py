"""Graphs that ONNX Runtime's optimizer wrote of every model: Detent runs them as it runs the original, and quantizes
them as well."""

import functools
import re
import shutil

import numpy
from engine import session_of
from measures import sqnr
from models import LEVEL_OF
from program import answer, fresh_file, fresh_folder, outputs_in, quantize, report_of
from selection import selected_to_write
from specification import Specification, each, main

MODELS = selected_to_write()
ALSO_QUANTIZED = [model for model in MODELS if re.fullmatch(
    r"sample|chars_gpt|cifar10_resnet18|exports/(vit|bert)_mini/.*", str(model))]


@functools.cache
def optimized(file):
    """Writes the graph of level "extended": level "all" also renames convolutions to a blocked layout of one CPU."""
    folder = fresh_folder()
    for external in file.parent.glob("*.data"):  # the engine keeps the names of external files
        shutil.copy(external, folder)
    session_of(file, "extended", optimized=folder / "optimized.onnx")
    return folder / "optimized.onnx"


def run(file, data):
    """Returns the outputs, and what was expanded."""
    out = fresh_file("out")
    report = answer("run", file, "-o", out, *data)
    return outputs_in(out, file), report["expanded"]


def quantized(file, target, data):
    """Returns the INT8 layers with their MACs, and the SQNR."""
    report = report_of(quantize(file, target, *data))
    return [report["coverage"][f"int8_{what}"] for what in ("layers", "macs")], report["error"]["sqnr_db"]


class OptimizedModels(Specification):
    @each(MODELS)
    def test_the_optimized_graph_has_the_outputs_of_the_original(self, model):
        (before, _), (after, expanded) = run(model.file, model.data), run(optimized(model.file), model.data)
        self.tell(f"expanded {expanded}")
        for name, array in before.items():
            self.assertEqual(after[name].shape, array.shape)
            db = sqnr(array, after[name]) if not numpy.array_equal(array, after[name]) else numpy.inf
            self.tell(f"{name} {db:.1f} dB")
            # Rounding in another order: about 24 bits of noise less the depth of the network. Halves have 11 bits.
            self.assertGreaterEqual(db, 40 if "fp16" in str(model) else 90, name)

    @each(ALSO_QUANTIZED, LEVEL_OF)
    def test_the_optimized_graph_is_quantized_as_the_original(self, model, target):
        layers, before = quantized(model.file, target, model.data)
        found, after = quantized(optimized(model.file), target, model.data)
        self.tell(f"{before} and {after} dB, {found[0]} layers")
        self.assertEqual(found, layers)
        # Codes on the edge fall to either side where floats are rounded in another order.
        self.assertLess(abs(after - before), 0.1)


if __name__ == "__main__":
    main()
