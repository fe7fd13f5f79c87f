"""make_engine_forms.py OUT.onnx

Writes a small network of what engines did not run as it is written: GELU in primitives, a sum with a number, Reciprocal,
Mod, ReduceSumSquare, GridSample, a ConvTranspose with groups, a MaxPool over three axes, two masks of attention, rows
that a Concat puts together in front of a product, and a product of a vector. Random weights."""

import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

CHANNELS, SIDE, TOKENS = 16, 12, 36
random = numpy.random.default_rng(7)
nodes, constants = [], []


def constant(array):
    name = f"c{len(constants)}"
    constants.append(numpy_helper.from_array(numpy.asarray(array), name))
    return name


def weights(*shape):
    inner = numpy.prod(shape[1:]) if len(shape) > 2 else shape[0]
    return constant((random.standard_normal(shape) * inner ** -0.5).astype(numpy.float32))


def number(value):
    return constant(numpy.float32(value))


def ints(*values):
    return constant(numpy.array(values, numpy.int64))


def node(op, *inputs, outputs=1, **attributes):
    names = [f"{op.lower()}{len(nodes)}_{i}" for i in range(outputs)]
    nodes.append(helper.make_node(op, list(inputs), names, name=f"{op}_{len(nodes)}", **attributes))
    return names[0] if outputs == 1 else names


def gelu(x):
    gate = node("Add", node("Erf", node("Div", x, number(2 ** 0.5))), number(1))
    return node("Mul", node("Mul", x, gate), number(0.5))


def attention(x, mask):
    query, key, value = (node("MatMul", x, weights(CHANNELS, CHANNELS)) for _ in range(3))
    scores = node("Mul", node("MatMul", query, node("Transpose", key, perm=[0, 2, 1])), number(CHANNELS ** -0.5))
    causal = constant(numpy.triu(numpy.full((1, TOKENS, TOKENS), -1e4, numpy.float32), 1))
    hidden = node("Mul", node("Sub", number(1), node("Cast", node("Unsqueeze", mask, ints(1)), to=TensorProto.FLOAT)),
                  number(-1e4))
    shown = node("Softmax", node("Add", node("Add", scores, causal), hidden), axis=-1)
    return node("MatMul", shown, value)


image = node("Relu", node("Conv", "image", weights(CHANNELS, 3, 3, 3), pads=[1, 1, 1, 1]))
grid = node("Tanh", node("Transpose", node("Conv", image, weights(2, CHANNELS, 1, 1)), perm=[0, 2, 3, 1]))
sampled = node("GridSample", image, grid, mode="bilinear", padding_mode="zeros", align_corners=1)
wide = node("ConvTranspose", sampled, weights(CHANNELS, CHANNELS // 4, 2, 2), strides=[2, 2], group=4)
volume = node("Reshape", wide, ints(1, 4, 4, 2 * SIDE, 2 * SIDE))
pooled = node("MaxPool", volume, kernel_shape=[2, 4, 4], strides=[2, 4, 4])
level = node("Reshape", pooled, ints(1, 8, TOKENS))
tokens = node("Transpose", node("Reshape", node("Conv", sampled, weights(8, CHANNELS, 2, 2), strides=[2, 2]),
                                ints(1, 8, TOKENS)), perm=[0, 2, 1])
rows = node("Concat", tokens, node("Transpose", level, perm=[0, 2, 1]), axis=1)
joined = node("MatMul", rows, weights(8, CHANNELS))
first = node("Slice", joined, ints(0), ints(TOKENS), ints(1))
hidden = gelu(node("MatMul", attention(first, "mask"), weights(CHANNELS, 2 * CHANNELS)))
summed = node("MatMul", node("Mul", node("Add", hidden, number(1)), number(0.5)), weights(2 * CHANNELS, CHANNELS))
length = node("Sqrt", node("ReduceSumSquare", summed, axes=[2], keepdims=1))
scaled = node("Mul", summed, node("Reciprocal", node("Add", length, number(0.1))))
nodes.append(helper.make_node("Identity", [scaled], ["tokens"], name="last"))
counted = node("Add", "mask", constant(numpy.arange(TOKENS, dtype=numpy.int64)[None]))
nodes.append(helper.make_node("Mod", [counted, ints(6)], ["columns"], name="columns_Mod"))
vector = node("Reshape", node("Slice", node("ReduceMax", scaled, axes=[2], keepdims=0), ints(0), ints(8), ints(1)), ints(8))
nodes.append(helper.make_node("MatMul", [vector, weights(8, 12)], ["vector"], name="vector_MatMul"))

graph = helper.make_graph(
    nodes, "engine_forms",
    [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, SIDE, SIDE]),
     helper.make_tensor_value_info("mask", TensorProto.INT64, [1, TOKENS])],
    [helper.make_tensor_value_info("tokens", TensorProto.FLOAT, [1, TOKENS, CHANNELS]),
     helper.make_tensor_value_info("columns", TensorProto.INT64, [1, TOKENS]),
     helper.make_tensor_value_info("vector", TensorProto.FLOAT, [12])], constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)
onnx.checker.check_model(model)
onnx.save(model, sys.argv[1])
