"""Graphs of several nodes: chains that an executor fuses, and random graphs whose values are used twice, viewed and returned."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from cases import Case

OPSET = 20


class Builder:
    def __init__(self, draw, name):
        self.draw, self.name = draw, name
        self.nodes, self.inputs, self.values, self.constants, self.shapes = [], [], [], [], {}

    def input(self, *shape):
        name = f"in{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        self.values.append(self.draw.normal(*shape))
        self.shapes[name] = tuple(shape)
        return name

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def node(self, op, inputs, shape, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        self.shapes[name] = tuple(shape)
        return name

    def case(self, outputs):
        infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, self.shapes[name]) for name in outputs]
        graph = helper.make_graph(self.nodes, self.name, self.inputs, infos, self.constants)
        return Case(self.name, "", self.values, OPSET, len(outputs), {}, graph)


def producer(b):
    draw = b.draw
    kind = draw.pick("Conv", "Conv", "ConvTranspose", "Gemm", "MatMul", "Add")
    if kind == "Conv":
        groups, kernel = draw.pick(1, 1, 2, 8), draw.pick(1, 3)
        x = b.input(2, 8, 6, 5)
        w = b.constant(draw.normal(8, 8 // groups, kernel, kernel, scale=0.4))
        extra = [b.constant(draw.normal(8))] if draw.pick(True, False) else []
        return b.node("Conv", [x, w, *extra], (2, 8, 6, 5), group=groups, pads=[kernel // 2] * 4)
    if kind == "ConvTranspose":
        x = b.input(2, 4, 3, 3)
        return b.node("ConvTranspose", [x, b.constant(draw.normal(4, 8, 2, 2))], (2, 8, 6, 6), strides=[2, 2])
    if kind == "Gemm":
        bias = b.constant(draw.normal(*draw.pick((8,), (1, 8), (5, 1), ())))
        return b.node("Gemm", [b.input(5, 6), b.constant(draw.normal(8, 6)), bias], (5, 8), transB=1, alpha=draw.pick(1.0, 0.6), beta=draw.pick(1.0, 0.3))
    if kind == "MatMul":
        return b.node("MatMul", [b.input(2, 3, 6), b.constant(draw.normal(6, 8))], (2, 3, 8))
    return b.node("Add", [b.input(2, 8, 3, 3), b.input(8, 1, 1)], (2, 8, 3, 3))


def follower(b, x):
    draw, shape = b.draw, b.shapes[x]
    channels = (1, shape[1]) + (1,) * (len(shape) - 2) if len(shape) == 4 else (shape[-1],)
    op = draw.pick("Relu", "LeakyRelu", "Clip", "Sigmoid", "Tanh", "Elu", "HardSwish", "HardSigmoid", "Gelu", "Mish", "Silu", "Channel", "Scalar", "Residual", "BatchNormalization",
                   "Softplus", "PRelu", "Abs", "Sqrt")
    if op == "Clip":
        return b.node("Clip", [x, b.constant(np.array(-0.3, np.float32)), b.constant(np.array(1.1, np.float32))], shape)
    if op in ("LeakyRelu", "Elu", "HardSigmoid"):
        return b.node(op, [x], shape, alpha=draw.pick(0.1, 0.3))
    if op == "Gelu":
        return b.node(op, [x], shape, approximate=draw.pick("none", "tanh"))
    if op == "Silu":
        return b.node("Mul", [x, b.node("Sigmoid", [x], shape)][:: draw.pick(1, -1)], shape)
    if op in ("Channel", "Scalar"):
        operand = b.constant(draw.uniform(0.5, 2, *(channels if op == "Channel" else draw.pick((), (1,)))))
        return b.node(draw.pick("Add", "Mul", "Sub", "Div"), [x, operand][:: draw.pick(1, 1, -1)], shape)
    if op == "Residual":
        return b.node(draw.pick("Add", "Mul", "Sub"), [x, b.input(*shape)][:: draw.pick(1, -1)], shape)
    if op == "BatchNormalization" and len(shape) > 2:
        count = shape[1]
        return b.node(op, [x, *[b.constant(draw.normal(count)) for _ in range(3)], b.constant(draw.uniform(0.5, 2, count))], shape)
    if op == "PRelu":
        return b.node(op, [x, b.constant(draw.uniform(0, 1, *channels))], shape)
    if op == "Sqrt":
        return b.node("Sqrt", [b.node("Abs", [x], shape)], shape)
    return b.node("Relu" if op == "BatchNormalization" else op, [x], shape)


def chain(draw, i):
    b = Builder(draw, f"chain_{i}")
    steps = [producer(b)]
    for _ in range(int(draw.rng.integers(1, 6))):
        steps.append(follower(b, steps[-1]))
    between = [steps[int(draw.rng.integers(len(steps) - 1))]] if draw.pick(True, False, False) else []
    return b.case([*between, steps[-1]])


def view(b, x):
    """A node that need not copy."""
    draw, shape = b.draw, b.shapes[x]
    kind = draw.pick("Reshape", "Transpose", "Unsqueeze", "Identity", "Slice", "Flatten")
    if kind == "Reshape":
        to = (shape[0] * shape[1], *shape[2:])
        return b.node("Reshape", [b.node("Reshape", [x, b.constant(np.array(to, np.int64))], to), b.constant(np.array(shape, np.int64))], shape)
    if kind == "Transpose":
        order = [0, 2, 1, *range(3, len(shape))]
        return b.node("Transpose", [x], [shape[a] for a in order], perm=order)
    if kind == "Unsqueeze":
        axis = b.constant(np.array([1], np.int64))
        wide = b.node("Unsqueeze", [x, axis], (shape[0], 1, *shape[1:]))
        return b.node("Squeeze", [b.node("Relu", [wide], b.shapes[wide]), axis], shape)
    if kind == "Slice":
        start = [b.constant(np.array([v], np.int64)) for v in (0, shape[1], 1)]
        return b.node("Slice", [x, *start], shape)
    if kind == "Flatten":
        flat = b.node("Flatten", [x], (shape[0], int(np.prod(shape[1:]))))
        return b.node("Reshape", [flat, b.constant(np.array(shape, np.int64))], shape)
    return b.node(kind, [x], shape)


def step(b, names):
    draw = b.draw
    x = names[int(draw.rng.integers(len(names)))]
    same = [n for n in names if b.shapes[n] == b.shapes[x]]
    y = same[int(draw.rng.integers(len(same)))]
    kind = draw.pick("binary", "binary", "unary", "view", "conv", "split", "reduce", "softmax", "where")
    shape = b.shapes[x]
    if kind == "binary":
        return b.node(draw.pick("Add", "Mul", "Sub", "Max", "Min"), [x, y], shape)
    if kind == "unary":
        return b.node(draw.pick("Relu", "Tanh", "Sigmoid", "Neg", "Abs", "Gelu"), [x], shape)
    if kind == "view":
        return view(b, x)
    if kind == "conv" and len(shape) == 4:
        return b.node("Conv", [x, b.constant(draw.normal(shape[1], shape[1], 3, 3, scale=0.3))], shape, pads=[1] * 4)
    if kind == "split":
        half = b.node("Concat", [x, y], (shape[0], 2 * shape[1], *shape[2:]), axis=1)
        b.nodes.append(helper.make_node("Split", [half], [f"{half}a", f"{half}b"], axis=1, num_outputs=2))
        b.shapes[f"{half}a"] = b.shapes[f"{half}b"] = shape
        return f"{half}{draw.pick('a', 'b')}"
    if kind == "reduce":
        return b.node("Sub", [x, b.node("ReduceMean", [x, b.constant(np.array([1], np.int64))], (shape[0], 1, *shape[2:]))], shape)
    if kind == "where":
        positive = b.node("Greater", [x, b.constant(np.array(0, np.float32))], shape)
        return b.node("Where", [positive, x, y], shape)
    return b.node("Softmax", [x], shape, axis=draw.pick(1, -1))


def random_graph(draw, i):
    b = Builder(draw, f"graph_{i}")
    shape = draw.pick((2, 4, 4, 5), (2, 3, 6), (3, 3, 3, 3))
    names = [b.input(*shape), b.input(*shape)]
    for _ in range(int(draw.rng.integers(3, 16))):
        names.append(step(b, names))
    inner = [n for n in names[2:] if n != names[-1]]
    outputs = [n for n in dict.fromkeys(inner) if draw.pick(True, False, False, False)]
    return b.case([*outputs, names[-1]])


def cases(draw):
    for i in range(200):
        yield chain(draw, i)
    for i in range(300):
        yield random_graph(draw, i)
