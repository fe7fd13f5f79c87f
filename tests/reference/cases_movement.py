"""Pad, Slice, Split, Concat, Transpose, Reshape and their like."""

import numpy as np

from cases import BFLOAT16, FLOAT8, SMALL_INTEGERS, case, i64


def pad(draw):
    for opset in (13, 18, 19, 25):
        for mode in ("constant", "edge", "reflect", "wrap")[: 4 if opset >= 19 else 3]:
            x = draw.normal(3, 4, 5)
            yield case(f"pad_{opset}_{mode}", "Pad", [x, i64(1, 0, 2, 0, 3, 1), np.float32(2.5).reshape(())], opset, mode=mode)
            yield case(f"pad_{opset}_{mode}_negative", "Pad", [x, i64(-1, 2, 0, 1, -2, 3), np.float32(2.5).reshape(())], opset, mode=mode)
            yield case(f"pad_{opset}_{mode}_crop", "Pad", [x, i64(-1, 0, -2, 0, -1, -1)], opset, mode=mode)
            if opset >= 18:
                yield case(f"pad_{opset}_{mode}_axes", "Pad", [x, i64(2, 1, 0, 2), None, i64(2, 0)], opset, mode=mode)
                yield case(f"pad_{opset}_{mode}_negative_axes", "Pad", [x, i64(2, -1, 0, 2), np.float32(-1).reshape(()), np.array([-1, -3], np.int32)], opset, mode=mode)
    for mode in ("reflect", "wrap"):
        yield case(f"pad_{mode}_far", "Pad", [draw.normal(3, 3), i64(0, 7, 2, 5)], 25, mode=mode)
    for dtype in ("int8", "uint16", "int64", "bool"):
        x = draw.bools(3, 2) if dtype == "bool" else draw.integers(0, 99, 3, 2, dtype=dtype)
        yield case(f"pad_{dtype}", "Pad", [x, i64(1, 1, 0, 2)], 21)
    yield case("pad_empty", "Pad", [np.zeros((0, 2), np.float32), i64(1, 0, 2, 1), np.float32(3).reshape(())], 21)


def slices(draw):
    x = draw.normal(6, 7, 5)
    rows = [((1,), (5,), (0,), (2,)), ((-1,), (-100,), (1,), (-1,)), ((5, 6), (0, -8), (0, 1), (-2, -3)), ((100,), (-100,), (2,), (-1,)), ((3,), (3,), (0,), (1,)),
            ((0, 2), (2**63 - 1, 6), (-1, -2), (3, 1)), ((-3,), (2**31 - 1,), (1,), (1,)), ((4,), (-(2**63),), (0,), (-1,)), ((2,), (5,), (0,), (-1,))]
    for i, row in enumerate(rows):
        yield case(f"slice_{i}", "Slice", [x, *[i64(*part) for part in row]], 13)
    yield case("slice_defaults", "Slice", [x, i64(1, 2), i64(4, -1)], 13)
    yield case("slice_int32", "Slice", [x, *[np.array(v, np.int32) for v in ([1], [-1], [2], [2])]], 13)
    yield case("slice_opset1", "Slice", [x], 9, starts=[1, -3], ends=[100, -1], axes=[0, 2])


def splits(draw):
    x = draw.normal(7, 6)
    yield case("split_even", "Split", [x], 18, 3, axis=1, num_outputs=3)
    yield case("split_uneven", "Split", [x], 18, 3, axis=0, num_outputs=3)
    yield case("split_uneven_4", "Split", [draw.normal(5, 2)], 18, 4, num_outputs=4)
    yield case("split_sizes", "Split", [x, i64(1, 0, 6)], 18, 3, axis=-2)
    yield case("split_13", "Split", [x, i64(4, 2)], 13, 2, axis=1)
    yield case("split_2", "Split", [x], 11, 2, axis=1, split=[5, 1])


def rearrangements(draw):
    x = draw.normal(2, 3, 4)
    yield case("transpose_default", "Transpose", [x], 13)
    yield case("transpose", "Transpose", [x], 13, perm=[1, 2, 0])
    for name in ("int4", "uint2"):
        yield case(f"transpose_{name}", "Transpose", [draw.integers(0, 1, 3, 5).astype(SMALL_INTEGERS[name])], 25, perm=[1, 0])
    yield case("transpose_e4m3fn", "Transpose", [draw.normal(3, 5, dtype=FLOAT8["e4m3fn"])], 25)
    for i, shape in enumerate(((0, -1), (-1, 2), (2, 0, 2, 2), (24,))):
        yield case(f"reshape_{i}", "Reshape", [x, i64(*shape)], 14)
    yield case("reshape_allowzero", "Reshape", [np.zeros((0, 3), np.float32), i64(3, 0)], 14, allowzero=1)
    for axis in (0, 1, 3, -1):
        yield case(f"flatten_{axis}".replace("-", "m"), "Flatten", [x], 13, axis=axis)
    yield case("squeeze", "Squeeze", [draw.normal(1, 3, 1, 2), i64(-2, 0)], 13)
    yield case("squeeze_all", "Squeeze", [draw.normal(1, 3, 1, 2)], 13)
    yield case("unsqueeze", "Unsqueeze", [x, i64(-1, 0, 2)], 13)
    for start, end in ((0, None), (-2, None), (1, -1), (-9, 9), (2, 1)):
        yield case(f"shape_{start}_{end}".replace("-", "m"), "Shape", [x], 15, start=start, **({} if end is None else {"end": end}))
    yield case("size", "Size", [x], 13)
    yield case("tile", "Tile", [x, i64(2, 1, 3)], 13)
    yield case("tile_zero", "Tile", [x, i64(2, 0, 3)], 13)
    for shape in ((3, 1), (1, 1, 4), (2, 2, 3, 4), (1,)):
        yield case(f"expand_{len(shape)}", "Expand", [draw.normal(3, 1), i64(*shape)], 13)
    yield case("concat", "Concat", [x, draw.normal(2, 1, 4), np.zeros((2, 0, 4), np.float32)], 13, axis=-2)
    for mode in ("DCR", "CRD"):
        yield case(f"depthtospace_{mode}", "DepthToSpace", [draw.normal(2, 12, 2, 3)], 13, blocksize=2, mode=mode)
        yield case(f"spacetodepth_28_{mode}", "SpaceToDepth", [draw.normal(2, 3, 4, 6)], 28, blocksize=2, mode=mode)
    yield case("spacetodepth", "SpaceToDepth", [draw.normal(2, 3, 4, 6)], 13, blocksize=2)
    for upper in (0, 1):
        for k in (None, -2, 0, 1, 9, -9):
            inputs = [draw.normal(2, 4, 5)] + ([] if k is None else [np.array(k)])
            yield case(f"trilu_{upper}_{k}".replace("-", "m"), "Trilu", inputs, 14, upper=upper)
    yield case("trilu_int", "Trilu", [draw.integers(1, 9, 4, 3), np.array(-1)], 14, upper=0)
    for time, batch in ((0, 1), (1, 0)):
        yield case(f"reversesequence_{time}", "ReverseSequence", [draw.normal(4, 4, 2), i64(1, 3, 4, 2)], 10, time_axis=time, batch_axis=batch)
    yield case("reversesequence_28", "ReverseSequence", [draw.normal(5, 3, 2), i64(1, 0, 5)], 28)
    yield case("eyelike", "EyeLike", [draw.normal(3, 5)], 22, k=-1, dtype=6)
    yield case("eyelike_k", "EyeLike", [draw.normal(3, 5)], 22, k=2)
    for args in ((0, 10, 3), (10, 0, -3), (5, 5, 1), (3, 9, -1)):
        for dtype in (np.int64, np.float32, np.float64, np.int16):
            yield case(f"range_{args[0]}_{args[1]}_{np.dtype(dtype).name}", "Range", [np.array(v, dtype) for v in args], 11)
    yield case("range_fraction", "Range", [np.array(v, np.float32) for v in (0.1, 1.05, 0.13)], 11)
    for dtype in (np.float16, BFLOAT16):
        for i, args in enumerate(((0, 1, 0.1), (1, 300, 7.3), (5, -2, -0.37))):
            for stash in ({}, {"stash_type": 10 if dtype == np.float16 else 16}):
                yield case(f"range_{np.dtype(dtype).name}_{i}_{len(stash)}", "Range", [np.array(v, dtype) for v in args], 27, **stash)
    for dtype in (np.int8, BFLOAT16, np.uint16):
        yield case(f"identity_{np.dtype(dtype).name}", "Identity", [draw.integers(0, 9, 3).astype(dtype)], 21)


def cases(draw):
    for family in (pad, slices, splits, rearrangements):
        yield from family(draw)
