"""Every model, for every target and type of floats: ONNX Runtime loads Detent's file at the lowest and the highest
level of optimization, runs a sample, and gives numbers. The last line counts the files that its CPU cannot run."""

import collections
import functools

from engine import run_once, session_of
from graph_parts import elem_type, inputs_of, read
from measures import finite
from onnx import TensorProto
from program import detent, fresh_file
from selection import selected_to_write
from specification import Specification, each, main

# HTP runs no floats, so there is nothing to convert.
TYPES = {"qnn": ["fp32"], "openvino": ["fp32", "fp16"]}
FILES = [(target, kind) for target in ("tensorrt:8.6", "tensorrt:10.8", "tensorrt:10.13", "tensorrt:11", "onnxruntime",
                                       "openvino", "qnn") for kind in TYPES.get(target, ["fp32", "fp16", "bf16"])]

# ONNX Runtime has checked every type and shape of the graph before it looks for kernels, and its CPU has hardly any for
# BFloat16.
NO_KERNEL = "Could not find an implementation for"


def infinite_outputs(file, level, feeds):
    """Returns the names of the outputs that are not finite."""
    return [name for name, array in run_once(session_of(file, level), feeds).items() if not finite(array)]


@functools.cache
def table_of(model):
    table = fresh_file("table.dct")
    detent("calibrate", model.file, "-o", table, "--float-type", "fp16", "--quiet", *model.data)
    return table


@functools.cache
def expected_of(model):
    return infinite_outputs(model.file, "disabled", model.feeds())


def runs(model, kind):
    """Tells whether the CPU has kernels. A model of halves stays one, whatever type is asked for."""
    return kind != "bf16" or any(elem_type(one) == TensorProto.FLOAT16 for one in inputs_of(read(model.file)))


class WrittenFiles(Specification):
    counts = collections.Counter()

    @each(selected_to_write(), FILES)
    def test_the_file_runs_except_BFloat16_for_which_the_CPU_has_no_kernels(self, model, form):
        target, kind = form
        file = fresh_file("model.onnx")
        detent("quantize", model.file, "--table", table_of(model), "--calibrator", "max", "--target", target, "--float-type",
               kind, "--accept-broken", "--quiet", "-o", file)
        if runs(model, kind):
            for level in ("disabled", "all"):
                self.assertEqual(infinite_outputs(file, level, model.feeds()), expected_of(model), level)
        else:
            with self.assertRaisesRegex(Exception, NO_KERNEL):
                session_of(file, "disabled")
        self.counts["ran" if runs(model, kind) else "types accepted, no kernels"] += 1

    @classmethod
    def tearDownClass(cls):
        print("; ".join(f"{count} {what}" for what, count in cls.counts.items()))


if __name__ == "__main__":
    main()
