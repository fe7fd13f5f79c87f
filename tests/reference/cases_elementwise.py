"""Activations and arithmetic in every type."""

import numpy as np

from cases import BFLOAT16, FLOATS, INTEGERS, case

UNARY = {"Abs": 13, "Acos": 22, "Acosh": 22, "Asin": 22, "Asinh": 22, "Atan": 22, "Atanh": 22, "Ceil": 13, "Cos": 22, "Cosh": 22, "Erf": 13, "Exp": 13, "Floor": 13,
         "HardSwish": 22, "Log": 13, "Mish": 22, "Neg": 13, "Reciprocal": 13, "Relu": 14, "Round": 22, "Selu": 22, "Sigmoid": 13, "Sign": 13, "Sin": 22, "Sinh": 22,
         "Softplus": 22, "Softsign": 22, "Sqrt": 13, "Tan": 22, "Tanh": 13}
ATTRIBUTES = {"Celu": (12, {"alpha": 0.7}), "Elu": (22, {"alpha": 1.6}), "HardSigmoid": (22, {"alpha": 0.3, "beta": 0.6}), "LeakyRelu": (16, {"alpha": 0.2}),
              "ThresholdedRelu": (22, {"alpha": 0.8}), "Shrink": (9, {"lambd": 0.6, "bias": 0.2}), "Gelu": (20, {}), "Swish": (24, {"alpha": 0.4})}


def domain(draw, op, dtype):
    if op in ("Acos", "Asin", "Atanh"):
        return draw.uniform(-0.95, 0.95, 4, 7, dtype=dtype)
    if op in ("Log", "Sqrt"):
        return draw.uniform(0.05, 9, 4, 7, dtype=dtype)
    if op == "Acosh":
        return draw.uniform(1.1, 9, 4, 7, dtype=dtype)
    x = draw.normal(4, 7, scale=2)
    if op in ("Round", "Ceil", "Floor"):
        x = np.round(x * 4) / 2
    return x.astype(dtype)


def unary(draw):
    for op, opset in UNARY.items():
        for name, dtype in FLOATS.items():
            yield case(f"{op}_{name}", op, [domain(draw, op, dtype)], opset)
    for op, (opset, attributes) in ATTRIBUTES.items():
        for name, dtype in FLOATS.items():
            version = 28 if op == "Celu" and name != "float" else opset
            yield case(f"{op}_{name}", op, [draw.normal(4, 7, dtype=dtype, scale=2)], version, **attributes)
    for name, dtype in FLOATS.items():
        yield case(f"Gelu_tanh_{name}", "Gelu", [draw.normal(4, 7, dtype=dtype, scale=2)], 20, approximate="tanh")
        yield case(f"PRelu_{name}", "PRelu", [draw.normal(2, 4, 7, dtype=dtype), draw.normal(4, 1, dtype=dtype)], 16)
        yield case(f"Clip_{name}", "Clip", [draw.normal(4, 7, dtype=dtype), np.array(-0.5, dtype), np.array(0.8, dtype)], 13)
        special = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1], np.float32).astype(dtype)
        for op, opset in {"IsNaN": 20, "IsInf": 20, "Sign": 13, "Relu": 14, "Sigmoid": 13, "Tanh": 13, "Softplus": 22, "Exp": 13, "Round": 22, "HardSwish": 22, "Mish": 22,
                          "Erf": 13, "Abs": 13, "Neg": 13}.items():
            yield case(f"{op}_special_{name}", op, [special], opset)
    for op, opset in {"Abs": 13, "Neg": 13, "Sign": 13, "Relu": 14}.items():
        for name, dtype in INTEGERS.items():
            if op == "Abs" or op == "Sign" or dtype.kind == "i":
                yield case(f"{op}_{name}", op, [draw.integers(0 if dtype.kind == "u" else -100, 100, 9, dtype=dtype)], opset)
    yield case("IsInf_positive", "IsInf", [np.array([np.inf, -np.inf, 1], np.float32)], 20, detect_negative=0)
    yield case("IsInf_negative", "IsInf", [np.array([np.inf, -np.inf, 1], np.float32)], 20, detect_positive=0)
    yield case("Clip_reversed", "Clip", [draw.normal(9), np.float32(1).reshape(()), np.float32(-1).reshape(())], 13)
    yield case("Clip_int8", "Clip", [draw.integers(-100, 100, 9, dtype=np.int8), np.int8(-5).reshape(()), np.int8(50).reshape(())], 13)
    yield case("Clip_max_only", "Clip", [draw.normal(9), None, np.float32(0.2).reshape(())], 13)
    yield case("Not", "Not", [draw.bools(5)], 13)
    for name, dtype in INTEGERS.items():
        info = np.iinfo(dtype)
        yield case(f"BitwiseNot_{name}", "BitwiseNot", [draw.integers(info.min, info.max, 9, dtype=dtype)], 18)


def binary(draw):
    for op in ("Add", "Sub", "Mul", "Div"):
        for name, dtype in {**FLOATS, **INTEGERS}.items():
            low = 0 if dtype.kind == "u" else -100
            number = lambda *shape: draw.normal(*shape, dtype=dtype) if dtype.kind not in "iu" else draw.integers(low, 100, *shape, dtype=dtype)
            b = number(4, 1)
            b = np.where(b == 0, np.ones_like(b), b)
            yield case(f"{op}_{name}", op, [number(2, 1, 5), b], 14)
    for op in ("Max", "Min", "Sum", "Mean"):
        for name, dtype in {**FLOATS, **(INTEGERS if op in ("Max", "Min") else {})}.items():
            number = lambda *shape: draw.normal(*shape, dtype=dtype) if dtype.kind not in "iu" else draw.integers(0, 100, *shape, dtype=dtype)
            yield case(f"{op}_{name}", op, [number(2, 1, 5), number(4, 1), number(1)], 13)
        yield case(f"{op}_one", op, [draw.normal(3)], 13)
    for op in ("Max", "Min"):
        yield case(f"{op}_nan", op, [np.array([1, np.nan, 3], np.float32), np.array([np.nan, 2, 4], np.float32)], 13)
    for name, dtype in FLOATS.items():
        yield case(f"Pow_{name}", "Pow", [draw.uniform(0.2, 3, 3, 4, dtype=dtype), draw.normal(4, dtype=dtype)], 15)
        yield case(f"Pow_{name}_int", "Pow", [draw.normal(3, 4, dtype=dtype), draw.integers(-3, 3, 4, dtype=np.int32)], 15)
        yield case(f"Pow_{name}_float", "Pow", [draw.uniform(0.2, 3, 3, 4, dtype=dtype), draw.normal(4)], 15)
    yield case("Pow_int_int", "Pow", [draw.integers(-5, 5, 3, 4, dtype=np.int32), draw.integers(0, 5, 4, dtype=np.int64)], 15)
    yield case("Pow_int_float", "Pow", [draw.integers(1, 9, 3, 4, dtype=np.int64), draw.uniform(0, 2.5, 4)], 15)
    for op, opset in {"Equal": 19, "Greater": 13, "GreaterOrEqual": 16, "Less": 13, "LessOrEqual": 16}.items():
        for name, dtype in {**FLOATS, **INTEGERS}.items():
            yield case(f"{op}_{name}", op, [draw.integers(0, 3, 2, 1, 5).astype(dtype), draw.integers(0, 3, 4, 1).astype(dtype)], opset)
        yield case(f"{op}_nan", op, [np.array([np.nan, 1, np.nan, np.inf], np.float32), np.array([np.nan, np.nan, 2, np.inf], np.float32)], opset)
    yield case("Equal_string", "Equal", [np.array(["a", "b", "cc"], dtype=object), np.array(["a", "c", "cc"], dtype=object)], 19)
    yield case("Equal_bool", "Equal", [draw.bools(5), draw.bools(5)], 19)
    for op in ("And", "Or", "Xor"):
        yield case(op, op, [draw.bools(3, 1), draw.bools(4)], 7)


def integers(draw):
    for name, dtype in INTEGERS.items():
        info = np.iinfo(dtype)
        bits = info.bits
        for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
            yield case(f"{op}_{name}", op, [draw.integers(info.min, info.max, 3, 4, dtype=dtype), draw.integers(info.min, info.max, 4, dtype=dtype)], 18)
        for direction in ("LEFT", "RIGHT"):
            amount = draw.integers(0, bits - 1, 9, dtype=dtype)
            yield case(f"BitShift_{name}_{direction}", "BitShift", [draw.integers(info.min, info.max, 9, dtype=dtype), amount], 11 if dtype.kind == "u" else 28, direction=direction)
        for fmod in (0, 1):
            low = 0 if dtype.kind == "u" else -100
            b = draw.integers(1, 17, 4, dtype=dtype) * (1 if dtype.kind == "u" else np.array([1, -1, -1, 1], dtype))
            yield case(f"Mod_{name}_{fmod}", "Mod", [draw.integers(low, 100, 5, 4, dtype=dtype), b.astype(dtype)], 13, fmod=fmod)
    for name, dtype in FLOATS.items():
        a, b = draw.normal(5, 4, dtype=dtype, scale=5), np.array([2.5, -1.5, 0.75, -3], dtype)
        yield case(f"Mod_{name}_1", "Mod", [a, b], 13, fmod=1)
        yield case(f"Mod_{name}_0", "Mod", [a, b], 28, fmod=0)
    yield case("Div_int_negative", "Div", [np.array([-7, 7, -7, 7], np.int32), np.array([2, -2, -2, 2], np.int32)], 14)


def products(draw):
    for name, dtype in FLOATS.items():
        for i, (a, b) in enumerate((((3, 4), (4, 5)), ((4,), (2, 4, 5)), ((2, 3, 4), (4,)), ((2, 1, 3, 4), (5, 4, 2)), ((4,), (4,)))):
            yield case(f"MatMul_{name}_{i}", "MatMul", [draw.normal(*a, dtype=dtype), draw.normal(*b, dtype=dtype)], 13)
        for a, b in ((0, 0), (1, 0), (0, 1), (1, 1)):
            inputs = [draw.normal(*((4, 3) if a else (3, 4)), dtype=dtype), draw.normal(*((5, 4) if b else (4, 5)), dtype=dtype), draw.normal(*((5,), (3, 1), (), (3, 5))[2 * a + b], dtype=dtype)]
            yield case(f"Gemm_{name}_{a}{b}", "Gemm", inputs, 13, transA=a, transB=b, alpha=0.7, beta=-1.3)
    for dtype in ("int32", "uint64"):
        yield case(f"MatMul_{dtype}", "MatMul", [draw.integers(0, 9, 3, 4, dtype=dtype), draw.integers(0, 9, 4, 2, dtype=dtype)], 13)
        yield case(f"Gemm_{dtype}", "Gemm", [draw.integers(0, 9, 3, 4, dtype=dtype), draw.integers(0, 9, 4, 2, dtype=dtype)], 13)
    shapes = {"i": 2, "j": 3, "k": 4, "b": 2, "h": 3}
    for i, equation in enumerate(("ij,jk->ik", "ij,jk", "bij,bjk->bik", "ii->i", "ii", "ij->ji", "ij->", "i,j->ij", "bhij,bhkj->bhik", "ij,ij->", "ijk,jik->k", "i,i", " i j , j k -> k i",
                                 "ij,jk,kh->ih", "iij->j")):
        terms = equation.replace(" ", "").split("->")[0].split(",")
        yield case(f"Einsum_{i}", "Einsum", [draw.normal(*[shapes[c] for c in term]) for term in terms], 12, equation=equation)
    for i, (equation, a, b) in enumerate((("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)), ("...i,...i", (2, 3), (1, 3)), ("i...,j...->ij...", (2, 3), (4, 3)), ("...ij,jk->...ki", (2, 3, 4), (4, 2)))):
        yield case(f"Einsum_ellipsis_{i}", "Einsum", [draw.normal(*a), draw.normal(*b)], 12, equation=equation)
    yield case("Einsum_int", "Einsum", [draw.integers(0, 9, 3, 4, dtype=np.int32), draw.integers(0, 9, 4, 2, dtype=np.int32)], 12, equation="ij,jk->ik")
    yield case("Einsum_bfloat16", "Einsum", [draw.normal(3, 4, dtype=BFLOAT16), draw.normal(4, 2, dtype=BFLOAT16)], 28, equation="ij,jk->ik")
    yield case("Det", "Det", [draw.normal(2, 3, 3)], 22)


def cases(draw):
    for family in (unary, binary, integers, products):
        yield from family(draw)
