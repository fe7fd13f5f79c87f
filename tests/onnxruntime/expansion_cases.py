"""Nodes of ONNX Runtime's own operators, each a model of one node."""

import dataclasses
import itertools
import math

import graph_parts
import numpy
from graph_parts import MICROSOFT

_SEEDS = itertools.count(1)


class Constant:
    """An input that is an initializer."""

    def __init__(self, array):
        self.array = array


@dataclasses.dataclass(frozen=True)
class Case:
    """A model of one node. inputs in the order of slots: an array is fed, None is left out. outputs: their number, or a
    list whose false ones are left out. declare: "nothing": behind an Identity no shape is declared. reason: why there
    is no expansion."""
    op: str
    form: str
    inputs: list
    attributes: dict = dataclasses.field(default_factory=dict)
    outputs: object = 1
    domain: str = MICROSOFT
    opset: int = 17
    declare: str = "shapes"
    compared: list = None
    reason: str = None

    def __str__(self):
        return f"{self.op}: {self.form}"

    def halved(self):
        """Returns the case with halves for floats."""
        return dataclasses.replace(self, form=f"{self.form}, FP16", inputs=[_half(one) for one in self.inputs])


def _half(one):
    if isinstance(one, Constant):
        return Constant(_half(one.array))
    return one.astype(numpy.float16) if one is not None and one.dtype == numpy.float32 else one


def cases_of(op, rows):
    """Makes the cases of [form, inputs, attributes, {more fields}]."""
    return [Case(op, *row[:3], **(row[3] if len(row) > 3 else {})) for row in rows]


def because(op, reason, form, inputs, attributes=None, more=None):
    return Case(op, form, inputs, attributes or {}, reason=reason, **(more or {}))


def f(dims, scale=1.0):
    return graph_parts.random(dims, scale, next(_SEEDS))


def x3():
    return f([2, 5, 8])


def w(dims, scale=1.0):
    return Constant(f(dims, scale))


def positive(dims):
    return Constant(0.5 + numpy.abs(f(dims)))


def integers(kind, dims, values):
    return numpy.array(values, kind).reshape(dims)


def i32(dims, values):
    return integers("int32", dims, values)


def i64(dims, values):
    return integers("int64", dims, values)


def codes(kind, dims):
    """Makes codes over a whole 8-bit type. int8 has 7 bits: pairs of its products with uint8 stay in 16 bits, in which
    the engine adds on CPUs without VNNI."""
    numbers = numpy.floor(f(dims, 63 if kind == "int8" else 127) + 0.5)
    return (numbers + (128 if kind == "uint8" else 0)).astype(kind)


def wq(dims):
    return Constant(codes("int8", dims))


def scale(number):
    return Constant(graph_parts.scalar(number))


def zero(kind, number):
    return Constant(graph_parts.scalar(number, kind))


IDS = i32([2, 5], range(10))
MASK_5 = i32([2, 5], [1, 1, 1, 0, 0, 1, 1, 1, 1, 0])
NORMS = [
    *cases_of("SkipLayerNormalization", [
        ["beta", [x3(), x3(), w([8]), w([8])]],
        ["no beta", [x3(), x3(), w([8])]],
        ["bias and sum", [x3(), x3(), w([8]), w([8]), w([8])], {"epsilon": 1e-5},
         {"outputs": [True, False, False, True]}],
        ["bias without beta", [x3(), x3(), w([8]), None, w([8])]],
        ["one skip for all samples", [x3(), f([1, 5, 8]), w([8]), w([8])]],
        ["skip of rank 2", [x3(), w([5, 8]), w([8]), w([8])]],
        ["opset 13", [x3(), x3(), w([8]), w([8])], {}, {"opset": 13}],
        ["opset 13 without beta", [x3(), x3(), w([8])], {"epsilon": 1e-3}, {"opset": 13}],
    ]),
    *cases_of("SkipSimplifiedLayerNormalization", [
        ["plain", [x3(), x3(), w([8])]],
        ["bias and sum", [x3(), x3(), w([8]), w([8])], {"epsilon": 1e-6}, {"outputs": [True, False, False, True]}],
        ["rank 2", [f([7, 8]), f([7, 8]), w([8])], {"epsilon": 1e-5}],
        ["opset 12", [x3(), x3(), w([8])], {}, {"opset": 12}],
    ]),
    *cases_of("SimplifiedLayerNormalization", [
        ["default axis", [x3(), w([8])], {"stash_type": 1}, {"domain": ""}],
        ["axis 2", [x3(), w([8])], {"axis": 2, "epsilon": 1e-6, "stash_type": 1}, {"domain": ""}],
        ["axis 1", [x3(), w([5, 8])], {"axis": 1, "stash_type": 1}, {"domain": ""}],
        ["opset 13", [x3(), w([8])], {"axis": -1, "stash_type": 1}, {"domain": "", "opset": 13}],
    ]),
    *cases_of("LayerNormalization", [
        ["opset 13", [x3(), w([8]), w([8])], {"axis": -1}, {"domain": "", "opset": 13}],
        ["opset 14 without beta", [x3(), w([8])], {"axis": 2, "epsilon": 1e-3}, {"domain": "", "opset": 14}],
        ["opset 11 over two axes", [x3(), w([5, 8]), w([5, 8])], {"axis": 1}, {"domain": "", "opset": 11}],
    ]),
    *cases_of("EmbedLayerNormalization", [
        ["segments", [IDS, i32([2, 5], [0, 0, 1, 1, 1, 0, 0, 0, 1, 1]), w([10, 8]), w([6, 8]), w([2, 8]), w([8]),
         w([8])], {"epsilon": 1e-5}, {"outputs": 2}],
        ["no segments", [IDS, None, w([10, 8]), w([6, 8]), None, w([8]), w([8])], {}, {"outputs": 2}],
        ["mask", [IDS, None, w([10, 8]), w([6, 8]), None, w([8]), w([8]), MASK_5], {}, {"outputs": 2}],
        ["mask at opset 12", [IDS, None, w([10, 8]), w([6, 8]), None, w([8]), w([8]), MASK_5], {}, {"outputs": 2,
         "opset": 12}],
        ["positions and sum", [IDS, None, w([10, 8]), w([6, 8]), None, w([8]), w([8]), None,
         i32([1, 5], [5, 4, 3, 2, 1])], {}, {"outputs": 3}],
    ]),
]

ACTIVATIONS = [
    *cases_of("Gelu", [["plain", [f([3, 7], 4)]], ["opset 20", [f([3, 7], 4)], {}, {"opset": 20}]]),
    *cases_of("BiasGelu", [["plain", [f([3, 7], 4), w([7])]]]),
    *cases_of("FastGelu", [["plain", [f([3, 7], 4)]], ["bias", [f([3, 7], 4), w([7])]]]),
    *cases_of("QuickGelu", [["default", [f([3, 7], 4)]], ["alpha 1", [f([3, 7], 4)], {"alpha": 1.0}],
              ["alpha", [f([3, 7], 4)], {"alpha": 1.3}]]),
]


def image():
    return f([2, 4, 6, 6])


def fused(activation, numbers=None, more=(), form=None):
    return [form or activation, [image(), w([6, 4, 3, 3], 0.3), w([6]), *more],
                        {"activation": activation, "pads": [1, 1, 1, 1], **({"activation_params": numbers} if numbers else {})}]


PRODUCTS = [
    *cases_of("FusedMatMul", [
        ["alpha", [f([2, 3, 4]), f([2, 4, 5])], {"alpha": 0.25}],
        ["transposed weight", [f([2, 3, 4]), w([5, 4])], {"transB": 1}],
        ["transposed data", [f([2, 4, 3]), f([2, 4, 5])], {"transA": 1, "alpha": 0.5}],
        ["both", [f([4, 3]), f([5, 4])], {"transA": 1, "transB": 1}],
        ["heads", [f([2, 3, 5, 4]), f([2, 3, 5, 4])], {"transB": 1, "alpha": 0.5}],
        ["a vector", [f([4]), f([5, 4])], {"transA": 1, "transB": 1}],
        ["batch of A", [f([3, 2, 4]), f([2, 4, 5])], {"transBatchA": 1}],
        ["batch of B", [f([2, 3, 4]), f([4, 2, 5])], {"transBatchB": 1}],
        ["batches swapped", [f([4, 2, 3]), f([5, 2, 4])], {"transA": 1, "transB": 1, "transBatchA": 1,
         "transBatchB": 1}],
        ["batches of rank 4", [f([3, 2, 2, 4]), f([4, 2, 2, 5])], {"transBatchA": 1, "transBatchB": 1}],
        ["no shapes", [f([2, 3, 4]), f([2, 5, 4])], {"transB": 1}, {"declare": "nothing"}],
    ]),
    *cases_of("TransposeMatMul", [["plain", [f([2, 4, 3]), f([2, 4, 5])], {"transA": 1, "alpha": 0.5}]]),
    *cases_of("FusedGemm", [
        ["Relu", [f([3, 4]), w([4, 5]), w([5])], {"activation": "Relu"}],
        ["LeakyRelu", [f([3, 4]), w([5, 4]), w([5])], {"activation": "LeakyRelu", "activation_alpha": 0.2, "transB": 1,
         "alpha": 0.5, "beta": 0.25}],
        ["Sigmoid without C", [f([3, 4]), w([4, 5])], {"activation": "Sigmoid"}],
        ["Tanh", [f([3, 4]), w([4, 5]), w([5])], {"activation": "Tanh"}],
        ["Elu", [f([3, 4]), w([4, 5]), w([5])], {"activation": "Elu", "activation_alpha": 0.7}],
        ["HardSigmoid", [f([3, 4]), w([4, 5]), w([5])], {"activation": "HardSigmoid", "activation_alpha": 0.3,
         "activation_beta": 0.4}],
        ["Selu", [f([3, 4]), w([4, 5]), w([5])], {"activation": "Selu", "activation_alpha": 1.5,
         "activation_gamma": 1.1}],
        ["Softplus", [f([3, 4]), w([4, 5]), w([5])], {"activation": "Softplus"}],
        ["Softsign", [f([3, 4]), w([4, 5]), w([5])], {"activation": "Softsign"}],
        ["ThresholdedRelu", [f([3, 4]), w([4, 5]), w([5])], {"activation": "ThresholdedRelu", "activation_alpha": 0.3}],
    ]),
    *cases_of("FusedConv", [
        fused("Relu"), fused("Tanh"), fused("Sigmoid"), fused("LeakyRelu", [0.1]), fused("Clip", [-0.2, 0.5]),
        fused("HardSigmoid", [0.25, 0.5]), fused("Relu", None, [f([2, 6, 6, 6])], "sum and Relu"),
        ["no bias", [image(), w([6, 2, 3, 3], 0.3)], {"activation": "Relu", "group": 2, "strides": [2, 2]}],
    ]),
]


def packed_codes(dims):
    """Packed codes of MatMulNBits."""
    return Constant((numpy.arange(math.prod(dims)) * 37 + 11).astype(numpy.uint8).reshape(dims))


def blocks(K, N, block, bits, zeros, more=()):  # noqa: N803: names of the attributes
    count = math.ceil(K / block)
    data, codes_, scales = f([3, K]), packed_codes([N, count, block * bits // 8]), w([N, count], 0.05)
    points = {"packed": lambda: packed_codes([N, math.ceil(count * bits / 8)]), "float": lambda: w([N, count], 4),
              "no": lambda: None}[zeros]()
    return [f"K {K}, N {N}, blocks of {block}, {bits} bits, {zeros} zero points{', bias' if more else ''}",
                        [data, codes_, scales, points, None, *more], {"K": K, "N": N, "bits": bits, "block_size": block}]


WEIGHTS = cases_of("MatMulNBits", [
    blocks(32, 6, 16, 4, "no"), blocks(32, 6, 16, 4, "packed"), blocks(40, 6, 16, 4, "packed"), blocks(64, 5, 32, 4, "no"),
    blocks(64, 5, 32, 4, "float"), blocks(64, 5, 32, 8, "no"), blocks(64, 5, 32, 8, "packed"), blocks(64, 5, 16, 2, "no"),
    blocks(64, 5, 16, 2, "packed"), blocks(32, 6, 16, 4, "no", [w([6])]),
])


def caches(rows, half):
    return [w([rows, half]), w([rows, half])]


POSITIONS = i64([2, 3], [0, 1, 2, 4, 5, 6])
ROTARY = cases_of("RotaryEmbedding", [
    ["heads in the last axis", [f([2, 3, 16]), POSITIONS, *caches(8, 4)]],
    ["interleaved", [f([2, 3, 16]), POSITIONS, *caches(8, 4)], {"interleaved": 1}],
    ["first position", [f([2, 3, 16]), i64([1], [2]), *caches(8, 4)]],
    ["rank 4", [f([2, 2, 3, 8]), POSITIONS, *caches(8, 4)]],
    ["rank 4, first position, interleaved", [f([2, 2, 3, 8]), i64([1], [3]), *caches(8, 4)], {"interleaved": 1}],
    ["part of a head", [f([2, 3, 16]), POSITIONS, *caches(8, 2)], {"num_heads": 2, "rotary_embedding_dim": 4}],
    ["part of a head, interleaved", [f([2, 3, 16]), POSITIONS, *caches(8, 2)], {"num_heads": 2,
     "rotary_embedding_dim": 4, "interleaved": 1}],
    ["num_heads", [f([2, 3, 16]), POSITIONS, *caches(8, 4)], {"num_heads": 2}],
])


def joint():
    return [f([2, 4, 8]), w([8, 24], 0.5), w([24])]


MASK = i32([2, 4], [1, 1, 1, 0, 1, 1, 0, 0])
ATTENTION = [
    *cases_of("Attention", [
        ["plain", joint(), {"num_heads": 2}],
        ["fed weights", [f([2, 4, 8]), f([8, 24], 0.5), f([24])], {"num_heads": 2}],
        ["causal", joint(), {"num_heads": 2, "unidirectional": 1}],
        ["scale", joint(), {"num_heads": 2, "scale": 0.3}],
        ["mask [B, T]", [*joint(), MASK], {"num_heads": 2}],
        ["mask [B, T], causal", [*joint(), MASK], {"num_heads": 2, "unidirectional": 1}],
        ["mask [B, S, T]", [*joint(), i32([2, 4, 4], [int(i % 3 > 0) for i in range(32)])], {"num_heads": 2}],
        ["mask of lengths", [*joint(), i32([2], [3, 2])], {"num_heads": 2}],
        ["mask of ends and starts", [*joint(), i32([4], [4, 3, 1, 0])], {"num_heads": 2}],
        ["mask_filter_value", [*joint(), MASK], {"num_heads": 2, "mask_filter_value": -3.0}],
        ["bias of scores", [*joint(), None, None, f([2, 2, 4, 4])], {"num_heads": 2}],
        ["one bias of scores", [*joint(), MASK, None, f([1, 1, 4, 4])], {"num_heads": 2}],
        ["past", [*joint(), None, f([2, 2, 2, 3, 4])], {"num_heads": 2}, {"outputs": 2}],
        ["past, causal", [*joint(), None, f([2, 2, 2, 3, 4])], {"num_heads": 2, "unidirectional": 1}, {"outputs": 2}],
        ["past, mask", [*joint(), i32([2, 7], [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]), f([2, 2, 2, 3, 4])],
         {"num_heads": 2, "unidirectional": 1}, {"outputs": 2}],
        ["present without past", [f([1, 4, 8]), w([8, 24], 0.5), w([24])], {"num_heads": 2}, {"outputs": 2}],
        ["wider values", [f([2, 4, 8]), w([8, 28], 0.5), w([28])], {"num_heads": 2, "qkv_hidden_sizes": [8, 8, 12]}],
        ["opset 12", joint(), {"num_heads": 2, "unidirectional": 1}, {"opset": 12}],
    ]),
    *cases_of("MultiHeadAttention", [
        ["plain", [x3(), x3(), x3()], {"num_heads": 2}],
        ["other length", [f([2, 4, 8]), f([2, 6, 8]), f([2, 6, 8])], {"num_heads": 2}],
        ["bias", [x3(), x3(), x3(), w([24])], {"num_heads": 2}],
        ["wider values", [x3(), x3(), f([2, 5, 12])], {"num_heads": 2}],
        ["wider values, bias", [x3(), x3(), f([2, 5, 12]), w([28])], {"num_heads": 2}],
        ["scale", [x3(), x3(), x3()], {"num_heads": 4, "scale": 0.7}],
        ["causal", [x3(), x3(), x3()], {"num_heads": 2, "unidirectional": 1}],
        ["causal, fewer keys", [f([2, 6, 8]), f([2, 4, 8]), f([2, 4, 8])], {"num_heads": 2, "unidirectional": 1}],
        ["causal, more keys", [f([2, 4, 8]), f([2, 6, 8]), f([2, 6, 8])], {"num_heads": 2, "unidirectional": 1}],
        ["mask [B, T]", [x3(), x3(), x3(), None, MASK_5], {"num_heads": 2}],
        ["mask [B, S, T]", [x3(), x3(), x3(), None, i32([2, 5, 5], [int(i % 4 > 0) for i in range(50)])],
         {"num_heads": 2}],
        ["mask of lengths", [x3(), x3(), x3(), None, i32([2], [3, 5])], {"num_heads": 2}],
        ["bias of scores", [x3(), x3(), x3(), None, None, f([1, 2, 5, 5])], {"num_heads": 2}],
        ["past", [f([2, 1, 8]), f([2, 1, 8]), f([2, 1, 8]), None, None, None, f([2, 2, 3, 4]), f([2, 2, 3, 4])],
         {"num_heads": 2}, {"outputs": 3}],
        ["past, bias, causal", [f([2, 2, 8]), f([2, 2, 8]), f([2, 2, 8]), w([24]), None, None, f([2, 2, 3, 4]),
         f([2, 2, 3, 4])], {"num_heads": 2, "unidirectional": 1}, {"outputs": 3}],
        ["present without past", [x3(), x3(), x3()], {"num_heads": 2}, {"outputs": 3}],
        ["keys of an encoder", [x3(), f([2, 2, 6, 4]), f([2, 2, 6, 4])], {"num_heads": 2}],
        ["keys of an encoder, bias of queries", [x3(), f([2, 2, 6, 4]), f([2, 2, 6, 4]), w([24])], {"num_heads": 2}],
    ]),
]


def past(rows, length):
    return [f([rows, 2, length, 16]), f([rows, 2, length, 16])]


def lengths(rows, total):
    return [i32([rows], [total - 1] * rows), Constant(i32([], total))]


def grouped(rows, new, old, more=(), joined=False):
    """Grouped queries: `new` positions behind `old` ones, 4 heads in 2 groups, 16 elements each."""
    queries = [f([rows, new, 128]), None, None] if joined else [f([rows, new, 64]), f([rows, new, 32]), f([rows, new, 32])]
    return [*queries, *(past(rows, old) if old else [None, None]), *lengths(rows, new + old), *more]


GROUPS = {"num_heads": 4, "kv_num_heads": 2}
# Caches hold other places behind unequal pasts.
UNEQUAL = {"outputs": 3, "compared": ["out_0"]}
GQA = cases_of("GroupQueryAttention", [
    ["prompt", grouped(2, 5, 0), GROUPS, {"outputs": 3}],
    ["token", grouped(2, 1, 6), GROUPS, {"outputs": 3}],
    ["several tokens", grouped(1, 3, 6), GROUPS, {"outputs": 3}],
    ["one group a head", [f([1, 3, 16]), f([1, 3, 16]), f([1, 3, 16]), None, None, *lengths(1, 3)], {"num_heads": 2,
     "kv_num_heads": 2}, {"outputs": 3}],
    ["joint projections", grouped(2, 5, 0, [], True), GROUPS, {"outputs": 3}],
    ["joint projections, token", grouped(2, 1, 6, [], True), GROUPS, {"outputs": 3}],
    ["rotary", grouped(2, 5, 0, caches(16, 8)), GROUPS | {"do_rotary": 1}, {"outputs": 3}],
    ["rotary, token", grouped(2, 1, 6, caches(16, 8)), GROUPS | {"do_rotary": 1}, {"outputs": 3}],
    ["rotary, token, interleaved", grouped(2, 1, 6, caches(16, 8)), GROUPS | {"do_rotary": 1, "rotary_interleaved": 1},
     {"outputs": 3}],
    ["rotary, joint", grouped(1, 3, 6, caches(16, 8), True), GROUPS | {"do_rotary": 1}, {"outputs": 3}],
    ["rotary over a part of a head", [f([1, 3, 64]), f([1, 3, 32]), f([1, 3, 32]), None, None, *lengths(1, 3),
     *caches(16, 8)], {"num_heads": 2, "kv_num_heads": 1, "do_rotary": 1}, {"outputs": 3}],
    ["positions", grouped(1, 1, 6, [*caches(16, 8), i64([1, 1], [6])]), GROUPS | {"do_rotary": 1}, {"outputs": 3}],
    ["scale", grouped(1, 5, 0), GROUPS | {"scale": 0.2}, {"outputs": 3}],
    ["softcap", grouped(1, 5, 0), GROUPS | {"softcap": 1.5}, {"outputs": 3}],
    ["window", grouped(1, 7, 0), GROUPS | {"local_window_size": 3}, {"outputs": 3}],
    ["window, token", grouped(2, 1, 6), GROUPS | {"local_window_size": 3}, {"outputs": 3}],
    ["bias of scores", grouped(1, 5, 0, [None, None, None, f([1, 4, 5, 5])]), GROUPS, {"outputs": 3}],
    ["sinks", grouped(1, 5, 0, [None, None, None, None, f([4])]), GROUPS, {"outputs": 3}],
    ["sinks, token", grouped(2, 1, 6, [None, None, None, None, f([4])]), GROUPS, {"outputs": 3}],
    ["smooth softmax", grouped(1, 5, 0), GROUPS | {"smooth_softmax": 1}, {"outputs": 3}],
    ["unequal pasts", [f([2, 1, 64]), f([2, 1, 32]), f([2, 1, 32]), *past(2, 6), i32([2], [6, 4]),
     Constant(i32([], 7))], GROUPS, UNEQUAL],
    ["unequal pasts, rotary", [f([2, 1, 64]), f([2, 1, 32]), f([2, 1, 32]), *past(2, 6), i32([2], [6, 4]),
     Constant(i32([], 7)), *caches(16, 8)], GROUPS | {"do_rotary": 1}, UNEQUAL],
    ["unequal pasts, window", [f([2, 1, 64]), f([2, 1, 32]), f([2, 1, 32]), *past(2, 6), i32([2], [6, 4]),
     Constant(i32([], 7))], GROUPS | {"local_window_size": 3}, UNEQUAL],
])


def coded(kind, dims, step, point):
    """Codes with scale and zero point."""
    return [codes(kind, dims), scale(step), zero(kind, point)]


def quantized_by(kind, step, point):
    return [scale(step), zero(kind, point)]


def both(make):
    return [[kind, *make(kind, 120 if kind == "uint8" else -5)] for kind in ("uint8", "int8")]


BIAS = i32([5], [10, -200, 30, 0, 500])
CODES = [
    *cases_of("QLinearAdd", [
        *both(lambda kind,
              z: [[*coded(kind, [2, 9], 0.02, z), *coded(kind, [2, 9], 0.03, z + 1), *quantized_by(kind, 0.05, z)]]),
        ["broadcast", [*coded("uint8", [2, 3, 4], 0.02, 7), *coded("uint8", [4], 0.03, 200),
         *quantized_by("uint8", 0.05, 99)]],
    ]),
    *cases_of("QLinearMul", both(lambda kind,
              z: [[*coded(kind, [2, 9], 0.02, z), *coded(kind, [2, 9], 0.03, z + 1), *quantized_by(kind, 0.03, z)]])),
    *cases_of("QLinearSigmoid", both(lambda kind,
              z: [[*coded(kind, [3, 40], 0.05, z), *quantized_by(kind, 1 / 256, 0 if kind == "uint8" else -128)]])),
    *cases_of("QLinearLeakyRelu", both(lambda kind,
              z: [[*coded(kind, [3, 40], 0.05, z), *quantized_by(kind, 0.04, z)], {"alpha": 0.2}])),
    *cases_of("QLinearConcat", [
        *both(lambda kind,
              z: [[*quantized_by(kind, 0.05, z), *coded(kind, [2, 3], 0.05, z), *coded(kind, [2, 4], 0.03, z + 2)],
              {"axis": 1}]),
        ["three parts", [*quantized_by("uint8", 0.05, 9), *coded("uint8", [2, 3], 0.05, 9),
         *coded("uint8", [1, 3], 0.03, 1), *coded("uint8", [3, 3], 0.01, 255)], {"axis": 0}],
    ]),
    *cases_of("QLinearWhere", both(lambda kind, z: [[integers("bool", [2, 4], [1, 0, 1, 0, 0, 1, 1,
              0]), *coded(kind, [2, 4], 0.02, z), *coded(kind, [2, 4], 0.03, z + 1), *quantized_by(kind, 0.05, z)]])),
    *cases_of("QLinearConv", [
        ["channels last", [codes("uint8", [1, 5, 5, 4]), scale(0.02), zero("uint8", 128), wq([3, 4, 3, 3]), scale(0.01),
         zero("int8", 0), scale(0.05), zero("uint8", 128), Constant(i32([3], [100, -50, 7]))], {"channels_last": 1,
         "pads": [1, 1, 1, 1]}],
        ["channels first", [codes("uint8", [1, 4, 5, 5]), scale(0.02), zero("uint8", 128), wq([3, 4, 3, 3]),
         scale(0.01), zero("int8", 0), scale(0.05), zero("uint8", 128)], {"strides": [2, 2]}],
    ]),
    *cases_of("QLinearGlobalAveragePool", both(lambda kind,
              z: [[*coded(kind, [2, 3, 5, 5], 0.02, z), *quantized_by(kind, 0.005, z)]])),
    *cases_of("QLinearGlobalAveragePool", [["channels last",
              [*coded("uint8", [2, 5, 5, 3], 0.02, 120), *quantized_by("uint8", 0.005, 120)], {"channels_last": 1}]]),
    *cases_of("QLinearAveragePool", [
        ["uint8", [*coded("uint8", [1, 3, 6, 6], 0.02, 120), *quantized_by("uint8", 0.015, 120)],
         {"kernel_shape": [2, 2], "strides": [2, 2]}],
        ["channels last", [*coded("uint8", [1, 6, 6, 3], 0.02, 120), *quantized_by("uint8", 0.015, 120)],
         {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "channels_last": 1}],
    ]),
    *cases_of("QLinearSoftmax", [["last axis",
              [*coded("uint8", [3, 8], 0.02, 120), *quantized_by("uint8", 1 / 256, 0)], {"axis": -1, "opset": 13}]]),
    *cases_of("NhwcMaxPool", [
        ["uint8", [codes("uint8", [1, 6, 6, 3])], {"kernel_shape": [2, 2], "strides": [2, 2]}],
        ["int8, padded", [codes("int8", [1, 6, 6, 3])], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}],
    ]),
    *cases_of("QGemm", [
        ["float result", [*coded("uint8", [3, 8], 0.02, 120), wq([8, 5]), scale(0.03), zero("int8", 0), BIAS]],
        ["codes, transposed", [*coded("uint8", [3, 8], 0.02, 120), wq([5, 8]), scale(0.03), zero("int8", 0), BIAS,
         scale(0.2), zero("uint8", 128)], {"transB": 1}],
        ["a scale per column", [*coded("uint8", [3, 8], 0.02, 120), wq([8, 5]), positive([5]),
         Constant(integers("int8", [5], [0, 0, 0, 0, 0]))], {"alpha": 0.5}],
    ]),
    *cases_of("DynamicQuantizeMatMul", [
        ["int8", [f([3, 8]), wq([8, 5]), scale(0.03), zero("int8", 0)]],
        ["a scale per column, bias", [f([2, 3, 8]), wq([8, 5]), positive([5]), None, w([5])]],
    ]),
    *cases_of("MatMulIntegerToFloat", [
        ["uint8 and int8", [codes("uint8", [3, 8]), wq([8, 5]), scale(0.02), scale(0.03), zero("uint8", 120),
         zero("int8", 2)]],
        ["bias", [codes("uint8", [3, 8]), Constant(codes("uint8", [8, 5])), scale(0.02), positive([5]),
         zero("uint8", 120), None, w([5])]],
    ]),
]

# Halves, where the engine has kernels for them: the first form of each operator.
FLOATS = [*NORMS, *ACTIVATIONS, *PRODUCTS, *WEIGHTS, *ROTARY, *ATTENTION, *GQA]
HALVED = [next(one for one in FLOATS if one.op == op).halved() for op in (
    "SkipLayerNormalization", "SkipSimplifiedLayerNormalization", "FastGelu", "RotaryEmbedding", "MatMulNBits",
    "GroupQueryAttention", "MultiHeadAttention", "Gelu", "FusedMatMul", "QuickGelu", "SimplifiedLayerNormalization",
    "LayerNormalization", "BiasGelu", "FusedConv", "FusedGemm", "Attention", "EmbedLayerNormalization")]
CASES = [*FLOATS, *CODES, *HALVED]

# Forms without an expansion, and the reason that is given.
REFUSED = [
    because("MultiHeadAttention", "packed queries, keys and values", "packed", [f([1, 4, 2, 3, 8]), None, None],
            {"num_heads": 2}),
    because("MultiHeadAttention", "packed keys and values", "packed keys", [f([1, 4, 16]), f([1, 4, 2, 2, 8]),
            f([1, 4, 16])], {"num_heads": 2}),
    because("GroupQueryAttention", "q_norm_weight", "norms of queries", grouped(1, 5, 0,
            [None, None, None, None, None, None, None, f([16]), f([16])]), GROUPS),
    because("GroupQueryAttention", "qk_output=1", "scores as output", grouped(1, 5, 0), GROUPS | {"qk_output": 1}),
    because("GroupQueryAttention", "opset 14", "old opset", grouped(1, 5, 0), GROUPS, {"opset": 13}),
    because("Attention", "past_present_share_buffer=1", "shared buffer", joint(), {"num_heads": 2,
            "past_present_share_buffer": 1}),
    because("Attention", "do not tell whether it holds lengths", "a list of unknown meaning", [*joint(),
            i32([8], [4] * 8)], {"num_heads": 2}),
    because("RotaryEmbedding", "declares no shape", "unknown rank", [f([2, 3, 16]), POSITIONS, *caches(8, 4)], {},
            {"declare": "nothing"}),
    because("MatMulNBits", "is not constant", "fed weights", [f([3, 32]), integers("uint8", [6, 2, 8], [7] * 96),
            w([6, 2]), None], {"K": 32, "N": 6, "bits": 4, "block_size": 16}),
    because("FusedConv", "activation 'Mish'", "unknown activation", [image(), w([6, 4, 3, 3])], {"activation": "Mish"}),
    because("SkipLayerNormalization", r"output 1 \(mean\)", "outputs of training", [x3(), x3(), w([8])], {},
            {"outputs": 2}),
    because("QAttention", "not supported", "no expansion", [codes("uint8", [1, 4, 8]), wq([8, 24]), w([24]), scale(0.1),
            scale(0.1)], {"num_heads": 2}),
    because("Conv", "level extended", "blocked layout", [image(), w([6, 4, 3, 3])], {},
            {"domain": "com.microsoft.nchwc"}),
]
