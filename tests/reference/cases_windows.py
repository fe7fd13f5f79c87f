"""Pools, Conv, ConvTranspose and MaxUnpool."""

import numpy as np

from cases import FLOATS, case, i64

SHAPES = {1: (2, 3, 11), 2: (2, 3, 9, 10), 3: (1, 2, 5, 6, 7)}
AUTO = ("SAME_UPPER", "SAME_LOWER", "VALID")


def geometries(draw, rank, dilated=True):
    """(name, attributes) of a window."""
    kernel = [3, 2, 3][:rank]
    strides = [2, 3, 1][:rank]
    dilations = [2, 3, 1][:rank]
    yield "plain", {"kernel_shape": kernel}
    yield "strides", {"kernel_shape": kernel, "strides": strides}
    yield "pads", {"kernel_shape": kernel, "strides": strides, "pads": [1] * rank + [1] + [0] * (rank - 1)}
    for auto in AUTO:
        yield auto, {"kernel_shape": kernel, "strides": strides, "auto_pad": auto}
    if dilated:
        yield "dilations", {"kernel_shape": kernel, "dilations": dilations}
        yield "dilations_pads", {"kernel_shape": kernel, "dilations": dilations, "strides": strides, "pads": [1] * 2 * rank}
        for auto in AUTO:
            yield auto + "_dilations", {"kernel_shape": kernel, "dilations": dilations, "auto_pad": auto}


def max_pool(draw):
    for rank, shape in SHAPES.items():
        for opset in (8, 12, 22):
            for name, attributes in geometries(draw, rank, opset > 8):
                for ceil in (0, 1) if opset > 8 else (0,):
                    for order in (0, 1) if rank == 2 else (0,):
                        extra = {"ceil_mode": ceil} if opset > 8 else {}
                        tag = f"max_{rank}d_{opset}_{name}_ceil{ceil}_order{order}"
                        yield case(tag, "MaxPool", [draw.normal(*shape)], opset, 2, storage_order=order, **extra, **attributes)
    for dtype in ("int8", "uint8"):
        yield case(f"max_{dtype}", "MaxPool", [draw.integers(0, 100, 1, 2, 6, 6, dtype=dtype)], 12, 2, kernel_shape=[2, 2], pads=[1, 1, 1, 1])
    for name, dtype in FLOATS.items():
        yield case(f"max_{name}", "MaxPool", [draw.normal(1, 2, 6, 6, dtype=dtype)], 22, kernel_shape=[2, 3], ceil_mode=1, strides=[2, 2])
    ties = draw.integers(0, 2, 1, 2, 7, 7).astype(np.float32)
    yield case("max_ties", "MaxPool", [ties], 22, 2, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])


def average_pool(draw):
    for rank, shape in SHAPES.items():
        for opset in (7, 11, 19, 22):
            for name, attributes in geometries(draw, rank, opset >= 19):
                for ceil in (0, 1) if opset > 7 else (0,):
                    for include in (0, 1):
                        extra = {"ceil_mode": ceil} if opset > 7 else {}
                        yield case(f"average_{rank}d_{opset}_{name}_ceil{ceil}_include{include}", "AveragePool", [draw.normal(*shape)], opset, count_include_pad=include,
                                   **extra, **attributes)


def lp_pool(draw):
    for rank, shape in SHAPES.items():
        for opset in (11, 18, 22):
            for name, attributes in geometries(draw, rank, opset >= 18):
                for ceil in (0, 1) if opset >= 18 else (0,):
                    extra = {"ceil_mode": ceil} if ceil else {}
                    yield case(f"lp_{rank}d_{opset}_{name}_ceil{ceil}", "LpPool", [draw.normal(*shape)], opset, p=draw.pick(1, 2, 3), **extra, **attributes)
    x = draw.normal(2, 3, 4, 5)
    for op in ("GlobalAveragePool", "GlobalMaxPool"):
        yield case(op, op, [x], 22)
    for p in (1, 2, 3):
        yield case(f"GlobalLpPool_{p}", "GlobalLpPool", [x], 21, p=p)


def conv(draw):
    for rank, shape in SHAPES.items():
        for name, attributes in geometries(draw, rank):
            for groups in (1, shape[1]):
                w = draw.normal(2 * shape[1], shape[1] // groups, *attributes["kernel_shape"])
                inputs = [draw.normal(*shape), w] + ([draw.normal(2 * shape[1])] if groups == 1 else [])
                yield case(f"conv_{rank}d_{name}_group{groups}", "Conv", inputs, 22, group=groups, **attributes)
    for name, dtype in FLOATS.items():
        yield case(f"conv_{name}", "Conv", [draw.normal(1, 2, 5, 5, dtype=dtype), draw.normal(3, 2, 3, 3, dtype=dtype)], 22)


def conv_transpose(draw):
    for rank in (1, 2, 3):
        shape = {1: (2, 4, 5), 2: (2, 4, 4, 5), 3: (1, 4, 3, 4, 2)}[rank]
        for name, attributes in geometries(draw, rank):
            for groups in (1, 2):
                inputs = [draw.normal(*shape), draw.normal(4, 3, *attributes["kernel_shape"])] + ([draw.normal(3 * groups)] if groups == 2 else [])
                yield case(f"transpose_{rank}d_{name}_group{groups}", "ConvTranspose", inputs, 22, group=groups, **attributes)
        kernel, strides = [3, 2, 3][:rank], [2, 3, 2][:rank]
        inputs = [draw.normal(*shape), draw.normal(4, 3, *kernel)]
        yield case(f"transpose_{rank}d_output_padding", "ConvTranspose", inputs, 22, strides=strides, output_padding=[1, 2, 1][:rank])
        full = [(n - 1) * s + k for n, s, k in zip(shape[2:], strides, kernel)]
        for auto in ("NOTSET", "SAME_UPPER", "SAME_LOWER"):
            for change in (-1, -2, 1):
                wanted = [n + change for n in full]
                yield case(f"transpose_{rank}d_shape_{auto}_{change}".replace("-", "m"), "ConvTranspose", inputs, 22, strides=strides, output_shape=wanted, auto_pad=auto)


def unpool(draw):
    x = draw.normal(1, 2, 2, 3)
    index = np.stack([np.sort(draw.rng.permutation(24)[:6]).reshape(2, 3) + c * 24 for c in range(2)])[None].astype(np.int64)
    yield case("unpool", "MaxUnpool", [x, index], 22, kernel_shape=[2, 2], strides=[2, 2])
    yield case("unpool_shape", "MaxUnpool", [x, index, i64(1, 2, 5, 7)], 22, kernel_shape=[2, 2], strides=[2, 2])


def cases(draw):
    for family in (max_pool, average_pool, lp_pool, conv, conv_transpose, unpool):
        yield from family(draw)
