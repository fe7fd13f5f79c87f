"""Random networks of one input, each a pure function of its seed: layers, and the nodes around them in exported
models."""

import math

import numpy
from graph_parts import graph_of, model_of, node, value

WORD = 2 ** 32 - 1


class Stream:
    """Numbers of one stream; the same in every run. Mulberry32 of T. Ettinger."""

    def __init__(self, seed):
        self.state = seed * 2654435761 & WORD

    def next(self):
        self.state = self.state + 0x6d2b79f5 & WORD
        mixed = (self.state ^ self.state >> 15) * (1 | self.state) & WORD
        mixed ^= mixed + (mixed ^ mixed >> 7) * (61 | mixed) & WORD
        return (mixed ^ mixed >> 14) / 2 ** 32

    def normal(self):
        return math.sqrt(-2 * math.log(1 - self.next())) * math.cos(2 * math.pi * self.next())

    def chance(self, share):
        return self.next() < share

    def pick(self, choices):
        return choices[int(self.next() * len(choices))]


class Network(Stream):
    """A network that grows. values: [(name, dims)] of its data, constants: {name: array}."""

    def __init__(self, seed):
        super().__init__(seed)
        self.nodes, self.constants, self.values, self.count = [], {}, [], 0

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def constant(self, array):
        name = self.fresh("k")
        self.constants[name] = array
        return name

    def filled(self, dims, make):
        return self.constant(numpy.array([make() for _ in range(math.prod(dims))], numpy.float32).reshape(dims))

    def floats(self, dims, scale=1.0, mean=0.0):
        return self.filled(dims, lambda: mean + scale * self.normal())

    def weight(self, dims, fan=None):
        """Numbers whose products over every extent behind the first have the variance of the data."""
        return self.floats(dims, 1 / math.sqrt(fan or math.prod(dims[1:])))

    def number(self, number):
        return self.constant(numpy.float32(number))

    def ints(self, *numbers):
        return self.constant(numpy.array(numbers, numpy.int64))

    def add(self, op, inputs, dims, attributes=None):
        name = self.helper(op, inputs, attributes, "v")
        self.values.append((name, dims))
        return name

    def helper(self, op, inputs, attributes=None, prefix="h"):
        """A node whose result is no data: a mask, a weight."""
        name = self.fresh(prefix)
        self.nodes.append(node(op, inputs, [name], attributes))
        return name

    def value(self, fits=lambda dims: True):
        """Returns one of the last values that fit, so that networks grow deep."""
        found = [one for one in self.values[-8:] if fits(one[1])]
        return self.pick(found) if found else (None, None)

    def image(self, fits=lambda dims: True):
        return self.value(lambda dims: len(dims) == 4 and fits(dims))

    def like(self, name, dims):
        same = [other for other, others in self.values if other != name and others == dims]
        return self.pick(same) if same and self.chance(0.8) else name

    def maybe_computed(self, name):
        """Some constants are computed from others, as exporters leave them."""
        if not self.chance(0.15):
            return name
        array = self.constants[name]
        if array.ndim == 2 and self.chance(0.5):
            self.constants[name] = array.reshape(array.shape[::-1])
            return self.helper("Transpose", [name], {"perm": [1, 0]})
        return self.helper("Mul", [name, self.number(1.25)])

    def bias(self, channels):
        return [self.floats([channels], 0.3)] if self.chance(0.7) else []


def conv(net, depthwise=False):
    name, dims = net.image(lambda d: d[2] >= 3 and d[3] >= 3)
    if not name:
        return
    n, c, h, w = dims
    k, stride = net.pick([1, 3, 3]), net.pick([1, 1, 2])
    out = c if depthwise else net.pick([8, 16, 16, 32])
    group = c if depthwise else net.pick([1, 1, 1, 2])
    if c % group or out % group:
        return
    h, w = ((extent + 2 * (k // 2) - k) // stride + 1 for extent in (h, w))
    net.add("Conv", [name, net.maybe_computed(net.weight([out, c // group, k, k])), *net.bias(out)], [n, out, h, w],
            {"kernel_shape": [k, k], "pads": [k // 2] * 4, "strides": [stride, stride], "group": group})


def deconv(net):
    name, dims = net.image(lambda d: d[2] < 16 and d[3] < 16)
    if name:
        out, (n, c, h, w) = net.pick([8, 16]), dims
        net.add("ConvTranspose", [name, net.weight([c, out, 2, 2], c), *net.bias(out)], [n, out, 2 * h, 2 * w],
                {"kernel_shape": [2, 2], "strides": [2, 2]})


def activation(net):
    name, dims = net.value()
    op = net.pick(["Relu", "Relu", "Relu", "LeakyRelu", "Sigmoid", "HardSwish", "HardSigmoid", "Elu", "Tanh", "Abs",
                   "Softplus", "silu", "clip", "prelu", "gelu", "softmax", "logsoftmax"])

    def one(kind, inputs=(name,), **attributes):
        return net.add(kind, list(inputs), dims, attributes)

    if op == "silu":
        one("Mul", [name, one("Sigmoid")])
    elif op == "clip":
        one("Clip", [name, net.number(net.pick([0, 0, -1, 0.1])), net.number(net.pick([1, 6]))])
    elif op == "prelu":
        one("PRelu", [name, net.floats([dims[1], *(1 for _ in dims[2:])] if len(dims) > 2 else [1], 0.1, 0.2)])
    elif op == "gelu":
        bent = one("Add", [one("Erf", [one("Div", [name, net.number(1.4142)])]), net.number(1)])
        one("Mul", [one("Mul", [name, bent]), net.number(0.5)])
    elif op == "softmax":
        one("Softmax", axis=net.pick([1, -1]))
    elif op == "logsoftmax":
        one("LogSoftmax", axis=-1)
    else:
        one(op)


def arithmetic(net):
    name, dims = net.value()
    op = net.pick(["Add", "Add", "Add", "Mul", "Mul", "Sub", "Div", "Min", "Max", "Sum", "Where"])
    if op == "Where":
        mask = net.helper("Greater", [name, net.number(0)])
        net.add(op, [mask, name, net.like(name, dims) if net.chance(0.7) else net.number(0.5)], dims)
    elif op == "Sum":
        net.add(op, [name, net.like(name, dims), *([net.like(name, dims)] if net.chance(0.3) else [])], dims)
    elif op == "Div":
        net.add(op, [name, net.number(1.5)], dims)
    elif net.chance(0.35):
        axis = 1 if len(dims) == 4 else len(dims) - 1
        kept = net.chance(0.6)
        constant = net.floats([size if kept and at == axis else 1 for at, size in enumerate(dims)], 0.7)
        net.add(op, [name, constant] if net.chance(0.7) else [constant, name], dims)
    else:
        net.add(op, [name, net.like(name, dims)], dims)


def activated(net, name, dims):
    """The usual nodes behind a product in exported models."""
    if not net.chance(0.35):
        return
    if net.chance(0.6):
        net.add("Relu", [name], dims)
    else:
        net.add("Clip", [name, net.number(net.pick([0, -1, 0.1])), net.number(6)], dims)


def turned(dims):
    return [*range(len(dims) - 2), len(dims) - 1, len(dims) - 2]


def product(net):
    """MatMul, with a constant on either side and an Add of every form behind it, or of two activations."""
    name, dims = net.value(lambda d: len(d) >= 2 and 1 < d[-1] <= 128)
    if not name:
        return
    *front, rows, last = dims
    out = net.pick([16, 24, 32])
    if net.chance(0.15):
        if front:
            perm = turned(dims)
            other = net.add("Transpose", [name], [dims[axis] for axis in perm], {"perm": perm})
            net.add("MatMul", [name, other], [*front, rows, rows])
        return
    if net.chance(0.15):
        net.add("MatMul", [net.weight([out, rows]), name], [*front, out, last])
        return
    dims = [*front, rows, out]
    name = net.add("MatMul", [name, net.maybe_computed(net.weight([last, out], last))], dims)
    if not net.chance(0.4):
        added = net.floats(net.pick([[out], [out], [out], [1, out], [rows, out], [rows, 1], [1], []]), 0.3)
        name = net.add("Add", [name, added] if net.chance(0.5) else [added, name], dims)
    activated(net, name, dims)


def gemm(net):
    name, dims = net.value(lambda d: math.prod(d[1:]) <= 1024)
    if not name:
        return
    n, k = dims[0], math.prod(dims[1:])
    out, trans_b = net.pick([16, 20, 32]), int(net.chance(0.5))
    flat = name if len(dims) == 2 else net.add("Flatten", [name], [n, k])
    added = [net.floats(net.pick([[out], [out], [out], [1, out], [1], [], [n, 1]]), 0.3)] if net.chance(0.8) else []
    weight = net.weight([out, k] if trans_b else [k, out], k)
    factors = {"alpha": 0.5, "beta": 2.0} if net.chance(0.1) else {}
    activated(net, net.add("Gemm", [flat, weight, *added], [n, out], {"transB": trans_b, **factors}), [n, out])


def pooling(net):
    name, dims = net.image(lambda d: d[2] >= 4 and d[3] >= 4)
    if not name:
        return
    n, c, h, w = dims
    op = net.pick(["MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "ReduceMean", "ReduceMax"])
    if op.startswith("Global"):
        net.add(op, [name], [n, c, 1, 1])
    elif op.startswith("Reduce"):
        net.add(op, [name], [n, c, 1, 1], {"axes": [2, 3], "keepdims": 1})
    else:
        net.add(op, [name], [n, c, h // 2, w // 2], {"kernel_shape": [2, 2], "strides": [2, 2]})


def resize(net):
    name, dims = net.image(lambda d: d[2] < 16 and d[3] < 16)
    if name:
        n, c, h, w = dims
        mode = net.pick(["nearest", "linear"])
        more = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"} if mode == "nearest" else {}
        net.add("Resize", [name, "", net.constant(numpy.array([1, 1, 2, 2], numpy.float32))], [n, c, 2 * h, 2 * w],
                {"mode": mode, **more})


def concat(net):
    name, dims = net.image()
    if not name:
        return
    others = [one for one in net.values if len(one[1]) == 4 and one[1][2:] == dims[2:]]
    joined = [(name, dims), net.pick(others), *([net.pick(others)] if net.chance(0.3) else [])]
    channels = sum(extents[1] for _, extents in joined)
    if channels <= 128:
        net.add("Concat", [other for other, _ in joined], [dims[0], channels, *dims[2:]], {"axis": 1})


def copy(net):
    op = net.pick(["Reshape", "Transpose", "Transpose", "Slice", "Slice", "Split", "Pad", "Gather", "Tile", "SpaceToDepth",
                   "DepthToSpace", "Identity", "Dropout", "Unsqueeze", "Flatten", "Expand"])
    if op in ("Identity", "Dropout", "Transpose", "Flatten", "Unsqueeze"):
        copy_of_any(net, op, *net.value())
    else:
        name, dims = net.image()
        if name:
            copy_of_image(net, op, name, dims)


def copy_of_any(net, op, name, dims):
    if op == "Flatten":
        net.add(op, [name], [dims[0], math.prod(dims[1:])])
    elif op == "Unsqueeze":
        if len(dims) < 4:
            net.add(op, [name, net.ints(1)], [dims[0], 1, *dims[1:]])
    elif op == "Transpose":
        perm = list(range(len(dims)))
        i, j = (1 + int(net.next() * (len(perm) - 1)) for _ in range(2))
        perm[i], perm[j] = perm[j], perm[i]
        net.add(op, [name], [dims[axis] for axis in perm], {"perm": perm})
    else:
        net.add(op, [name], dims)


def copy_of_image(net, op, name, dims):
    n, c, h, w = dims
    if op == "Reshape":
        net.add(op, [name, net.ints(n, c, -1)], [n, c, h * w])
    elif op == "Slice" and c >= 4:
        net.add(op, [name, net.ints(0), net.ints(c // 2), net.ints(1)], [n, c // 2, h, w])
    elif op == "Split" and c % 2 == 0:
        names = [net.fresh("v"), net.fresh("v")]
        net.nodes.append(node(op, [name], names, {"axis": 1}))
        net.values += [(one, [n, c // 2, h, w]) for one in names]
    elif op == "Pad" and h < 16:
        net.add(op, [name, net.ints(0, 0, 1, 1, 0, 0, 1, 1), *([net.number(0.5)] if net.chance(0.3) else [])],
                [n, c, h + 2, w + 2])
    elif op == "Gather" and c >= 4:
        net.add(op, [name, net.ints(0, 2, 3)], [n, 3, h, w], {"axis": 1})
    elif op == "Tile" and c <= 16:
        net.add(op, [name, net.ints(1, 2, 1, 1)], [n, 2 * c, h, w])
    elif op == "Expand" and h == w == 1:
        net.add(op, [name, net.ints(n, c, 4, 4)], [n, c, 4, 4])
    elif op == "SpaceToDepth" and h % 2 == w % 2 == 0 and c <= 16:
        net.add(op, [name], [n, 4 * c, h // 2, w // 2], {"blocksize": 2})
    elif op == "DepthToSpace" and c % 4 == 0 and h < 16:
        net.add(op, [name], [n, c // 4, 2 * h, 2 * w], {"blocksize": 2})


def norm(net):
    name, dims = net.value(lambda d: d[-1] > 1)
    if not name:
        return
    if net.chance(0.5) and len(dims) == 4:
        scaled = [(1, 0.5), (1, -0.5), (1, -0.5), (1, 0.3)]
        vectors = [net.filled([dims[1]], lambda scale=scale, mean=mean: mean + scale * net.next()) for scale, mean in scaled]
        net.add("BatchNormalization", [name, *vectors], dims)
    else:
        net.add("LayerNormalization", [name, net.floats([dims[-1]], 0.2, 1), net.floats([dims[-1]], 0.2)], dims, {"axis": -1})


def gate(net):
    """Squeeze-and-excite."""
    name, dims = net.image(lambda d: d[1] >= 8)
    if not name:
        return
    small = [*dims[:2], 1, 1]

    def layer(source):
        return net.add("Conv", [source, net.weight([dims[1], dims[1], 1, 1])], small, {"kernel_shape": [1, 1]})

    pooled = net.add("GlobalAveragePool", [name], small)
    gates = net.add("Sigmoid", [layer(net.add("Relu", [layer(pooled)], small))], small)
    net.add("Mul", [name, gates] if net.chance(0.5) else [gates, name], dims)


_COUNTS = [(6, conv), (1, lambda net: conv(net, True)), (1, deconv), (5, activation), (5, arithmetic), (3, product), (1, gemm),
          (2, pooling), (1, resize), (2, concat), (4, copy), (1, norm), (1, gate)]
_PIECES = [piece for count, piece in _COUNTS for _ in range(count)]


def random_graph(seed):
    """Returns (an ONNX model of opset 17 with input 'x', the extents of 'x')."""
    net = Network(seed)
    extent = net.pick([8, 12])
    dims = [1, net.pick([3, 8, 16]), extent, extent]
    net.values.append(("x", dims))
    step, steps = 0, 6 + int(net.next() * 10)
    while step < steps or len(net.values) < 3:
        net.pick(_PIECES)(net)
        step += 1
    read = {name for one in net.nodes for name in one.input}
    outputs = [one for one in net.values[1:] if one[0] not in read][:4]
    inner = [one for one in net.values[1:] if one[0] in read]
    if inner and net.chance(0.2):
        outputs.append(net.pick(inner))
    # Removes nodes that no output needs.
    needed, nodes = {name for name, _ in outputs}, []
    for one in reversed(net.nodes):
        if needed.intersection(one.output):
            nodes.insert(0, one)
            needed.update(one.input)
    graph = graph_of(nodes, [value("x", dims=dims)], [value(name, dims=extents) for name, extents in outputs],
                     {name: array for name, array in net.constants.items() if name in needed})
    return model_of(graph, 17), dims
