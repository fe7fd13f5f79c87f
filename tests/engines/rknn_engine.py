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
# "D RKNN: [07:07:24.322] 4    ConvRelu  onnx::Conv_173_dequantized  INT8  (32,16,3,3)  | 0x00001400"
CONSTANT = re.compile(r"D RKNN: \[[^\]]*\] (\d+) +\S+ +(\S+) +INT8 +\([\d,]*\) +\| 0x")


def _command():
    """Returns the ready latency command as a module: it builds files and reads the compiler's table of layers."""
    sys.path.insert(0, str(SCRIPTS))
    loader = importlib.machinery.SourceFileLoader("rknn_command", str(SCRIPTS / "rknn"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def _ran_in_int8(layer, names, weights):
    """Tells whether a layer ran in INT8: a row names its node, also with a suffix, or reads its weight."""
    own = (layer["name"], layer["output"])
    return any(name in own or name.startswith(tuple(f"{one}_" for one in own if one)) for name in names) or any(
        weight == layer["weight"] or weight.startswith(f"{layer['weight']}_") for weight in weights if layer["weight"])


def run(path, feeds, layers):
    """Returns (outputs of each feed, names of the layers that the NPU runs in INT8, [what it leaves to the CPU])."""
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
    weights = {weight for number, weight in CONSTANT.findall(log) if number in int8}
    left = collections.Counter(row["op"] for row in rows if row["unit"] != "NPU")
    return (outputs, [layer["name"] for layer in layers if _ran_in_int8(layer, names, weights)],
            [f"{count} {op}" for op, count in sorted(left.items())])
