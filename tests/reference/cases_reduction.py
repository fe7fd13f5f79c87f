"""Reductions, cumulative sums and the softmax family."""

import numpy as np

from cases import FLOATS, case, i64

OPS = ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")


def opset_of(op):
    return 20 if op in ("ReduceMax", "ReduceMin") else 13 if op == "ReduceSum" else 18


def values(draw, op, *shape, dtype=np.float32):
    return draw.uniform(0.2, 1.5, *shape, dtype=dtype) if op == "ReduceLogSum" else draw.normal(*shape, dtype=dtype)


def reductions(draw):
    for op in OPS:
        opset = opset_of(op)
        for i, axes in enumerate(((0,), (1, -1), (2, 0), (-3,), (0, 1, 2))):
            for keep in (0, 1):
                yield case(f"{op}_{i}_{keep}", op, [values(draw, op, 3, 4, 5), i64(*axes)], opset, keepdims=keep)
        for noop in (0, 1):
            yield case(f"{op}_no_axes_{noop}", op, [values(draw, op, 3, 4)], opset, noop_with_empty_axes=noop)
            yield case(f"{op}_empty_axes_{noop}", op, [values(draw, op, 3, 4), np.zeros(0, np.int64)], opset, noop_with_empty_axes=noop)
        yield case(f"{op}_empty_axes_noop_flat", op, [values(draw, op, 3, 4), np.zeros(0, np.int64)], opset, noop_with_empty_axes=1, keepdims=0)
        yield case(f"{op}_scalar", op, [values(draw, op).reshape(())], opset)
        yield case(f"{op}_empty_set", op, [np.zeros((2, 0, 4), np.float32), i64(1)], opset, keepdims=1)
        yield case(f"{op}_empty_rest", op, [np.zeros((2, 0, 4), np.float32), i64(0)], opset, keepdims=0)
        yield case(f"{op}_attribute", op, [values(draw, op, 3, 4, 5)], 11, axes=[-1, 0], keepdims=0)
        for name, dtype in FLOATS.items():
            if name != "float":
                yield case(f"{op}_{name}", op, [values(draw, op, 3, 40, dtype=dtype), i64(1)], opset)
        for dtype in ("int32", "int64", "uint32"):
            if op not in ("ReduceLogSum", "ReduceLogSumExp"):
                yield case(f"{op}_{dtype}", op, [draw.integers(1, 9, 3, 4, dtype=dtype), i64(1)], opset)
    for op in ("ReduceMax", "ReduceMin"):
        yield case(f"{op}_bool", op, [draw.bools(4, 3), i64(1)], 20)
        yield case(f"{op}_int8", op, [draw.integers(-99, 99, 4, 3, dtype=np.int8), i64(0)], 20)
        yield case(f"{op}_uint8_empty", op, [np.zeros((2, 0), np.uint8), i64(1)], 20)
        yield case(f"{op}_bool_empty", op, [np.zeros((2, 0), bool), i64(1)], 20)
        yield case(f"{op}_nan", op, [np.array([[1, np.nan, 2], [3, 4, 5]], np.float32), i64(1)], 20)
        yield case(f"{op}_int32_empty", op, [np.zeros((2, 0), np.int32), i64(1)], 20)
    yield case("ReduceLogSumExp_large", "ReduceLogSumExp", [np.array([[1000, 1001], [-1000, -999]], np.float32), i64(1)], 18)
    yield case("ReduceLogSumExp_infinite", "ReduceLogSumExp", [np.array([[-np.inf, -np.inf], [np.inf, 1]], np.float32), i64(1)], 18)
    yield case("ReduceMean_int_negative", "ReduceMean", [np.array([[-3, 2], [-7, 2], [7, -2]], np.int32), i64(1)], 18)
    yield case("ReduceL2_int_rounding", "ReduceL2", [np.array([[1, 1], [2, 2], [5, 5]], np.int32), i64(1)], 18)


def cumulative(draw):
    for op, opset in (("CumSum", 14), ("CumProd", 26)):
        for exclusive in (0, 1):
            for reverse in (0, 1):
                for axis in (0, 1, -1):
                    tag = f"{op}_{exclusive}{reverse}_{axis}".replace("-", "m")
                    yield case(tag, op, [draw.normal(3, 4, 5), np.array(axis)], opset, exclusive=exclusive, reverse=reverse)
        for name, dtype in {**FLOATS, "int32": np.dtype(np.int32), "uint64": np.dtype(np.uint64)}.items():
            yield case(f"{op}_{name}", op, [draw.integers(1, 3, 3, 6).astype(dtype), np.array(1, np.int32)], opset)
        yield case(f"{op}_axis_of_one", op, [draw.normal(3, 4), i64(1)], opset)


def soft(draw):
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        for axis in (0, 1, -1, -2):
            for opset in (11, 13):
                yield case(f"{op}_{opset}_{axis}".replace("-", "m"), op, [draw.normal(3, 4, 5, scale=3)], opset, axis=axis)
        yield case(f"{op}_default_11", op, [draw.normal(3, 4, 5)], 11)
        yield case(f"{op}_default_13", op, [draw.normal(3, 4, 5)], 13)
        for name, dtype in FLOATS.items():
            yield case(f"{op}_{name}", op, [draw.normal(3, 40, dtype=dtype, scale=4)], 13)
        yield case(f"{op}_large", op, [np.array([[1e4, 1e4, -1e4], [-np.inf, 0, 1]], np.float32)], 13)
        yield case(f"{op}_ties", op, [draw.integers(0, 2, 4, 6).astype(np.float32)], 13)
    for reduction in ("none", "sum", "mean"):
        for weights in (False, True):
            for ignore in (None, 1):
                labels = draw.integers(0, 3, 5, 2)
                weight = [draw.uniform(0.2, 2, 4)] if weights else []
                extra = {} if ignore is None else {"ignore_index": ignore}
                tag = f"{reduction}_{weights}_{ignore}"
                yield case(f"nll_{tag}", "NegativeLogLikelihoodLoss", [draw.normal(5, 4, 2), labels, *weight], 13, reduction=reduction, **extra)
                yield case(f"sce_{tag}", "SoftmaxCrossEntropyLoss", [draw.normal(5, 4, 2), labels, *weight], 13, 2, reduction=reduction, **extra)


def cases(draw):
    for family in (reductions, cumulative, soft):
        yield from family(draw)
