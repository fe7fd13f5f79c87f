"""QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear, and the integer products."""

import ml_dtypes
import numpy as np
from onnx import helper

from cases import BFLOAT16, E8M0, FLOAT4, FLOAT6, FLOAT8, SMALL_INTEGERS, case

WIDE = {name: np.dtype(name) for name in ("int8", "uint8", "int16", "uint16")}
TYPES = {**WIDE, **SMALL_INTEGERS, **FLOAT8, "float4": FLOAT4}
HALVES = {"float": np.dtype(np.float32), "float16": np.dtype(np.float16), "bfloat16": BFLOAT16}
FLOATING = {*FLOAT8.values(), FLOAT4, *FLOAT6.values()}


def range_of(dtype):
    if dtype in FLOATING:
        return float(ml_dtypes.finfo(dtype).min), float(ml_dtypes.finfo(dtype).max)
    info = np.iinfo(dtype) if dtype in WIDE.values() else ml_dtypes.iinfo(dtype)
    return int(info.min), int(info.max)


def zero_points(draw, dtype, *shape):
    if dtype in FLOATING:
        return np.zeros(shape, dtype)
    low, high = range_of(dtype)
    return draw.integers(low, high, *shape, dtype=np.int64).astype(dtype)


def scales(draw, dtype, *shape):
    """Powers of two often: ties must round to even."""
    if dtype == E8M0:
        return (2.0 ** draw.integers(-3, 3, *shape).astype(np.float64)).astype(E8M0)
    if draw.rng.integers(2):
        return (2.0 ** draw.integers(-3, 1, *shape).astype(np.float64)).astype(dtype)
    return draw.uniform(0.05, 0.7, *shape, dtype=dtype)


def values(draw, target, scale, *shape, dtype=np.float32):
    low, high = range_of(target)
    x = draw.uniform(low * 1.2 - 1, high * 1.2 + 1, *shape).astype(np.float64) * 0.3
    x.flat[::3] = np.round(x.flat[::3] * 16) / 16
    return x.astype(np.float32).astype(dtype)


def layouts(draw, dtype):
    """(name, shape, shape of the scales, attributes)."""
    yield "tensor", (4, 6, 5), (), {}
    yield "axis1", (4, 6, 5), (6,), {}
    yield "axis_last", (4, 6, 5), (5,), {"axis": -1}
    yield "blocked", (4, 6, 5), (4, 2, 5), {"axis": 1, "block_size": 3}
    yield "blocked_uneven", (4, 7, 5), (4, 3, 5), {"axis": -2, "block_size": 3}


def quantize(draw):
    for name, dtype in {**TYPES, **FLOAT6}.items():
        opset = 28 if dtype in FLOAT6.values() else 25
        for layout, shape, scale_shape, attributes in layouts(draw, dtype):
            scale = scales(draw, np.float32, *scale_shape)
            zero = zero_points(draw, dtype, *scale_shape)
            x = values(draw, dtype, scale, *shape)
            yield case(f"q_{name}_{layout}", "QuantizeLinear", [x, scale, zero], opset, **attributes)
            if layout == "tensor":
                yield case(f"q_{name}_no_zero", "QuantizeLinear", [x, scale], opset, output_dtype=helper.np_dtype_to_tensor_dtype(dtype))
        if name in FLOAT8:
            x = values(draw, dtype, 1, 50) * 8
            yield case(f"q_{name}_not_saturated", "QuantizeLinear", [x, np.float32(0.5).reshape(()), np.zeros((), dtype)], opset, saturate=0)


def quantize_types(draw):
    for source, wide in HALVES.items():
        for target in ("int8", "uint8", "e4m3fn", "uint16"):
            for opset in (21, 24):
                zero = zero_points(draw, TYPES[target], 5)
                x = values(draw, TYPES[target], 1, 3, 5, dtype=wide)
                yield case(f"q_from_{source}_to_{target}_opset{opset}", "QuantizeLinear", [x, scales(draw, wide, 5), zero], opset)
        for scale, narrow in HALVES.items():
            if scale != source:
                x = values(draw, WIDE["int8"], 1, 3, 5, dtype=wide)
                yield case(f"q_from_{source}_scale_{scale}", "QuantizeLinear", [x, scales(draw, narrow, 5), zero_points(draw, WIDE["int8"], 5)], 25)
        x = values(draw, WIDE["int8"], 1, 4, 6, dtype=wide)
        yield case(f"q_from_{source}_scale_e8m0", "QuantizeLinear", [x, scales(draw, E8M0, 4, 2), zero_points(draw, WIDE["int8"], 4, 2)], 24, block_size=3)
        for precision in (1, 10, 16):
            yield case(f"q_from_{source}_precision{precision}", "QuantizeLinear", [x, scales(draw, np.float32, 6), zero_points(draw, WIDE["int8"], 6)], 25,
                       precision=precision)
    x = draw.integers(-1000, 1000, 4, 6, dtype=np.int32)
    steps = draw.uniform(2, 9, 6)
    yield case("q_from_int32", "QuantizeLinear", [x, steps, zero_points(draw, WIDE["int8"], 6)], 21)
    yield case("q_from_int32_opset13", "QuantizeLinear", [x, np.array(steps[0]), zero_points(draw, WIDE["uint8"])], 13)
    yield case("q_opset10", "QuantizeLinear", [draw.normal(3, 4), np.float32(0.02).reshape(()), np.uint8(113).reshape(())], 10)
    yield case("q_opset19_axis0", "QuantizeLinear", [draw.normal(3, 4), scales(draw, np.float32, 3), zero_points(draw, WIDE["int8"], 3)], 19, axis=0)
    special = np.array([np.inf, -np.inf, 1e30, -1e30, 127.5, -128.5, 0.5, 1.5, 2.5, -0.5], np.float32)
    for name in ("int8", "uint8", "int16", "uint16", "int4"):
        yield case(f"q_special_to_{name}", "QuantizeLinear", [special, np.float32(1).reshape(()), np.zeros((), TYPES[name])], 21)
        yield case(f"q_special_zero_to_{name}", "QuantizeLinear", [special, np.float32(1).reshape(()), np.ones((), TYPES[name])], 21)


def codes(draw, dtype, *shape):
    """Random numbers of a type of at most 16 bits, NaN and infinities left out."""
    if dtype in FLOATING:
        bits = 4 if dtype == FLOAT4 else 6 if dtype in FLOAT6.values() else 8
        x = draw.integers(0, 2**bits - 1, *shape, dtype=np.uint8).view(dtype)
        return np.where(np.isfinite(x.astype(np.float32)), x, np.zeros_like(x))
    low, high = range_of(dtype)
    return draw.integers(low, high, *shape).astype(dtype)


def dequantize(draw):
    for name, dtype in {**TYPES, **FLOAT6}.items():
        opset = 28 if dtype in FLOAT6.values() else 25
        for layout, shape, scale_shape, attributes in layouts(draw, dtype):
            zero = zero_points(draw, dtype, *scale_shape)
            yield case(f"dq_{name}_{layout}", "DequantizeLinear", [codes(draw, dtype, *shape), scales(draw, np.float32, *scale_shape), zero], opset, **attributes)
        for scale, narrow in {**HALVES, "e8m0": E8M0}.items():
            x = codes(draw, dtype, 4, 6)
            for output in (1, 10, 16):
                yield case(f"dq_{name}_scale_{scale}_to_{output}", "DequantizeLinear", [x, scales(draw, narrow, 4, 3)], opset, block_size=2, output_dtype=output)
            if scale != "e8m0":
                yield case(f"dq_{name}_scale_{scale}", "DequantizeLinear", [x, scales(draw, narrow)], opset)
    x = draw.integers(-100000, 100000, 4, 6, dtype=np.int32)
    yield case("dq_int32", "DequantizeLinear", [x, draw.uniform(0.001, 0.1, 6)], 13)
    yield case("dq_int32_axis0", "DequantizeLinear", [x, draw.uniform(0.001, 0.1, 4)], 13, axis=0)
    yield case("dq_opset10", "DequantizeLinear", [codes(draw, WIDE["uint8"], 9), np.float32(0.1).reshape(()), np.uint8(7).reshape(())], 10)


def products(draw):
    a, b = draw.integers(0, 255, 2, 3, 4, dtype=np.uint8), draw.integers(-128, 127, 4, 5, dtype=np.int8)
    yield case("matmulinteger", "MatMulInteger", [a, b, np.uint8(12).reshape(()), np.int8(-3).reshape(())], 10)
    yield case("matmulinteger_axes", "MatMulInteger", [a[0], b, draw.integers(0, 20, 3, dtype=np.uint8), draw.integers(-9, 9, 5, dtype=np.int8)], 10)
    one = lambda dtype, value: np.array(value, dtype)
    for opset, float_type in ((10, np.float32), (21, np.float16)):
        yield case(f"qlinearmatmul_opset{opset}", "QLinearMatMul", [a, one(float_type, 0.02), one(np.uint8, 120), b, one(float_type, 0.01), one(np.int8, 3),
                                                                  one(float_type, 0.1), one(np.uint8, 100)], opset)
    x, w = draw.integers(0, 255, 2, 3, 6, 7, dtype=np.uint8), draw.integers(-128, 127, 4, 3, 3, 2, dtype=np.int8)
    yield case("convinteger", "ConvInteger", [x, w, one(np.uint8, 100)], 10, pads=[1, 0, 1, 2], strides=[2, 1])
    scale = [one(np.float32, 0.02), one(np.uint8, 120)]
    yield case("qlinearconv", "QLinearConv", [x, *scale, w, draw.uniform(0.01, 0.02, 4), np.zeros(4, np.int8), one(np.float32, 0.2), one(np.uint8, 130),
                                              draw.integers(-500, 500, 4, dtype=np.int32)], 10, pads=[1, 1, 1, 1])
    for i, x in enumerate((draw.normal(3, 4), draw.uniform(1, 4, 7), draw.uniform(-4, -1, 7), np.zeros(3, np.float32))):
        yield case(f"dynamic_{i}", "DynamicQuantizeLinear", [x], 11, 3)


def cases(draw):
    yield from quantize(draw)
    yield from quantize_types(draw)
    yield from dequantize(draw)
    yield from products(draw)
