"""Rockchip's NPU: the compiler and the simulator of rknn-toolkit2, for the chip rk3588."""

import collections
import importlib.machinery
import importlib.util
import pathlib
import re
import sys
import tempfile

import numpy

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts/latency"
CHIP = "rk3588"
LOSS_DB = 1.0
# "D RKNN: [07:07:24.322] 4    ConvRelu  onnx::Conv_173_dequantized  INT8  (32,16,3,3)  | 0x00001400"
CONSTANT = re.compile(r"D RKNN: \[[^\]]*\] (\d+) +\S+ +(\S+) +INT8 +\([\d,]*\) +\| 0x")


def _command():
    """Returns the ready latency command as a module: it builds files and reads the compiler's table of layers."""
    sys.path.insert(0, str(SCRIPTS))
    loader = importlib.machinery.SourceFileLoader("rknn_command", str(SCRIPTS / "rknn"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def _ran_in_int8(layer, names, weights, other=frozenset()):
    """Tells whether a layer ran in INT8: a row names its node or its first output, also with a suffix ("#2", "_tp"), or
    reads its weight, whose name in the table ends in "_dequantized" for "_quantized". The parts of a product of queries, keys
    and values, which a Split follows, have the name of what they read ("x_tp-rs_mm#5"). other: names of rows not in INT8."""
    own = tuple(f"{one}{end}" for one in (layer["name"], layer["output"]) if one for end in "#_")
    weight = layer["weight"].removesuffix("_quantized")
    return (any(name in (layer["name"], layer["output"]) or name.startswith(own) for name in names) or
            bool(weight) and any(name == weight or name.startswith(f"{weight}_") for name in weights) or
            _all_parts(layer, names, other))


def _all_parts(layer, names, other):
    ends = r"(?:_quantized)?(?:[-_](?:tp|rs|sw))*_mm(?:#\d+)?(?:_Conv\w+)?"
    part = re.compile(re.escape(layer["data"]) + ends) if layer["data"] else None
    parts = [name for name in [*names, *other] if part and part.fullmatch(name)]
    return bool(parts) and not any(name in other for name in parts)


def run(path, feeds, layers):
    """Returns (outputs of each feed, names of the layers that the NPU runs in INT8, [], {the compiler's estimate of
    cycles, and the layers that it leaves to the chip's CPU}). Those are no failure: the compiler builds them, too."""
    command = _command()
    inputs = [(name, list(value.shape)) for name, value in feeds[0].items()]
    with tempfile.TemporaryDirectory(prefix="detent-rknn-") as folder:
        rknn, log = command.build(path, inputs, CHIP, folder)
        with command.log_of(str(pathlib.Path(folder) / "log")):
            if rknn.init_runtime() != 0:
                raise command.Failure("the simulator does not start")
            formats = ["nchw" if value.ndim == 4 else "undefined" for value in feeds[0].values()]
            outputs = [[numpy.asarray(one) for one in rknn.inference(inputs=list(feed.values()), data_format=formats)]
                       for feed in feeds]
    rows = command.layers_of(log)
    int8 = {row["id"]: row for row in rows if row["type"] == "INT8" and row["unit"] == "NPU"}
    names = {row["name"].split(":", 1)[-1] for row in int8.values()}
    other = {row["name"].split(":", 1)[-1] for row in rows if row["id"] not in int8}
    weights = {weight for number, weight in CONSTANT.findall(log) if number in int8}
    left = collections.Counter(row["op"] for row in rows if row["unit"] != "NPU")
    figures = {"cycles": sum(row["cycles"] for row in rows), "cpu": [f"{count} {op}" for op, count in sorted(left.items())]}
    return outputs, [layer["name"] for layer in layers if _ran_in_int8(layer, names, weights, other)], [], figures
