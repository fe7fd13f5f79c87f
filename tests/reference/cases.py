"""What a case is, and random numbers of a fixed seed to draw it with."""

import dataclasses
import zlib

import ml_dtypes
import numpy as np

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = {"float": np.dtype(np.float32), "double": np.dtype(np.float64), "float16": np.dtype(np.float16), "bfloat16": BFLOAT16}
INTEGERS = {name: np.dtype(name) for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")}
FLOAT8 = {name: np.dtype(getattr(ml_dtypes, "float8_" + name)) for name in ("e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz")}
E8M0 = np.dtype(ml_dtypes.float8_e8m0fnu)
FLOAT4 = np.dtype(ml_dtypes.float4_e2m1fn)
FLOAT6 = {"e2m3": np.dtype(ml_dtypes.float6_e2m3fn), "e3m2": np.dtype(ml_dtypes.float6_e3m2fn)}
SMALL_INTEGERS = {name: np.dtype(getattr(ml_dtypes, name)) for name in ("int4", "uint4", "int2", "uint2")}


@dataclasses.dataclass
class Case:
    """One node; an input is an array, a list of arrays (a sequence) or None (left out)."""

    name: str
    op: str
    inputs: list
    opset: int
    outputs: int = 1
    attributes: dict = dataclasses.field(default_factory=dict)
    graph: object = None  # a GraphProto in place of the one node
    initializers: tuple = ()  # positions of inputs that are constants of the model
    omit_outputs: tuple = ()


def case(name, op, inputs, opset, outputs=1, *, initializers=(), omit_outputs=(), **attributes):
    return Case(name, op, inputs, opset, outputs, attributes, None, initializers, omit_outputs)


class Draw:
    def __init__(self, seed_text):
        self.rng = np.random.default_rng(zlib.crc32(seed_text.encode()))

    def normal(self, *shape, dtype=np.float32, scale=1.0):
        return (self.rng.standard_normal(shape) * scale).astype(np.float32).astype(dtype)

    def uniform(self, low, high, *shape, dtype=np.float32):
        return self.rng.uniform(low, high, shape).astype(np.float32).astype(dtype)

    def integers(self, low, high, *shape, dtype=np.int64):
        """Both ends included."""
        native = np.dtype(dtype).kind in "iu"
        return np.asarray(self.rng.integers(low, high, shape, endpoint=True, dtype=dtype if native else np.int64)).astype(dtype)

    def bools(self, *shape):
        return self.rng.integers(0, 2, shape).astype(bool)

    def pick(self, *options):
        return options[self.rng.integers(len(options))]


def i64(*values):
    return np.array(values, dtype=np.int64)


def f32(*values):
    return np.array(values, dtype=np.float32)
