"""Cases of other areas again, behind a Conv and, every other one, before a Relu: executors choose layouts and fuse there."""

import importlib

import numpy as np
from onnx import helper, numpy_helper

from cases import Case, Draw
from models import graph_of, value_info

AREAS = {"norm": 1, "resize": 3, "sample": 1, "windows": 3, "movement": 1, "indexing": 1, "reduction": 1, "elementwise": 1, "old": 1, "fuzz": 1}

NO_FLOATS = ("ArgMax", "ArgMin", "NonZero", "IsNaN", "IsInf", "Shape", "Size", "OneHot", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")


def fits(case):
    x = case.inputs[0] if case.inputs else None
    return (case.graph is None and isinstance(x, np.ndarray) and x.dtype == np.float32 and 3 <= x.ndim <= 5 and x.size > 0 and np.isfinite(x).all())


def behind_conv(draw, case, name, relu):
    graph = graph_of(case)
    x = case.inputs[0]
    channels = x.shape[1]
    weights = (np.eye(channels) + 0.2 * draw.normal(channels, channels)).astype(np.float32).reshape(channels, channels, *[1] * (x.ndim - 2))
    nodes = [helper.make_node("Conv", ["raw", "weights"], ["x0"]), *graph.node]
    outputs = list(graph.output)
    if relu:
        nodes.append(helper.make_node("Relu", [outputs[0].name], ["relu"]))
        outputs = [*outputs, value_info("relu", x)]
        outputs[-1].ClearField("type")
    inputs = [value_info("raw", x), *[info for info in graph.input if info.name != "x0"]]
    constants = [numpy_helper.from_array(weights, "weights"), *graph.initializer]
    return Case(name, "", [value for value in case.inputs if value is not None], case.opset, len(outputs), {}, helper.make_graph(nodes, name, inputs, outputs, constants))


def cases(draw):
    for area, every in AREAS.items():
        for i, case in enumerate(importlib.import_module("cases_" + area).cases(Draw(area))):
            if i % every == 0 and fits(case):
                floats = case.op not in NO_FLOATS
                yield behind_conv(draw, case, f"{area}_{case.name}", floats and i // every % 2 == 0)
