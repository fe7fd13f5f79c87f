"""Activations and norms as exporters write them out, between Convs: rows of BLOCKS (networks.py)."""

import numpy
from networks import SIGNED, block


def _softplus(g, x):
    return g.Log(g.Add(g.Exp(x), 1.0))


@block(SIGNED)
def softplus_written_out(g, x):
    return _softplus(g, x)


@block(SIGNED)
def softplus_of_two_parts(g, x):  # logaddexp(0, x) in its stable form
    return g.Add(g.Max(x, 0.0), g.Log(g.Add(1.0, g.Exp(g.Neg(g.Abs(x))))))


@block(SIGNED)
def mish_written_out(g, x):
    return g.Mul(x, g.Tanh(_softplus(g, x)))


@block(SIGNED)
def mish_with_softplus(g, x):
    return g.Mul(x, g.Tanh(g.Softplus(x)))


@block(SIGNED)
def swoosh(g, x):
    return g.Sub(g.Sub(_softplus(g, g.Sub(x, 1.0)), g.Mul(x, 0.08)), 0.31)


@block(SIGNED)
def gelu_erf(g, x):
    return g.gelu(x)


@block(SIGNED)
def gelu_erf_half_first(g, x):
    return g.Mul(g.Mul(x, 0.5), g.Add(g.Erf(g.Mul(x, 0.5 ** 0.5)), 1.0))


@block(SIGNED)
def gelu_tanh(g, x):
    inner = g.Add(x, g.Mul(g.Pow(x, 3.0), 0.044715))
    return g.Mul(g.Mul(x, 0.5), g.Add(g.Tanh(g.Mul(inner, (2 / numpy.pi) ** 0.5)), 1.0))


@block(SIGNED)
def gelu_quick(g, x):
    return g.Mul(x, g.Sigmoid(g.Mul(x, 1.702)))


@block(SIGNED)
def swish_written_out(g, x):
    return g.silu(x)


@block(SIGNED)
def swish_of_exponential(g, x):
    return g.Div(x, g.Add(g.Exp(g.Neg(x)), 1.0))


@block(SIGNED)
def hard_swish_of_clip(g, x):
    return g.Div(g.Mul(x, g.Clip(g.Add(x, 3.0), 0.0, 6.0)), 6.0)


@block(SIGNED)
def hard_swish_of_hard_sigmoid(g, x):
    return g.Mul(x, g.HardSigmoid(x, alpha=1 / 6, beta=0.5))


@block(SIGNED)
def leaky_relu_of_maximum(g, x):
    return g.Max(x, g.Mul(x, 0.1))


@block(SIGNED)
def squared_relu(g, x):
    y = g.Relu(x)
    return g.Mul(y, y)


@block(SIGNED)
def snake(g, x):
    wave = g.Sin(g.Mul(x, 2.0))
    return g.Add(x, g.Mul(g.Mul(wave, wave), 0.5))


@block(SIGNED)
def softmax_written_out(g, x):
    powers = g.Exp(g.Sub(x, g.reduce("Max", x, 1)))
    return g.Div(powers, g.reduce("Sum", powers, 1))


@block(SIGNED)
def layer_norm_of_channels(g, x):
    centered = g.Sub(x, g.reduce("Mean", x, 1))
    deviation = g.Sqrt(g.Add(g.reduce("Mean", g.Mul(centered, centered), 1), 1e-6))
    return g.Add(g.Mul(g.Div(centered, deviation), g.uniform(0.5, 1.5, 16, 1, 1)), g.normal(16, 1, 1, scale=0.1))


@block(SIGNED)
def scale_and_shift(g, x):
    return g.Relu(g.Add(g.Mul(x, g.uniform(0.5, 1.5, 1, 16, 1, 1)), g.normal(1, 16, 1, 1, scale=0.3)))


@block(SIGNED)
def clip_below_zero(g, x):
    return g.Clip(x, -1.0, 1.0)


@block(SIGNED)
def gumbel(g, x):
    return g.Exp(g.Neg(g.Exp(g.Neg(x))))
