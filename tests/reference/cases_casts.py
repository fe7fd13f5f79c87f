"""Cast, CastLike and BitCast among all types."""

import ml_dtypes
import numpy as np

from cases import BFLOAT16, E8M0, FLOAT4, FLOAT6, FLOAT8, FLOATS, INTEGERS, SMALL_INTEGERS, case
from onnx import helper

SMALL_FLOATS = {**FLOAT8, "float4": FLOAT4, **FLOAT6}
OPSET = 25


def number(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def codes(dtype, bits):
    """Every number of a type of at most 8 bits."""
    return np.arange(2**bits, dtype=np.uint8).view(dtype)


def grid(dtype):
    bits = 4 if dtype == FLOAT4 else 6 if dtype in FLOAT6.values() else 8
    values = codes(dtype, bits).astype(np.float64)
    return np.unique(values[np.isfinite(values)])


def tricky(dtype, source):
    """The numbers of `dtype`, the middles between them and their neighbours, and what lies beyond the largest."""
    values = grid(dtype)
    middles = ((values[1:] + values[:-1]) / 2).astype(source)
    near = [np.nextafter(middles.astype(np.float32), np.float32(way)).astype(source) for way in (np.inf, -np.inf)]
    top = values.max()
    far = np.array([0, -0.0, top * 1.01, top * 1.06, top * 1.2, top * 2, -top * 1.05, -top * 1.2, -top * 3]).astype(source)
    return np.concatenate([values.astype(source), middles, *near, far])


SPECIAL = np.array([np.nan, np.inf, -np.inf])


def to_small_floats():
    for target, dtype in SMALL_FLOATS.items():
        opset = 28 if dtype in FLOAT6.values() else OPSET
        for name, source in FLOATS.items():
            for saturate in (1, 0) if target in FLOAT8 else (1,):
                x = tricky(dtype, source)
                if target in FLOAT8:
                    x = np.concatenate([x, SPECIAL.astype(source)])
                yield case(f"{name}_to_{target}_saturate{saturate}", "Cast", [x], opset, to=number(dtype), saturate=saturate)
    for target, dtype in {"float4": FLOAT4, **FLOAT6}.items():
        yield case(f"infinity_to_{target}", "Cast", [np.array([np.inf, -np.inf, 1e30], np.float32)], 28, to=number(dtype))


def to_e8m0(draw):
    powers = 2.0 ** np.arange(-120, 121, 8)
    body = np.concatenate([powers * m for m in (1, 1.25, 1.4999, 1.5, 1.5001, 1.75)])
    for name, source in FLOATS.items():
        x = body.astype(np.float32).astype(source)
        x = x[np.isfinite(x) & (x > 0)]
        for mode in ("up", "down", "nearest"):
            for saturate in (0, 1):
                yield case(f"{name}_to_e8m0_{mode}_saturate{saturate}", "Cast", [x], OPSET, to=number(E8M0), round_mode=mode,
                           saturate=saturate)
    table = np.array([0, np.nan, np.inf, 3.4e38, 2e-40, 1e-45, 2.0**-127, 2.0**-126], np.float32)
    yield case("special_to_e8m0_up_saturate1", "Cast", [table], OPSET, to=number(E8M0), round_mode="up", saturate=1)
    yield case("special_to_e8m0_nearest_saturate0", "Cast", [table], OPSET, to=number(E8M0), round_mode="nearest", saturate=0)


def from_small(draw):
    small = {**{k: (v, 8) for k, v in FLOAT8.items()}, "e8m0": (E8M0, 8), "float4": (FLOAT4, 4), **{k: (v, 6) for k, v in FLOAT6.items()}}
    for name, (dtype, bits) in small.items():
        opset = 28 if bits == 6 else OPSET
        for target, wide in FLOATS.items():
            yield case(f"{name}_to_{target}", "Cast", [codes(dtype, bits)], opset, to=number(wide))
        yield case(f"{name}_to_bool", "Cast", [codes(dtype, bits)], opset, to=number(bool))
        values = codes(dtype, bits)
        values = values[np.isfinite(values.astype(np.float64)) & (np.abs(values.astype(np.float64)) < 100)]
        yield case(f"{name}_to_int8", "Cast", [values], opset, to=number(np.int8))
        for other, there in {**FLOAT8, "float4": FLOAT4}.items():
            if other != name and name != "e8m0":
                finite = codes(dtype, bits)
                finite = finite[np.isfinite(finite.astype(np.float64))] if other == "float4" else finite
                yield case(f"{name}_to_{other}", "Cast", [finite], opset, to=number(there))


def small_integers(draw):
    for name, dtype in SMALL_INTEGERS.items():
        low, high = int(ml_dtypes.iinfo(dtype).min), int(ml_dtypes.iinfo(dtype).max)
        every = np.arange(low, high + 1).astype(dtype)
        for target, wide in {**FLOATS, "int8": np.int8, "uint8": np.uint8, "int64": np.int64, "uint32": np.uint32, "bool": bool}.items():
            yield case(f"{name}_to_{target}", "Cast", [every], OPSET, to=number(wide))
        for source, wide in FLOATS.items():
            x = draw.uniform(low, high, 37, dtype=wide)
            yield case(f"{source}_to_{name}", "Cast", [x], OPSET, to=number(dtype))
        for source in ("int8", "uint8", "int32", "int64", "uint64"):
            info = np.iinfo(source)
            x = draw.integers(max(info.min, -300), min(info.max, 300), 5, 11, dtype=source)
            yield case(f"{source}_to_{name}", "Cast", [x], OPSET, to=number(dtype))
        for other, there in SMALL_INTEGERS.items():
            if other != name:
                yield case(f"{name}_to_{other}", "Cast", [every], OPSET, to=number(there))
        yield case(f"bool_to_{name}", "Cast", [draw.bools(7)], OPSET, to=number(dtype))


def plain(draw):
    for name, source in FLOATS.items():
        x = np.concatenate([draw.normal(40, scale=30), SPECIAL, [0, -0.0, 65504, 65519, 65520, 7e4, 1e-8, 6e-8, 1e-40, 3e38, 3.4e38]])
        if name == "double":
            x = np.concatenate([x, [1e39, 1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-24 + 2.0**-50]])
        for target, dtype in FLOATS.items():
            if target != name:
                yield case(f"{name}_to_{target}", "Cast", [x.astype(source)], OPSET, to=number(dtype))
        yield case(f"{name}_to_bool", "Cast", [x.astype(source)], OPSET, to=number(bool))
        for target, dtype in INTEGERS.items():
            low = 0 if target[0] == "u" else -100
            yield case(f"{name}_to_{target}", "Cast", [draw.uniform(low, 100, 50, dtype=source)], 13, to=number(dtype))
    for name, source in INTEGERS.items():
        info = np.iinfo(source)
        x = np.concatenate([draw.integers(info.min, info.max, 30, dtype=source), np.array([info.min, info.max, 0, 1], source)])
        for target, dtype in {**FLOATS, **INTEGERS, "bool": np.dtype(bool)}.items():
            if target != name:
                yield case(f"{name}_to_{target}", "Cast", [x], 13, to=number(dtype))
        for target in ("e4m3fn", "e5m2"):
            yield case(f"{name}_to_{target}", "Cast", [x], OPSET, to=number(FLOAT8[target]))
    for target, dtype in {**FLOATS, "int8": np.dtype(np.int8), "uint64": np.dtype(np.uint64), "e5m2": FLOAT8["e5m2"]}.items():
        yield case(f"bool_to_{target}", "Cast", [draw.bools(9)], OPSET, to=number(dtype))


def strings():
    text = np.array(["3.14", "-1e-5", "1E8", "+INF", "-inf", "NaN", "INF", "7"], dtype=object)
    for target, dtype in FLOATS.items():
        yield case(f"string_to_{target}", "Cast", [text], OPSET, to=number(dtype))
    yield case("string_to_int64", "Cast", [np.array(["12", "-7", "1000000000000"], dtype=object)], OPSET, to=number(np.int64))
    yield case("float_to_string", "Cast", [np.array([314.15926, -0.5, 2, 1e10, 1e-7, np.nan, np.inf, -np.inf], np.float32)], OPSET, to=8)
    yield case("int64_to_string", "Cast", [np.array([314, -5, 2**40])], OPSET, to=8)


def alike(draw):
    x = draw.normal(30, scale=20)
    for name, dtype in {**FLOATS, **FLOAT8, "float4": FLOAT4, "uint8": np.dtype(np.uint8), "int4": SMALL_INTEGERS["int4"]}.items():
        source = np.clip(x, 0, 7) if name in ("uint8", "int4") else x
        yield case(f"castlike_{name}", "CastLike", [source, np.ones(2, dtype)], OPSET)
    for saturate in (0, 1):
        yield case(f"castlike_saturate{saturate}", "CastLike", [x * 100, np.ones(1, FLOAT8["e4m3fn"])], OPSET, saturate=saturate)


def bit_casts(draw):
    pairs = [(np.float32, np.int32), (np.int32, np.float32), (np.float64, np.uint64), (np.float16, np.int16), (np.uint16, np.float16),
             (np.int8, np.uint8), (np.uint32, np.int32), (np.uint8, FLOAT8["e4m3fn"]), (np.uint16, BFLOAT16), (BFLOAT16, np.int16),
             (np.int64, np.float64), (bool, np.uint8)]
    for source, target in pairs:
        x = draw.bools(3, 4) if source is bool else draw.integers(0, 100, 3, 4).astype(source)
        yield case(f"bitcast_{np.dtype(source).name}_{np.dtype(target).name}", "BitCast", [x], 26, to=number(target))


def cases(draw):
    yield from to_small_floats()
    yield from to_e8m0(draw)
    yield from from_small(draw)
    yield from small_integers(draw)
    yield from plain(draw)
    yield from strings()
    yield from alike(draw)
    yield from bit_casts(draw)
