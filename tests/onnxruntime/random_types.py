"""Small random networks that an exporter could have written: convolutions and products, copies, branches that meet, and
between them integers, truth values, FP16, graphs inside and functions. No value inside declares its type, so readers
have to infer it."""

import math

from graph_parts import graph_of, model_of
from random_networks import Network, Value, array_of
from random_pieces import LAYERS, PIECES


def begin(n):
    """Makes the image, as floats or as cameras and tokenizers give it."""
    dims = [1, n.among([3, 8]), 8, 8]
    kind = n.among([n.float, n.float, "uint8", "int64", "bool", "int32"])
    image = Value("x", dims, kind)
    if kind == n.float:
        n.values.append(image)
    else:
        n.cast("x", n.float, dims)
    return image


def random_graph(seed):
    """Returns (model, samples(count): a stack of them, with the input's batch of 1 as first axis); None for a few seeds
    that make no node."""
    n = Network(seed)
    image = begin(n)
    for _ in range(n.int(5, 16)):
        (n.among(LAYERS) if n.chance(0.4) else n.among(PIECES))(n)
    if not n.made:
        return None
    outputs = [one for one in n.made if one.name not in n.read][:4] or n.made[-1:]
    graph = graph_of(n.nodes, [image.declared()], [one.declared() for one in outputs], n.constants)
    model = model_of(graph, n.opset, ["local"] if n.functions else [], n.functions, 10 if n.opset > 18 else 8)

    def samples(count):
        def number():
            return n.normal() if image.kind.startswith("float") else n.int(0, 2) if image.kind == "bool" else n.int(0, 9)
        dims = [count, *image.dims[1:]]
        return array_of(image.kind, dims, [number() for _ in range(math.prod(dims))])
    return model, samples
