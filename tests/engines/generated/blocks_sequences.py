"""Blocks of networks for sequences: each function of x [1,12,32] is a row of BLOCKS (networks.py)."""

import numpy
from networks import TOKENS, block

TOKEN_COUNT = 12
CAUSAL = numpy.triu(numpy.full((TOKEN_COUNT, TOKEN_COUNT), -1e4, numpy.float32), 1)


@block(TOKENS)
def attention_fused_qkv(g, x):
    parts = g.transpose(g.reshape(g.linear(g.layer_norm(x), 96), 1, 12, 3, 4, 8), 2, 0, 3, 1, 4)
    q, k, v = (g.Squeeze(part, [0]) for part in g.split(parts, 3, 0))
    return g.Add(x, g.linear(g.joined(g.attention(q, k, v)), 32))


@block(TOKENS)
def attention_three_projections(g, x):
    q, k, v = (g.heads(g.linear(x, 32), 4) for _ in range(3))
    return g.Add(x, g.linear(g.joined(g.attention(q, k, v)), 32))


@block(TOKENS)
def attention_one_head(g, x):
    q, k, v = (g.linear(x, 32) for _ in range(3))
    return g.Add(x, g.linear(g.attention(q, k, v), 32))


@block(TOKENS)
def attention_one_head_fused(g, x):
    return g.Add(x, g.linear(g.attention(*g.split(g.linear(x, 96), 3, 2)), 32))


@block(TOKENS)
def attention_causal(g, x):
    q, k, v = (g.heads(part, 2) for part in g.split(g.linear(x, 96), 3, 2))
    return g.Add(x, g.linear(g.joined(g.attention(q, k, v, CAUSAL)), 32))


@block(TOKENS)
def attention_learned_queries(g, x):
    q = g.heads(g.Identity(g.normal(1, 6, 32)), 4)
    k, v = (g.heads(g.linear(x, 32), 4) for _ in range(2))
    return g.linear(g.joined(g.attention(q, k, v)), 32)


@block(TOKENS)
def attention_pooling(g, x):
    scores = g.Softmax(g.linear(g.Tanh(g.linear(x, 16)), 1), axis=1)
    return g.reduce("Sum", g.Mul(x, scores), 1, keepdims=0)


@block(TOKENS)
def cross_attention(g, x):
    other = g.Relu(g.linear(g.slice(x, 0, 6, 1), 32))
    q, k, v = g.heads(g.linear(x, 32), 4), g.heads(g.linear(other, 32), 4), g.heads(g.linear(other, 32), 4)
    return g.Add(x, g.linear(g.joined(g.attention(q, k, v)), 32))


@block(TOKENS)
def two_way_block(g, x):
    queries = g.Add(g.normal(1, 4, 32), g.reduce("Mean", x, 1))
    position = g.normal(1, 12, 32, scale=0.5)
    for _ in range(2):
        q, k, v = (g.heads(g.linear(queries, 32), 2) for _ in range(3))
        queries = g.layer_norm(g.Add(queries, g.linear(g.joined(g.attention(q, k, v)), 32)))
        keys = g.Add(x, position)
        q, k, v = (g.heads(g.linear(y, 16), 2) for y in (queries, keys, x))
        queries = g.layer_norm(g.Add(queries, g.linear(g.joined(g.attention(q, k, v)), 32)))
        queries = g.layer_norm(g.Add(queries, g.linear(g.Relu(g.linear(queries, 64)), 32)))
        q, k, v = (g.heads(g.linear(y, 16), 2) for y in (keys, queries, queries))
        x = g.layer_norm(g.Add(x, g.linear(g.joined(g.attention(q, k, v)), 32)))
    return g.Concat(queries, x, axis=1)


@block(TOKENS)
def attention_einsum(g, x):
    q, k, v = (g.reshape(g.linear(x, 32), 1, 12, 4, 8) for _ in range(3))
    scores = g.Softmax(g.Mul(g.Einsum(q, k, equation="bihd,bjhd->bhij"), 8 ** -0.5), axis=-1)
    return g.linear(g.reshape(g.Einsum(scores, v, equation="bhij,bjhd->bihd"), 1, 12, 32), 32)


@block(TOKENS)
def attention_rotary(g, x):
    angles = numpy.outer(numpy.arange(12), 10 ** -numpy.linspace(0, 2, 4)).astype(numpy.float32)
    cos, sin = (numpy.tile(f(angles), 2)[None, None] for f in (numpy.cos, numpy.sin))

    def turned(y):
        low, high = g.split(y, 2, 3)
        return g.Add(g.Mul(y, cos), g.Mul(g.Concat(g.Neg(high), low, axis=3), sin))

    q, k, v = (g.heads(g.linear(x, 32, bias=False), 4) for _ in range(3))
    return g.Add(x, g.linear(g.joined(g.attention(turned(q), turned(k), v)), 32, bias=False))


@block(TOKENS)
def attention_linear(g, x):
    q, k, v = (g.heads(g.linear(x, 32), 4) for _ in range(3))
    q, k = (g.Add(g.Elu(y), 1.0) for y in (q, k))
    total = g.MatMul(g.transpose(k, 0, 1, 3, 2), v)
    norm = g.MatMul(q, g.transpose(g.reduce("Sum", k, 2), 0, 1, 3, 2))
    return g.linear(g.joined(g.Div(g.MatMul(q, total), g.Add(norm, 1e-6))), 32)


@block(TOKENS)
def transformer_layer(g, x):
    q, k, v = (g.heads(part, 4) for part in g.split(g.linear(g.layer_norm(x), 96), 3, 2))
    x = g.Add(x, g.linear(g.joined(g.attention(q, k, v)), 32))
    return g.Add(x, g.linear(g.gelu(g.linear(g.layer_norm(x), 128)), 32))


@block(TOKENS)
def class_token(g, x):
    y = g.Concat(g.normal(1, 1, 32), x, axis=1)
    q, k, v = (g.heads(g.linear(y, 32), 4) for _ in range(3))
    y = g.layer_norm(g.Add(y, g.linear(g.joined(g.attention(q, k, v)), 32)))
    return g.Gather(y, numpy.int64(0), axis=1)


@block(TOKENS)
def rms_norm_swiglu(g, x):
    mean = g.reduce("Mean", g.Pow(x, 2.0), -1)
    y = g.Mul(g.Mul(x, g.Reciprocal(g.Sqrt(g.Add(mean, 1e-6)))), g.uniform(0.5, 1.5, 32))
    y = g.Mul(g.silu(g.linear(y, 64, bias=False)), g.linear(y, 64, bias=False))
    return g.Add(x, g.linear(y, 32, bias=False))


@block(TOKENS)
def layer_norm_written_out(g, x):
    centered = g.Sub(x, g.reduce("Mean", x, -1))
    deviation = g.Sqrt(g.Add(g.reduce("Mean", g.Pow(centered, 2.0), -1), 1e-5))
    y = g.Add(g.Mul(g.Div(centered, deviation), g.uniform(0.5, 1.5, 32)), g.normal(32, scale=0.1))
    return g.Relu(g.linear(y, 32))


@block(TOKENS)
def mlp_mixer(g, x):
    y = g.transpose(g.layer_norm(x), 0, 2, 1)
    x = g.Add(x, g.transpose(g.linear(g.gelu(g.linear(y, 24)), 12), 0, 2, 1))
    return g.Add(x, g.linear(g.gelu(g.linear(g.layer_norm(x), 64)), 32))


@block(TOKENS)
def gated_mlp(g, x):
    gate, value = g.split(g.gelu(g.linear(g.layer_norm(x), 64)), 2, 2)
    gate = g.transpose(g.linear(g.transpose(g.layer_norm(gate), 0, 2, 1), 12), 0, 2, 1)
    return g.Add(x, g.linear(g.Mul(value, gate), 32))


@block(TOKENS)
def gated_linear_unit(g, x):
    value, gate = g.split(g.linear(x, 64), 2, 2)
    return g.Mul(value, g.Sigmoid(gate))


@block(TOKENS)
def gated_tanh(g, x):
    y = g.transpose(x, 0, 2, 1)
    y = g.Mul(g.Tanh(g.conv(y, 32, dilation=2)), g.Sigmoid(g.conv(y, 32, dilation=2)))
    return g.Add(x, g.transpose(g.conv(y, 32, 1), 0, 2, 1))


@block(TOKENS)
def conformer_convolution(g, x):
    y = g.transpose(g.layer_norm(x), 0, 2, 1)
    value, gate = g.split(g.conv(y, 64, 1), 2, 1)
    y = g.silu(g.batch_norm(g.conv(g.Mul(value, g.Sigmoid(gate)), 32, 7, group=32)))
    return g.Add(x, g.transpose(g.conv(y, 32, 1), 0, 2, 1))


@block(TOKENS)
def temporal_separable(g, x):
    y = g.transpose(x, 0, 2, 1)
    for rate in (1, 2):
        padded = g.Pad(y, [0, 0, 2 * rate, 0, 0, 0])
        hidden = g.Relu(g.conv(padded, 32, group=32, dilation=rate, pads=[0, 0]))
        y = g.Relu(g.Add(y, g.conv(hidden, 32, 1)))
    return g.transpose(y, 0, 2, 1)


@block(TOKENS)
def text_cnn(g, x):
    y = g.transpose(x, 0, 2, 1)
    peaks = [g.reduce("Max", g.Relu(g.conv(y, 16, size, pads=[0, 0])), 2, keepdims=0) for size in (2, 3, 4)]
    return g.Concat(*peaks, axis=1)


@block(TOKENS)
def point_net(g, x):
    y = g.Relu(g.linear(g.Relu(g.linear(x, 32)), 64))
    peak = g.reduce("Max", y, 1)
    return g.Concat(x, g.Expand(peak, [1, 12, 64]), axis=2)


@block(TOKENS)
def point_net_deep(g, x):
    y = g.transpose(x, 0, 2, 1)
    y = g.Relu(g.conv(g.Relu(g.conv(y, 32, 1)), 64, 1))
    return g.gemm(g.Relu(g.gemm(g.reduce("Max", y, 2, keepdims=0), 32)), 16)


@block(TOKENS)
def edge_convolution(g, x):
    neighbours = g.random.integers(0, 12, (12, 4))
    near = g.Gather(x, neighbours, axis=1)  # [1, 12, 4, C]
    center = g.Expand(g.Unsqueeze(x, [2]), [1, 12, 4, 32])
    edges = g.Concat(center, g.Sub(near, center), axis=3)
    return g.reduce("Max", g.LeakyRelu(g.linear(edges, 32), alpha=0.2), 2, keepdims=0)


@block(TOKENS)
def graph_convolution(g, x):
    shares = g.random.dirichlet(numpy.ones(12), 12).astype(numpy.float32)
    return g.Relu(g.linear(g.MatMul(shares, x), 32))


@block(TOKENS)
def deep_set(g, x):
    y = g.Relu(g.linear(x, 32))
    return g.linear(g.Sub(y, g.reduce("Max", y, 1)), 32)


@block(TOKENS)
def hypernetwork_product(g, x):
    weight = g.reshape(g.gemm(g.reduce("Mean", x, 1, keepdims=0), 32 * 16), 1, 32, 16)
    return g.Relu(g.MatMul(x, g.Mul(weight, 32 ** -0.5)))


@block(TOKENS)
def mixture_of_experts(g, x):
    shares = g.split(g.Softmax(g.linear(x, 3), axis=-1), 3, 2)
    experts = [g.Mul(g.linear(g.Relu(g.linear(x, 32)), 32), share) for share in shares]
    return g.Add(x, g.Sum(*experts))


@block(TOKENS)
def cosine_similarity(g, x):
    y = g.LpNormalization(g.linear(x, 32), axis=-1, p=2)
    return g.Mul(g.MatMul(y, g.transpose(y, 0, 2, 1)), 10.0)


@block(TOKENS)
def highway(g, x):
    gate = g.Sigmoid(g.linear(x, 32))
    return g.Add(g.Mul(gate, g.Relu(g.linear(x, 32))), g.Mul(g.Sub(1.0, gate), x))


@block(TOKENS)
def relation_net(g, x):
    left = g.Expand(g.Unsqueeze(x, [1]), [1, 12, 12, 32])
    right = g.Expand(g.Unsqueeze(x, [2]), [1, 12, 12, 32])
    pairs = g.Relu(g.linear(g.Concat(left, right, axis=3), 32))
    return g.reduce("Mean", pairs, 2, keepdims=0)
