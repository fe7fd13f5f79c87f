"""Random graphs: ONNX Runtime loads every file that Detent writes from them, for every target and type of floats and
codes. DETENT_GRAPHS=FIRST-LAST chooses the seeds (default 0-39)."""

import os
import re

import numpy
import onnx
from engine import FATAL, session_of
from program import Failed, detent, fresh_folder
from random_types import random_graph
from specification import Specification, each, main

FIRST, LAST = map(int, (os.environ.get("DETENT_GRAPHS") or "0-39").split("-"))

# ONNX Runtime has checked every type of the graph before it looks for kernels, and its CPU has none for some types.
NO_KERNEL = "Could not find an implementation for"
# For CPUs without VNNI it rewrites INT8 activations to UINT8 and forgets the output_dtype of a pair that it has moved
# itself.
OWN_REWRITING = "output_dtype INT8 does not match y_zero_point type UINT8"
# Issue 22269: its rules for pairs do not know FP8.
NO_QDQ_RULES = {"session.disable_quant_qdq": "1"}
UNUSABLE_SHARE = 0.1  # seeds that make no node


def writings(seed):
    """Returns {what: command line} of the files of a graph; the seed turns on options that reach further into it."""
    def every(divisor, *options):
        return options if seed % divisor == 0 else ()
    quantize = ("quantize", "--accept-broken", "--accuracy", "fast", "--calibrator", "max", "--target")
    wider = (*every(3, "--policy", "attention=int8"), *every(5, "--policy", "quantize-outputs=on"),
             *every(4, "--format", "scales=fp32"))
    return {
        "tensorrt": (*quantize, "tensorrt", *wider, *every(2, "--policy", "small-layers=quantize")),
        "tensorrt:11": (*quantize, "tensorrt:11", *wider, *every(2, "--format", "io-type=same")),
        "onnxruntime": (*quantize, "onnxruntime", *wider),
        "fp8 for tensorrt": (*quantize, "tensorrt", "--type", "fp8", *every(2, "--float-type", "fp16")),
        "bf16 around int8": (*quantize, "tensorrt", "--float-type", "bf16", *wider),
        "fp16": ("cast", "--float-type", "fp16"),
        "bf16": ("cast", "--float-type", "bf16"),
    }


def refusal(file, level, config=None):
    """Returns the reason why a session cannot be made; "" if it can, if only a kernel is missing, or if the file is not
    the cause."""
    try:
        session_of(file, level, config=config, threads=1, severity=FATAL)
    except Exception as error:  # noqa: BLE001: any refusal is a finding
        excused = re.search(NO_KERNEL, str(error)) or (level == "all" and re.search(OWN_REWRITING, str(error)))
        return "" if excused else str(error)
    return ""


class RandomTypes(Specification):
    @each(range(FIRST, LAST + 1))
    def test_the_files_load(self, seed):
        graph = random_graph(seed)
        if not graph:
            type(self).unusable += 1
            return
        (model, samples), folder = graph, fresh_folder()
        onnx.save(model, folder / "model.onnx")
        numpy.save(folder / "samples.npy", samples(4))
        self.assertEqual(refusal(folder / "model.onnx", "disabled"), "", "the generator")
        for name, (command, *options) in writings(seed).items():
            file = folder / f"{re.sub(r'[^a-z0-9]', '_', name)}.onnx"
            try:
                detent(command, folder / "model.onnx", "--data", folder / "samples.npy", "-o", file, "--quiet", "--threads",
                       "1", *options)
            except Failed as error:
                self.fail(f"{name}: {error}")
            for level in ("disabled", "all"):
                why = refusal(file, level, NO_QDQ_RULES if name.startswith("fp8") else None)
                self.assertEqual(why, "", f"{name}, {level}")

    unusable = 0

    @classmethod
    def tearDownClass(cls):
        print(f"{cls.unusable} of {LAST - FIRST + 1} seeds make no node")
        if cls.unusable > UNUSABLE_SHARE * (LAST - FIRST + 1):
            raise AssertionError("too many seeds make no node")


if __name__ == "__main__":
    main()
