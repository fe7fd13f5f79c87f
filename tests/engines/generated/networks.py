"""The generated networks: BLOCKS, one a function of blocks_*.py, and operators in two forms (operators.py)."""

import zlib

import numpy
from graph import Graph

SAMPLES = 16  # to calibrate with, and as many to judge
OPSET = 17

BLOCKS = {}  # name: (stem, opset, function)


def _image(g, activation):
    return activation(g.conv(g.input("x", [1, 3, 16, 16]), 16))


def IMAGE(g):  # noqa: N802: the stems are constants of the table
    return _image(g, g.Relu)


def SIGNED(g):  # noqa: N802
    return _image(g, lambda x: x)


def TOKENS(g):  # noqa: N802
    return g.linear(g.input("x", [1, 12, 16]), 32)


def block(stem, opset=OPSET):
    def row(function):
        BLOCKS[function.__name__] = (stem, opset, function)
        return function
    return row


def _head(g, x):
    rank = len(g.shape(x))
    if rank == 2:
        return g.gemm(x, 8)
    return g.linear(x, 8) if rank == 3 else g.conv(x, 8)


def generate(name):
    """Returns the network of a name: (model, calibration samples, samples that judge), as {input: array}."""
    seed = zlib.crc32(name.encode())
    stem, opset, function = table()[name]
    g = Graph(opset, seed)
    ends = function(g, stem(g))
    ends = ends if isinstance(ends, list) else [_head(g, ends)]
    outputs = []
    for end in ends:
        g.shape(end)
        outputs.append(end)
    model = g.model(outputs)
    shapes = {value.name: [extent.dim_value for extent in value.type.tensor_type.shape.dim]
              for value in model.graph.input}
    return model, *({key: _samples(g.random, shape) for key, shape in shapes.items()} for _ in range(2))


def _samples(random, shape):
    """Returns samples of the shape without its batch axis: of different loudness, also from channel to channel."""
    gain = random.uniform(0.5, 1.5, [SAMPLES, *[1] * (len(shape) - 1)])
    values = random.normal(0, 1, [SAMPLES, *shape[1:]]) + random.normal(0, 0.5, [1, *shape[1:]])
    return (gain * values).astype(numpy.float32)


def table():
    """Returns all rows, {name: (stem, opset, function)}."""
    import blocks_forms  # noqa: F401
    import blocks_images  # noqa: F401
    import blocks_sequences  # noqa: F401
    import operators
    return BLOCKS | operators.table()


def in_slice(name):
    """Tells whether a network is judged at each landing: every block, and one operator in four."""
    return name in BLOCKS or zlib.crc32(name.encode()) % 8 == 0
