"""Gather*, Scatter*, TensorScatter, TopK, Unique, OneHot, Compress, NonZero, Where and ArgMax."""

import numpy as np

from cases import BFLOAT16, FLOATS, case, f32, i64


def gathers(draw):
    x = draw.normal(4, 5, 6)
    for axis in (0, 1, -1):
        for shape in ((), (3,), (2, 3)):
            index = draw.integers(-x.shape[axis], x.shape[axis] - 1, *shape)
            yield case(f"gather_{axis}_{len(shape)}".replace("-", "m"), "Gather", [x, index], 13, axis=axis)
        index = draw.integers(-x.shape[axis], x.shape[axis] - 1, 3, 4, 5, dtype=np.int32)
        yield case(f"gatherelements_{axis}".replace("-", "m"), "GatherElements", [x, index], 13, axis=axis)
    yield case("gathernd", "GatherND", [x, draw.integers(-4, 3, 3, 2, 2)], 13)
    yield case("gathernd_full", "GatherND", [x, draw.integers(-4, 3, 5, 3)], 13)
    yield case("gathernd_batch", "GatherND", [x, draw.integers(-5, 4, 4, 3, 1)], 13, batch_dims=1)
    yield case("gathernd_batch2", "GatherND", [x, draw.integers(-6, 5, 4, 5, 1)], 13, batch_dims=2)


def scatters(draw):
    for reduction in ("none", "add", "mul", "min", "max"):
        for name, dtype in {**FLOATS, "int32": np.dtype(np.int32), "uint8": np.dtype(np.uint8)}.items():
            value = lambda *shape: draw.integers(0, 4, *shape, dtype=dtype) if dtype.kind in "iu" else draw.normal(*shape, dtype=dtype)
            for axis in (0, -1):
                index = draw.integers(-3, 2, 2, 3, dtype=np.int64)
                if reduction == "none":
                    index = np.array([[0, -2, 2], [1, 2, 0]]) if axis == 0 else np.array([[0, -2, 2], [1, 2, 0]])
                yield case(f"scatterelements_{reduction}_{name}_{axis}".replace("-", "m"), "ScatterElements", [value(3, 3), index, value(2, 3)], 18, axis=axis,
                           reduction=reduction)
            index = draw.integers(-4, 3, 5, 1) if reduction != "none" else i64(0, -2, 3, 1).reshape(4, 1)
            yield case(f"scatternd_{reduction}_{name}", "ScatterND", [value(4, 2, 3), index, value(len(index), 2, 3)], 18, reduction=reduction)
            index = draw.integers(0, 1, 2, 3, 2)
            if reduction != "none":
                yield case(f"scatternd_points_{reduction}_{name}", "ScatterND", [value(4, 2, 3), index, value(2, 3, 3)], 16 if reduction in ("add", "mul") else 18, reduction=reduction)


def tensor_scatter(draw):
    for mode in ("linear", "circular"):
        for axis in (-2, 1, -1):
            shape = (2, 5, 6, 3)
            update = list(shape)
            update[axis] = 2
            top = shape[axis] - 2 if mode == "linear" else shape[axis] + 3
            indices = draw.integers(0, top, 2)
            yield case(f"tensorscatter_{mode}_{axis}".replace("-", "m"), "TensorScatter", [draw.normal(*shape), draw.normal(*update), indices], 24, axis=axis, mode=mode)
        yield case(f"tensorscatter_{mode}_default", "TensorScatter", [draw.normal(2, 6, 3), draw.normal(2, 4, 3)], 24, mode=mode)
    yield case("tensorscatter_bfloat16", "TensorScatter", [draw.normal(2, 6, 3, dtype=BFLOAT16), draw.normal(2, 2, 3, dtype=BFLOAT16), i64(1, 3)], 24)


def top_k(draw):
    for largest in (0, 1):
        for axis in (0, 1, -1):
            yield case(f"topk_{largest}_{axis}".replace("-", "m"), "TopK", [draw.normal(5, 4, 6), i64(3)], 11, 2, largest=largest, axis=axis)
            yield case(f"topk_ties_{largest}_{axis}".replace("-", "m"), "TopK", [draw.integers(0, 3, 5, 4, 6).astype(np.float32), i64(4)], 11, 2, largest=largest, axis=axis)
        for name, dtype in {**FLOATS, "int64": np.dtype(np.int64), "uint8": np.dtype(np.uint8)}.items():
            yield case(f"topk_{name}_{largest}", "TopK", [draw.integers(0, 50, 4, 9).astype(dtype), i64(5)], 24, 2, largest=largest)
    yield case("topk_zero", "TopK", [draw.normal(3, 4), i64(0)], 11, 2)


def uniques(draw):
    for order in (0, 1):
        x = draw.integers(0, 3, 4, 3).astype(np.float32)
        yield case(f"unique_flat_{order}", "Unique", [x], 11, 4, sorted=order)
        for axis in (0, 1, -1):
            y = draw.integers(0, 1, 5, 2, 3).astype(np.int64) if axis == 0 else draw.integers(0, 1, 2, 6).astype(np.float32)
            yield case(f"unique_{axis}_{order}".replace("-", "m"), "Unique", [y], 11, 4, sorted=order, axis=axis)
    yield case("unique_string", "Unique", [np.array(["b", "a", "b", "cc", ""], dtype=object)], 11, 4)
    yield case("unique_nan", "Unique", [f32(1, np.nan, 0, np.nan, 1)], 11, 4)
    for dtype in (np.int8, np.uint16, np.float64, bool):
        yield case(f"unique_{np.dtype(dtype).name}", "Unique", [draw.integers(0, 1 if dtype is bool else 4, 9).astype(dtype)], 11, 4)
    yield case("unique_half", "Unique", [draw.integers(0, 3, 9).astype(BFLOAT16)], 28, 4)


def one_hots(draw):
    for axis in (-1, 0, 1, -2):
        index = draw.integers(-7, 6, 3, 4)
        yield case(f"onehot_{axis}".replace("-", "m"), "OneHot", [index, np.array(5), f32(2, 7)], 11, axis=axis)
    yield case("onehot_depth1", "OneHot", [draw.integers(0, 3, 4, dtype=np.int32), np.array([4]), np.array([0, 1], np.int64)], 11)
    yield case("onehot_float", "OneHot", [f32(0, 2, -1, 1), np.float32(3).reshape(()), np.array([0, 1], np.uint8)], 11)
    yield case("onehot_bfloat16", "OneHot", [i64(0, 2), np.array(3), np.array([0, 1], BFLOAT16)], 28)


def choices(draw):
    x = draw.normal(3, 4)
    for axis, n in ((0, 3), (1, 3), (-1, 4), (None, 9)):
        extra = {} if axis is None else {"axis": axis}
        yield case(f"compress_{axis}".replace("-", "m"), "Compress", [x, draw.bools(n)], 11, **extra)
    yield case("nonzero", "NonZero", [draw.integers(0, 1, 3, 4, 2).astype(np.float32)], 13)
    yield case("nonzero_scalar", "NonZero", [np.float32(3).reshape(())], 13)
    yield case("nonzero_bool", "NonZero", [draw.bools(7)], 13)
    yield case("where", "Where", [draw.bools(3, 1), draw.normal(1, 4), draw.normal(2, 3, 4)], 16)
    yield case("where_int", "Where", [draw.bools(4), draw.integers(0, 9, 3, 1), draw.integers(0, 9, 4)], 16)
    for op in ("ArgMax", "ArgMin"):
        for axis in (0, -1):
            for last in (0, 1):
                for keep in (0, 1):
                    x = draw.integers(0, 3, 5, 4, 6).astype(np.float32)
                    yield case(f"{op}_{axis}_{last}_{keep}".replace("-", "m"), op, [x], 13, axis=axis, select_last_index=last, keepdims=keep)
        for name, dtype in {**FLOATS, "int8": np.dtype(np.int8), "uint32": np.dtype(np.uint32)}.items():
            yield case(f"{op}_{name}", op, [draw.integers(0, 9, 5, 7).astype(dtype)], 13, axis=1)
        yield case(f"{op}_nan", op, [f32(1, np.nan, 5, np.nan, -2)], 13)


def cases(draw):
    for family in (gathers, scatters, tensor_scatter, top_k, uniques, one_hots, choices):
        yield from family(draw)
