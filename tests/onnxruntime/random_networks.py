"""A network of many types that grows, piece by piece: the parts of random_types.py."""

import math

import numpy
from graph_parts import node, value
from onnx import helper

WORD = 2 ** 32 - 1


def array_of(kind, dims, numbers):
    array = numpy.array(numpy.float64(numbers)).reshape(dims)
    return numpy.asarray(array > 0 if kind == "bool" else numpy.floor(array + 0.5) if kind == "int64" else array).astype(kind)


def type_of(kind):
    return helper.np_dtype_to_tensor_dtype(numpy.dtype(kind))


class Value:
    """A value: its name, its dims, its type."""

    def __init__(self, name, dims, kind):
        self.name, self.dims, self.kind = name, dims, kind

    def declared(self):
        return value(self.name, self.kind, self.dims)


class Network:
    """A network that grows. values: floats of the network's type; made: all values that nodes made; read: their names
    that nodes read; inner: names that graphs inside define."""

    def __init__(self, seed):
        # Marsaglia's xorshift: the same for a seed in every run.
        self.state = ((seed + 1) * 0x9e3779b1 ^ 0x85ebca6b) & WORD or 1
        self.opset = self.among([10, 11, 13, 15, 17, 17, 17, 18, 19, 21])
        self.float = "float16" if self.chance(0.2) else "float32"
        self.nodes, self.constants, self.functions, self.values, self.made, self.inner = [], {}, [], [], [], []
        self.read, self.count = set(), 0

    def random(self):
        self.state ^= self.state << 13 & WORD
        self.state ^= self.state >> 17
        self.state ^= self.state << 5 & WORD
        return self.state / 2 ** 32

    def chance(self, share):
        return self.random() < share

    def int(self, low, high):
        return low + int(self.random() * (high - low))

    def among(self, choices):
        return choices[self.int(0, len(choices))]

    def normal(self):
        return math.sqrt(-2 * math.log(1 - self.random())) * math.cos(2 * math.pi * self.random())

    def fresh(self, letter="v"):
        self.count += 1
        return f"{letter}{self.count - 1}"

    def constant(self, kind, dims, numbers):
        name = self.fresh("k")
        array = array_of(kind, dims, numbers)
        if self.chance(0.2):
            self.nodes.append(node("Constant", [], [name], {"value": array}))
        else:
            self.constants[name] = array
        return name

    def ints(self, *numbers):
        return self.constant("int64", [len(numbers)], numbers)

    def scalar(self, number, kind=None):
        return self.constant(kind or self.float, [], number)

    def weight(self, dims, scale):
        return self.constant(self.float, dims, [self.normal() * scale for _ in range(math.prod(dims))])

    def op(self, op, inputs, dims, attributes=None, kind=None, outputs=1, domain=""):
        kind = kind or self.float
        names = [self.fresh("v" if kind == self.float else "i") for _ in range(outputs)]
        self.nodes.append(node(op, inputs, names, attributes, domain))
        self.read.update(inputs)
        self.made.append(Value(names[0], dims, kind))
        if kind == self.float:
            self.values.append(self.made[-1])
        return names[0] if outputs == 1 else names

    def cast(self, name, kind, dims):
        return self.op("Cast", [name], dims, {"to": type_of(kind)}, kind)

    def pick(self, fits=lambda dims: True):
        """Returns one of the latest float values that fit."""
        fitting = [one for one in self.values[-8:] if fits(one.dims)]
        return self.among(fitting) if fitting else None

    def image(self, fits=lambda dims: True):
        found = self.pick(lambda dims: len(dims) == 4)
        return found if found and fits(found.dims) else None

    def like(self, v):
        others = [one.name for one in self.values if one.name != v.name and one.dims == v.dims]
        return self.among(others) if others else v.name

    def axes(self, since, axes):
        """Axes were attributes before the opset that made them inputs."""
        return ([], {"axes": axes}) if self.opset < since else ([self.ints(*axes)], {})

    def mask(self, v):
        """Makes a truth value of float values, which a cast or a choice brings back."""
        def compare():
            return self.op(self.among(["Greater", "Less", "Equal"][:2 if self.opset < 11 else 3]), [v.name, self.scalar(0)],
                           v.dims, kind="bool")
        mask = self.op("IsNaN", [self.among([v.name])], v.dims, kind="bool") if self.chance(0.15) else compare()
        if self.chance(0.3):
            mask = self.op("Not", [mask], v.dims, kind="bool")
        if self.chance(0.3):
            mask = self.op(self.among(["And", "Or", "Xor"]), [mask, compare()], v.dims, kind="bool")
        if self.chance(0.2):
            mask = self.op("Identity", [mask], v.dims, kind="bool")
        if self.chance(0.2):
            mask = self.op("Reshape", [mask, self.ints(*v.dims)], v.dims, kind="bool")
        return mask

    def move_back(self, name, kind, dims):
        """Moves a value through a Transpose, there and back."""
        if len(dims) < 2 or not self.chance(0.3):
            return name
        perm = list(range(len(dims)))[::-1]
        turned = self.op("Transpose", [name], dims[::-1], {"perm": perm}, kind)
        return self.op("Transpose", [turned], dims, {"perm": perm}, kind)

    def masked(self, v):
        return self.move_back(self.mask(v), "bool", v.dims)
