"""The pieces of random_types.py: each adds a few nodes to a network, or none where it does not fit."""

import math

from graph_parts import graph_of, node, value
from onnx import helper
from random_networks import Value, array_of


def conv(n):
    v = n.image()
    if not v:
        return
    batch, channels, height, width = v.dims
    kernel, group = n.among([1, 3]), n.among([1, 1, 1, channels])
    out = n.among([8, 16]) if group == 1 else channels
    if min(height, width) < kernel:
        return
    stride, pad = n.among([1, 1, 2]), (kernel - 1) // 2
    height, width = ((size + 2 * pad - kernel) // stride + 1 for size in (height, width))
    weight = n.weight([out, channels // group, kernel, kernel], 1 / math.sqrt(channels * kernel * kernel / group))
    bias = [n.weight([out], 0.3)] if n.chance(0.7) else []
    n.op("Conv", [v.name, weight, *bias], [batch, out, height, width],
         {"kernel_shape": [kernel, kernel], "pads": [pad] * 4, "strides": [stride, stride], "group": group})


def deconv(n):
    if v := n.image(lambda dims: dims[2] <= 8):
        batch, channels, height, width = v.dims
        n.op("ConvTranspose", [v.name, n.weight([channels, 8, 2, 2], 0.3)], [batch, 8, 2 * height, 2 * width],
             {"kernel_shape": [2, 2], "strides": [2, 2]})


def activation(n):
    v = n.pick()
    kind = n.among(["Relu", "Relu", "LeakyRelu", "Sigmoid", "HardSigmoid", "Elu", "Tanh", "Abs", "silu"])
    if kind == "silu":
        n.op("Mul", [v.name, n.op("Sigmoid", [v.name], v.dims)], v.dims)
    else:
        n.op(kind, [v.name], v.dims)


def clip(n):
    v = n.pick()
    if n.opset < 11:
        n.op("Clip", [v.name], v.dims, {"min": 0.0, "max": 6.0})
    else:
        n.op("Clip", [v.name, n.scalar(0), n.scalar(n.among([1, 6]))], v.dims)


def pad(n):
    if v := n.image(lambda dims: dims[2] <= 12):
        dims, pads = [*v.dims[:2], v.dims[2] + 2, v.dims[3] + 2], [0, 0, 1, 1, 0, 0, 1, 1]
        if n.opset < 11:
            n.op("Pad", [v.name], dims, {"pads": pads, "value": 0.5})
        else:
            n.op("Pad", [v.name, n.ints(*pads), n.scalar(0.5)], dims)


def meet(n):
    v = n.pick()
    op = n.among(["Add", "Add", "Mul", "Sub", "Max"])
    n.op(op, [v.name, v.name if n.opset < 12 and n.float == "float16" else n.like(v)], v.dims)


def concat(n):
    if v := n.image():
        n.op("Concat", [v.name, n.like(v)], [v.dims[0], 2 * v.dims[1], *v.dims[2:]], {"axis": 1})


def split(n):
    if v := n.image(lambda dims: dims[1] % 2 == 0):
        part = v.dims[1] // 2
        dims = [v.dims[0], part, *v.dims[2:]]
        inputs, attributes = ([], {"split": [part, part]}) if n.opset < 13 else ([n.ints(part, part)], {})
        _, second = n.op("Split", [v.name, *inputs], dims, {"axis": 1, **attributes}, outputs=2)
        n.values.append(Value(second, dims, n.float))


def _halved(dims):
    return [*dims[:2], dims[2] // 2, dims[3] // 2]


def _poolable(dims):
    return dims[2] >= 4 and dims[3] >= 4


HALVES = {"kernel_shape": [2, 2], "strides": [2, 2]}


def pool(n):
    if v := n.image(_poolable):
        n.op(n.among(["MaxPool", "AveragePool"]), [v.name], _halved(v.dims), HALVES)


def mean(n):
    if v := n.image():
        inputs, attributes = n.axes(18, [2, 3])
        n.op("ReduceMean", [v.name, *inputs], [*v.dims[:2], 1, 1], {"keepdims": 1, **attributes})


def gate(n):
    if v := n.image():
        channels, small = v.dims[1], [*v.dims[:2], 1, 1]
        average = n.op("GlobalAveragePool", [v.name], small)
        mixed = n.op("Conv", [average, n.weight([channels, channels, 1, 1], 1 / math.sqrt(channels))], small)
        n.op("Mul", [v.name, n.op("Sigmoid", [mixed], small)], v.dims)


def resize(n):
    v = n.image(lambda dims: dims[2] <= 8)
    if v and n.opset >= 13:
        sizes = n.constant("float32", [4], [1, 1, 2, 2])
        n.op("Resize", [v.name, "", sizes], [*v.dims[:2], 2 * v.dims[2], 2 * v.dims[3]],
             {"mode": n.among(["nearest", "linear"]), "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"})


def reshape(n):
    v = n.image()
    if not v:
        return
    dims = [*v.dims[:2], v.dims[2] * v.dims[3]]
    if n.chance(0.5):
        n.op("Reshape", [v.name, n.ints(*dims)], dims)
    else:  # the shape is computed, as exporters do
        shape = n.op("Shape", [v.name], [4], kind="int64")
        front = n.op("Slice", [shape, n.ints(0), n.ints(2), n.ints(0)], [2], kind="int64")
        n.op("Reshape", [v.name, n.op("Concat", [front, n.ints(-1)], [3], {"axis": 0}, "int64")], dims)


def transpose(n):
    if v := n.pick(lambda dims: len(dims) > 2):
        perm = [0, *range(len(v.dims) - 1, 0, -1)]
        n.op("Transpose", [v.name], [v.dims[axis] for axis in perm], {"perm": perm})


def slice_half(n):
    if v := n.pick(lambda dims: len(dims) > 1 and dims[1] > 3):
        half = v.dims[1] // 2
        n.op("Slice", [v.name, n.ints(0), n.ints(half), n.ints(1)], [v.dims[0], half, *v.dims[2:]])


def squeeze(n):
    v = n.pick()
    inputs, attributes = n.axes(13, [1])
    wide = n.op("Unsqueeze", [v.name, *inputs], [v.dims[0], 1, *v.dims[1:]], attributes)
    inputs, attributes = n.axes(13, [1])
    if n.chance(0.5):
        n.op("Squeeze", [wide, *inputs], v.dims, attributes)
    else:
        n.values = [one for one in n.values if one.name != wide]


def softmax(n):
    v = n.pick()
    n.op(n.among(["Softmax", "Softmax", "LogSoftmax"]), [v.name], v.dims, {"axis": len(v.dims) - 1})


def layer_norm(n):
    v = n.pick(lambda dims: dims and dims[-1] > 1)
    if not v or n.opset < 17:
        return
    inputs = [v.name, n.weight(v.dims[-1:], 1), n.weight(v.dims[-1:], 1)]
    if n.chance(0.7):
        n.op("LayerNormalization", inputs, v.dims, {"axis": -1})
    else:  # Mean is FP32, whatever the data is
        y, average = n.op("LayerNormalization", inputs, v.dims, {"axis": -1}, outputs=2)
        same = average if n.float == "float32" else n.cast(average, n.float, [*v.dims[:-1], 1])
        n.op("Mul", [y, same], v.dims)


def batch_norm(n):
    if v := n.image():
        channels = v.dims[1:2]

        def positive():
            return n.constant(n.float, channels, [0.5 + n.random() for _ in range(channels[0])])
        n.op("BatchNormalization", [v.name, positive(), n.weight(channels, 0.5), n.weight(channels, 0.5), positive()], v.dims)


def matmul(n):
    v = n.pick(lambda dims: len(dims) > 1)
    if not v or v.dims[-1] > 512:
        return
    inner, out = v.dims[-1], n.among([16, 24])
    dims = [*v.dims[:-1], out]
    y = n.op("MatMul", [v.name, n.weight([inner, out], 1 / math.sqrt(inner))], dims)
    if n.chance(0.6):
        n.op("Add", [y, n.weight([out], 0.3)] if n.chance(0.5) else [n.weight([out], 0.3), y], dims)


def _turned(n, name, dims, kind=None):
    perm = [*range(len(dims) - 2), len(dims) - 1, len(dims) - 2]
    return n.op("Transpose", [name], [dims[axis] for axis in perm], {"perm": perm}, kind)


def attention(n):
    if v := n.pick(lambda dims: len(dims) > 2):
        n.op("MatMul", [v.name, _turned(n, v.name, v.dims)], [*v.dims[:-1], v.dims[-2]])


def gemm(n):
    if v := n.pick(lambda dims: math.prod(dims[1:]) < 1500):
        inner, out = math.prod(v.dims[1:]), n.among([16, 20])
        flat = n.op("Flatten", [v.name], [v.dims[0], inner], {"axis": 1})
        n.op("Gemm", [flat, n.weight([out, inner], 1 / math.sqrt(inner)), n.weight([out], 0.3)], [v.dims[0], out],
             {"transB": 1})


def gelu(n):
    v = n.pick()
    erf = n.op("Erf", [n.op("Div", [v.name, n.scalar(1.4142)], v.dims)], v.dims)
    n.op("Mul", [v.name, n.op("Add", [erf, n.scalar(1)], v.dims)], v.dims)


# ---- integers and truth values ----

def where(n):
    v = n.pick()
    mask = n.masked(v)
    n.op("Where", [mask, v.name, n.scalar(0) if n.chance(0.5) else n.like(v)], v.dims)


def masked_product(n):
    v = n.pick()
    n.op("Mul", [v.name, n.cast(n.masked(v), n.float, v.dims)], v.dims)


def dropout(n):
    v = n.pick()
    y, mask = n.op("Dropout", [v.name], v.dims, outputs=2)
    how = n.int(0, 3)
    if how == 0:
        n.op("Where", [mask, y, n.scalar(0)], v.dims)
    elif how == 1:
        n.op("Mul", [y, n.cast(mask, n.float, v.dims)], v.dims)


def infinite(n):
    v = n.pick()
    if n.float == "float32" or n.opset >= 20:
        mask = n.op("IsInf", [v.name], v.dims, kind="bool")
        n.op("Where", [mask, n.scalar(0), v.name], v.dims)


def integers(n):
    v = n.pick(lambda dims: len(dims) > 1)
    if not v:
        return
    kind = n.among(["int32", "int64"])
    whole = n.cast(n.op("Mul", [v.name, n.scalar(4)], v.dims), kind, v.dims)
    whole = n.move_back(whole, kind, v.dims)
    if n.chance(0.5):
        whole = n.op(n.among(["Add", "Mul"]), [whole, n.scalar(3, kind)], v.dims, kind=kind)
    if n.chance(0.3):
        whole = n.op("Concat", [whole, whole], [2 * v.dims[0], *v.dims[1:]], {"axis": 0}, kind)
    elif n.chance(0.3):  # a product of integers
        dims = [*v.dims[:-1], v.dims[-2]]
        product = n.op("MatMul", [whole, _turned(n, whole, v.dims, kind)], dims, kind=kind)
        n.op("Mul", [n.cast(product, n.float, dims), n.scalar(0.01)], dims)
        return
    if n.made[-1].dims[0] == v.dims[0]:
        n.op("Add", [v.name, n.cast(whole, n.float, v.dims)], v.dims)


def narrow_integers(n):
    v = n.pick()
    kind = n.among(["uint8", "int8"])
    small = n.op("Mul", [n.op("Sigmoid", [v.name], v.dims), n.scalar(100)], v.dims)
    moved = n.move_back(n.cast(small, kind, v.dims), kind, v.dims)
    n.op("Add", [v.name, n.cast(moved, n.float, v.dims)], v.dims)


def best(n):
    if v := n.pick(lambda dims: len(dims) > 1 and dims[-1] > 4):
        dims = [*v.dims[:-1], 4]
        top, indices = n.op("TopK", [v.name, n.ints(4)], dims, {"axis": -1}, outputs=2)
        if n.chance(0.6):
            n.op("Add", [top, n.cast(indices, n.float, dims)], dims)


def largest(n):
    v = n.pick(lambda dims: len(dims) > 1)
    if not v:
        return
    dims, axis = [*v.dims[:-1], 1], len(v.dims) - 1
    index = n.op(n.among(["ArgMax", "ArgMin"]), [v.name], dims, {"axis": axis, "keepdims": 1}, "int64")
    if n.chance(0.5):
        n.op("Mul", [v.name, n.cast(index, n.float, dims)], v.dims)
    elif n.opset > 10:
        n.op("GatherElements", [v.name, index], dims, {"axis": axis})


def look_up(n):
    if v := n.pick(lambda dims: len(dims) > 1):
        dims = v.dims[:-1]
        index = n.op("ArgMax", [v.name], dims, {"axis": len(dims), "keepdims": 0}, "int64")
        n.op("Gather", [n.weight([v.dims[-1], 8], 1), index], [*dims, 8], {"axis": 0})


def pool_indices(n):
    if v := n.image(_poolable):
        dims = _halved(v.dims)
        y, indices = n.op("MaxPool", [v.name], dims, HALVES, outputs=2)
        n.op("Add", [y, n.op("Mul", [n.cast(indices, n.float, dims), n.scalar(0.01)], dims)], dims)


# ---- types ----

def detour(n):
    """Through the other float type."""
    v, other = n.pick(), "float16" if n.float == "float32" else "float32"
    like = n.opset > 14 and n.chance(0.5)
    if like:
        there = n.op("CastLike", [v.name, n.scalar(0, other)], v.dims, kind=other)
    else:
        there = n.cast(v.name, other, v.dims)
    inside = n.op("Relu", [there], v.dims, kind=other) if n.chance(0.5) else there
    if like:
        n.op("CastLike", [inside, v.name], v.dims)
    else:
        n.cast(inside, n.float, v.dims)


def filled(n):
    v = n.pick()
    shape = n.op("Shape", [v.name], [len(v.dims)], kind="int64")
    filling = n.op("ConstantOfShape", [shape], v.dims, {"value": array_of(n.float, [1], 0.5)})
    n.op("Add", [v.name, filling], v.dims)


# ---- graphs inside and functions ----

def choice(n):
    v = n.pick()
    inputs, attributes = n.axes(18, list(range(len(v.dims))))
    top = n.op("ReduceMax", [v.name, *inputs], [], {"keepdims": 0, **attributes})
    n.values = [one for one in n.values if one.name != top]
    taken = n.op("Greater", [top, n.scalar(1)], [], kind="bool")
    # Names that the rewriter would choose: they are taken already.
    inner = n.among([f"{v.name}_{end}" for end in ("scale", "quantized", "dequantized", "float16")])
    if inner in n.inner:
        return
    n.inner.append(inner)
    name = n.fresh("b")
    yes = [node("Constant", [], [inner], {"value": array_of(n.float, [], 0.5)}),
           node("Mul", [v.name, inner], [f"{name}_yes"])]
    no = [node("Neg", [v.name], [f"{name}_neg"]), node(n.among(["Relu", "Abs"]), [f"{name}_neg"], [f"{name}_no"])]
    n.op("If", [taken], v.dims, {f"{kind}_branch": graph_of(nodes, [], [value(nodes[1].output[0])])
                                 for kind, nodes in (("then", yes), ("else", no))})


def loop(n):
    v = n.pick()
    if n.opset < 11:
        return
    name, other = n.fresh("l"), n.like(v)
    body = graph_of(
        [node("Identity", [f"{name}_go"], [f"{name}_on"]), node("Add", [f"{name}_sum", other], [f"{name}_next"])],
        [value(f"{name}_step", "int64", []), value(f"{name}_go", "bool", []), value(f"{name}_sum", n.float, v.dims)],
        [value(f"{name}_on", "bool", []), value(f"{name}_next", n.float, v.dims)])
    n.read.add(other)
    n.op("Loop", [n.constant("int64", [], 2), n.constant("bool", [], 1), v.name], v.dims, {"body": body})


def call(n):
    v, name = n.pick(), f"Softened{len(n.functions)}"
    nodes = [node("Sigmoid", ["a"], ["s"]), node("Greater", ["a", "s"], ["g"]), node("Where", ["g", "a", "s"], ["b"])]
    n.functions.append(helper.make_function("local", name, ["a"], ["b"], nodes, [helper.make_opsetid("", n.opset)]))
    n.op(name, [v.name], v.dims, domain="local")


PIECES = [conv, deconv, activation, clip, pad, meet, concat, split, pool, mean, gate, resize, reshape, transpose, slice_half,
          squeeze, softmax, layer_norm, batch_norm, matmul, attention, gemm, gelu, where, masked_product, dropout, infinite,
          integers, narrow_integers, best, largest, look_up, pool_indices, detour, filled, choice, loop, call]
LAYERS = [conv, conv, conv, conv, activation, activation, matmul, gemm]
