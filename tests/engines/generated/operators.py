"""The table of operators, each between two layers: operator/image/NAME and operator/tokens/NAME (networks.py).

A row is a function of a graph and of a layer's output x, which returns the input of the next layer: x [1,16,16,16]
between Convs, x [1,12,32] between MatMuls. `both` has one function for the two forms and `each` one for each of them;
the operators of `image` and `tokens` make no sense in the other form. The name of a row is its operator, with `_` and a
word where an operator has several rows. operators_test.py checks that no operator is missing."""

import numpy
from networks import OPSET, SIGNED, TOKENS
from onnx import TensorProto, helper

FORMS = {"image": SIGNED, "tokens": TOKENS}


def both(function, opset=OPSET):
    return {"image": function, "tokens": function}, opset


def each(of_images, of_tokens, opset=OPSET):
    return {"image": of_images, "tokens": of_tokens}, opset


def image(function, opset=OPSET):
    return {"image": function}, opset


def tokens(function, opset=OPSET):
    return {"tokens": function}, opset


def table():
    """Returns the networks of all rows, {name: (stem, opset, function)}."""
    return {f"operator/{form}/{name}": (FORMS[form], opset, function)
            for name, (functions, opset) in OPERATORS.items() for form, function in functions.items()}


# Parts of rows.

def layer(g, x):
    """Adds a second layer that reads the network's input: of x's shape."""
    return g.conv("x", 16) if len(g.shape(x)) == 4 else g.linear("x", 32)


def width(g, x):
    return g.shape(x)[-1]


def axes(g, x, extent):
    """Returns the extent once for each axis of space: two of an image, one of tokens."""
    return [extent] * (len(g.shape(x)) - 2)


def turned(g, x):
    last = len(g.shape(x)) - 1
    return g.transpose(x, *range(last - 1), last, last - 1)


def channels(g, x, low=0.2, high=1.5):
    """Returns constants, one for each channel of an image or column of tokens."""
    return g.uniform(low, high, 16, 1, 1) if len(g.shape(x)) == 4 else g.uniform(low, high, 32)


def magnitude(g, x):
    """Adds the magnitude of complex numbers [..., 2]."""
    return g.reduce("L2", x, len(g.shape(x)) - 1, keepdims=0)


def squares(g, x, side):
    """Adds a Reshape to [1, ..., side, side]."""
    rows, size = (16, 256) if len(g.shape(x)) == 4 else (4, 96)
    return g.reshape(x, 1, rows, size // side ** 2, side, side)


def indices(g, x):
    return g.random.integers(0, g.shape(x)[1], g.shape(x))


def as_number(g, mask):
    return g.Cast(mask, to=TensorProto.FLOAT)


def grid():
    line = numpy.linspace(-0.9, 1.1, 16, dtype=numpy.float32)
    return numpy.stack(numpy.meshgrid(line, line[::-1]), -1)[None]


def regions():
    return numpy.float32([[0, 0, 7, 7], [2, 4, 13, 15], [5, 1, 12, 9]])


def aligned(g, x, **attributes):
    return g.RoiAlign(x, regions(), [0, 0, 0], output_height=4, output_width=4, **attributes)


def affine(g, x):
    theta = g.Add(g.reshape(g.gemm(g.reshape(g.GlobalAveragePool(x), 1, 16), 6), 1, 2, 3), numpy.eye(2, 3))
    return g.GridSample(x, g.AffineGrid(theta, [1, 16, 16, 16]))


def recurrent(g, x, op, gates, **attributes):
    """Adds a recurrent layer over the first axis of [T, N, 16 or 32] and takes out its axis of directions."""
    size = width(g, x)
    steps = g.reshape(x, 16, 16, 16) if len(g.shape(x)) == 4 else g.transpose(x, 1, 0, 2)
    weights = [g.normal(1, gates * 16, extent, scale=extent ** -0.5) for extent in (size, 16)]
    outputs = g.add(op, [steps, *weights, g.normal(1, 2 * gates * 16, scale=0.1)], hidden_size=16, **attributes)
    return g.Squeeze(outputs, [1])


def unpooled(g, x):
    pooled, places = g.MaxPool(x, kernel_shape=axes(g, x, 2), strides=axes(g, x, 2), outputs=2)
    return g.MaxUnpool(pooled, places, kernel_shape=axes(g, x, 2), strides=axes(g, x, 2))


def from_sequence(g, x):
    parts = g.SequenceConstruct(x, layer(g, x))
    return g.Sub(g.SequenceAt(parts, numpy.int64(1)), g.SequenceAt(parts, numpy.int64(0)))


def sampled(g, x, factor, **attributes):
    return g.Resize(x, None, numpy.float32([1, 1, *axes(g, x, factor)]), **attributes)


def rotary(g, x):
    angles = numpy.outer(numpy.arange(g.shape(x)[-2]), 10 ** -numpy.linspace(0, 2, 4)).astype(numpy.float32)
    return g.RotaryEmbedding(x, numpy.cos(angles)[None], numpy.sin(angles)[None],
                             num_heads=0 if len(g.shape(x)) == 4 else 4, rotary_embedding_dim=8)


def loss_labels(g, x):
    shape = g.shape(x)
    return g.random.integers(0, shape[1], [shape[0], *shape[2:]])


OPERATORS = {
    # Elementwise, of one layer.
    "Abs": both(lambda g, x: g.Abs(x)),
    "Acos": both(lambda g, x: g.Acos(g.Clip(x, -0.9, 0.9))),
    "Acosh": both(lambda g, x: g.Acosh(g.Clip(x, 1.1, 6.0))),
    "Asin": both(lambda g, x: g.Asin(g.Clip(x, -0.9, 0.9))),
    "Asinh": both(lambda g, x: g.Asinh(x)),
    "Atan": both(lambda g, x: g.Atan(x)),
    "Atanh": both(lambda g, x: g.Atanh(g.Clip(x, -0.9, 0.9))),
    "BitCast": both(lambda g, x: g.BitCast(g.BitCast(x, to=TensorProto.INT32), to=TensorProto.FLOAT), 26),
    "Cast": both(lambda g, x: g.Cast(g.Cast(x, to=TensorProto.FLOAT16), to=TensorProto.FLOAT)),
    "Cast_integer": both(lambda g, x: g.Cast(g.Cast(g.Mul(x, 4.0), to=TensorProto.INT32), to=TensorProto.FLOAT)),
    "CastLike": both(lambda g, x: g.CastLike(x, numpy.float32([0]))),
    "Ceil": both(lambda g, x: g.Ceil(x)),
    "Celu": both(lambda g, x: g.Celu(x, alpha=0.7)),
    "Clip": both(lambda g, x: g.Clip(x, -0.5, 1.5)),
    "Clip_six": both(lambda g, x: g.Clip(x, 0.0, 6.0)),
    "Cos": both(lambda g, x: g.Cos(x)),
    "Cosh": both(lambda g, x: g.Cosh(g.Clip(x, -3.0, 3.0))),
    "Dropout": both(lambda g, x: g.Dropout(x)),
    "Elu": both(lambda g, x: g.Elu(x, alpha=0.7)),
    "Erf": both(lambda g, x: g.Erf(x)),
    "Exp": both(lambda g, x: g.Exp(x)),
    "Floor": both(lambda g, x: g.Floor(x)),
    "Gelu": both(lambda g, x: g.Gelu(x), 20),
    "Gelu_tanh": both(lambda g, x: g.Gelu(x, approximate="tanh"), 20),
    "HardSigmoid": both(lambda g, x: g.HardSigmoid(x, alpha=1 / 6, beta=0.5)),
    "HardSwish": both(lambda g, x: g.HardSwish(x)),
    "Identity": both(lambda g, x: g.Identity(x)),
    "LeakyRelu": both(lambda g, x: g.LeakyRelu(x, alpha=0.2)),
    "Log": both(lambda g, x: g.Log(g.Clip(x, 0.05, 8.0))),
    "Mish": both(lambda g, x: g.Mish(x), 18),
    "Neg": both(lambda g, x: g.Neg(x)),
    "PRelu": both(lambda g, x: g.PRelu(x, channels(g, x))),
    "PRelu_layers": both(lambda g, x: g.PRelu(x, layer(g, x))),
    "Reciprocal": both(lambda g, x: g.Reciprocal(g.Clip(x, 0.3, 8.0))),
    "Relu": both(lambda g, x: g.Relu(x)),
    "Round": both(lambda g, x: g.Round(x)),
    "Selu": both(lambda g, x: g.Selu(x)),
    "Shrink": both(lambda g, x: g.Shrink(x, lambd=0.4, bias=0.3)),
    "Sigmoid": both(lambda g, x: g.Sigmoid(x)),
    "Sign": both(lambda g, x: g.Sign(x)),
    "Sin": both(lambda g, x: g.Sin(x)),
    "Sinh": both(lambda g, x: g.Sinh(g.Clip(x, -3.0, 3.0))),
    "Softplus": both(lambda g, x: g.Softplus(x)),
    "Softsign": both(lambda g, x: g.Softsign(x)),
    "Sqrt": both(lambda g, x: g.Sqrt(g.Relu(x))),
    "Swish": both(lambda g, x: g.Swish(x, alpha=1.3), 24),
    "Tan": both(lambda g, x: g.Tan(g.Clip(x, -1.2, 1.2))),
    "Tanh": both(lambda g, x: g.Tanh(x)),
    "ThresholdedRelu": both(lambda g, x: g.ThresholdedRelu(x, alpha=0.5)),
    # Elementwise, of two layers or a constant.
    "Add": both(lambda g, x: g.Add(x, layer(g, x))),
    "Add_channels": both(lambda g, x: g.Add(x, channels(g, x))),
    "Add_constant": both(lambda g, x: g.Add(2.0, x)),
    "Add_itself": both(lambda g, x: g.Add(x, x)),
    "Div": both(lambda g, x: g.Div(x, g.Clip(layer(g, x), 0.5, 4.0))),
    "Div_channels": both(lambda g, x: g.Div(x, channels(g, x))),
    "Div_of_constant": both(lambda g, x: g.Div(2.0, g.Clip(x, 0.5, 4.0))),
    "Max": both(lambda g, x: g.Max(x, layer(g, x))),
    "Max_constant": both(lambda g, x: g.Max(x, -0.4)),
    "Mean": both(lambda g, x: g.Mean(x, layer(g, x))),
    "Min": both(lambda g, x: g.Min(x, layer(g, x))),
    "Min_channels": both(lambda g, x: g.Min(x, channels(g, x))),
    "Mod": both(lambda g, x: g.Mod(x, 1.5, fmod=1)),
    "Mul": both(lambda g, x: g.Mul(x, layer(g, x))),
    "Mul_channels": both(lambda g, x: g.Mul(x, channels(g, x, -1.5))),
    "Mul_constant": both(lambda g, x: g.Mul(x, -0.7)),
    "Mul_itself": both(lambda g, x: g.Mul(x, x)),
    "Pow": both(lambda g, x: g.Pow(g.Clip(x, 0.2, 4.0), g.Clip(layer(g, x), -1.0, 2.0))),
    "Pow_constant": both(lambda g, x: g.Pow(g.Relu(x), 1.7)),
    "Pow_cube": both(lambda g, x: g.Pow(x, 3.0)),
    "Pow_square": both(lambda g, x: g.Pow(x, 2.0)),
    "Sub": both(lambda g, x: g.Sub(x, layer(g, x))),
    "Sub_of_constant": both(lambda g, x: g.Sub(1.0, x)),
    "Sum": both(lambda g, x: g.Sum(x, layer(g, x), layer(g, x))),
    # Conditions.
    "And": both(lambda g, x: g.Where(g.And(g.Greater(x, -0.5), g.Less(x, 0.5)), 2.0, x)),
    "ArgMax": both(lambda g, x: g.Mul(x, as_number(g, g.ArgMax(x, axis=-1)))),
    "ArgMin": both(lambda g, x: g.Mul(x, as_number(g, g.ArgMin(x, axis=1)))),
    "Equal": both(lambda g, x: g.Where(g.Equal(g.Relu(x), 0.0), layer(g, x), x)),
    "Greater": both(lambda g, x: g.Where(g.Greater(x, layer(g, x)), x, 0.0)),
    "GreaterOrEqual": both(lambda g, x: g.Mul(x, as_number(g, g.GreaterOrEqual(x, 0.25)))),
    "IsInf": both(lambda g, x: g.Where(g.IsInf(x), 0.0, x)),
    "IsNaN": both(lambda g, x: g.Where(g.IsNaN(x), 0.0, x)),
    "Less": both(lambda g, x: g.Where(g.Less(x, 0.25), x, layer(g, x))),
    "LessOrEqual": both(lambda g, x: g.Where(g.LessOrEqual(x, layer(g, x)), x, -1.0)),
    "Not": both(lambda g, x: g.Where(g.Not(g.Less(x, 0.25)), x, layer(g, x))),
    "OneHot": both(lambda g, x: g.OneHot(g.ArgMax(x, axis=-1, keepdims=0), width(g, x), [0.0, 1.0])),
    "Or": both(lambda g, x: g.Where(g.Or(g.Greater(x, 0.5), g.Less(x, -0.5)), x, 0.0)),
    "Where": both(lambda g, x: g.Where(g.random.random(g.shape(x)[1:]) > 0.5, x, layer(g, x))),
    "Where_constant": both(lambda g, x: g.Where(g.random.random(g.shape(x)[1:]) > 0.5, x, -0.5)),
    "Xor": both(lambda g, x: g.Where(g.Xor(g.Greater(x, 0.0), g.Greater(layer(g, x), 0.0)), x, 0.0)),
    # Products.
    "Attention": each(lambda g, x: g.Attention(x, layer(g, x), layer(g, x)),
                      lambda g, x: g.Attention(x, layer(g, x), layer(g, x), q_num_heads=4, kv_num_heads=4), 23),
    "CausalConvWithState": tokens(lambda g, x: turned(g, g.CausalConvWithState(
        turned(g, x), g.normal(32, 1, 3), g.normal(32), outputs=2)[0]), 27),
    "Conv": both(lambda g, x: g.conv(x, g.shape(x)[1])),
    "Conv_depthwise": both(lambda g, x: g.conv(x, g.shape(x)[1], group=g.shape(x)[1])),
    "Conv_strided": both(lambda g, x: g.conv(x, g.shape(x)[1], stride=2)),
    "ConvTranspose": both(lambda g, x: g.deconv(x, g.shape(x)[1])),
    "DeformConv": image(lambda g, x: g.DeformConv(
        x, g.normal(16, 16, 3, 3, scale=0.1), g.conv(x, 18), g.normal(16), pads=[1] * 4), 19),
    "Einsum": both(lambda g, x: g.Einsum(x, layer(g, x), equation="...ij,...kj->...ik")),
    "Einsum_constant": both(lambda g, x: g.Einsum(x, g.normal(width(g, x), 16, scale=0.2), equation="...ij,jk->...ik")),
    "Gemm": each(lambda g, x: g.reshape(g.gemm(g.reshape(x, 256, 16), 16), 1, 16, 16, 16),
                 lambda g, x: g.reshape(g.gemm(g.reshape(x, 12, 32), 32), 1, 12, 32)),
    "Gemm_layers": both(lambda g, x: g.Unsqueeze(g.Gemm(
        g.Flatten(x, axis=2 - len(g.shape(x)) % 2), g.Flatten(layer(g, x), axis=2 - len(g.shape(x)) % 2), transB=1,
        alpha=0.2), [0])),
    "LinearAttention": tokens(lambda g, x: g.LinearAttention(
        x, layer(g, x), layer(g, x), q_num_heads=4, kv_num_heads=4, update_rule="linear", outputs=2)[0], 27),
    "MatMul": both(lambda g, x: g.MatMul(x, turned(g, layer(g, x)))),
    "MatMul_constant": both(lambda g, x: g.linear(x, 24)),
    "MatMul_left_constant": both(lambda g, x: g.MatMul(g.normal(8, g.shape(x)[-2], scale=0.3), x)),
    "RotaryEmbedding": both(rotary, 23),
    # Recurrent layers.
    "GRU": both(lambda g, x: recurrent(g, x, "GRU", 3, linear_before_reset=1)),
    "LSTM": both(lambda g, x: recurrent(g, x, "LSTM", 4)),
    "RNN": both(lambda g, x: recurrent(g, x, "RNN", 1)),
    # Norms and softmaxes.
    "BatchNormalization": both(lambda g, x: g.batch_norm(x)),
    "GroupNormalization": both(lambda g, x: g.of_shape(g.shape(x), g.GroupNormalization(
        x, g.uniform(0.5, 1.5, g.shape(x)[1]), g.normal(g.shape(x)[1]), num_groups=4)), 21),
    "Hardmax": both(lambda g, x: g.Hardmax(x)),
    "InstanceNormalization": both(lambda g, x: g.InstanceNormalization(
        x, g.uniform(0.5, 1.5, g.shape(x)[1]), g.normal(g.shape(x)[1]))),
    "LayerNormalization": both(lambda g, x: g.layer_norm(x)),
    "LogSoftmax": both(lambda g, x: g.LogSoftmax(x)),
    "LpNormalization": both(lambda g, x: g.LpNormalization(x, axis=1)),
    "LpNormalization_sum": both(lambda g, x: g.LpNormalization(x, p=1)),
    "LRN": image(lambda g, x: g.LRN(x, size=3, alpha=0.5, beta=0.6)),
    "MeanVarianceNormalization": both(lambda g, x: g.of_shape(g.shape(x), g.MeanVarianceNormalization(
        x, axes=[0, *range(2, len(g.shape(x)))]))),
    "NegativeLogLikelihoodLoss": both(lambda g, x: g.NegativeLogLikelihoodLoss(
        g.LogSoftmax(x, axis=1), loss_labels(g, x), reduction="none")),
    "RMSNormalization": both(lambda g, x: g.RMSNormalization(x, g.uniform(0.5, 1.5, width(g, x))), 23),
    "Softmax": both(lambda g, x: g.Softmax(x)),
    "Softmax_channels": both(lambda g, x: g.Softmax(x, axis=1)),
    "SoftmaxCrossEntropyLoss": both(lambda g, x: g.SoftmaxCrossEntropyLoss(x, loss_labels(g, x), reduction="none")),
    # Reductions and pools.
    "AveragePool": both(lambda g, x: g.AveragePool(x, kernel_shape=axes(g, x, 2), strides=axes(g, x, 2))),
    "AveragePool_pads": both(lambda g, x: g.AveragePool(
        x, kernel_shape=axes(g, x, 3), pads=axes(g, x, 1) * 2, count_include_pad=1)),
    "CumProd": both(lambda g, x: g.CumProd(g.Clip(x, 0.6, 1.4), numpy.int64(1)), 26),
    "CumSum": both(lambda g, x: g.CumSum(x, numpy.int64(1))),
    "GlobalAveragePool": both(lambda g, x: g.GlobalAveragePool(x)),
    "GlobalLpPool": both(lambda g, x: g.GlobalLpPool(x)),
    "GlobalMaxPool": both(lambda g, x: g.GlobalMaxPool(x)),
    "LpPool": both(lambda g, x: g.LpPool(x, kernel_shape=axes(g, x, 2), strides=axes(g, x, 2))),
    "MaxPool": both(lambda g, x: g.MaxPool(x, kernel_shape=axes(g, x, 2), strides=axes(g, x, 2))),
    "MaxPool_pads": both(lambda g, x: g.MaxPool(x, kernel_shape=axes(g, x, 3), pads=axes(g, x, 1) * 2)),
    "MaxUnpool": both(unpooled),
    "ReduceL1": both(lambda g, x: g.reduce("L1", x, 1)),
    "ReduceL2": both(lambda g, x: g.reduce("L2", x, 1)),
    "ReduceLogSum": both(lambda g, x: g.reduce("LogSum", g.Clip(x, 0.1, 4.0), 1)),
    "ReduceLogSumExp": both(lambda g, x: g.reduce("LogSumExp", x, 1)),
    "ReduceMax": both(lambda g, x: g.reduce("Max", x, 1)),
    "ReduceMean": both(lambda g, x: g.reduce("Mean", x, 1)),
    "ReduceMin": both(lambda g, x: g.reduce("Min", x, 1)),
    "ReduceProd": both(lambda g, x: g.reduce("Prod", g.Clip(x, 0.7, 1.4), 1)),
    "ReduceSum": both(lambda g, x: g.reduce("Sum", x, 1)),
    "ReduceSumSquare": both(lambda g, x: g.reduce("SumSquare", x, 1)),
    "TopK": both(lambda g, x: g.TopK(x, [8], axis=-1, outputs=2)[0]),
    # Shapes and moves.
    "CenterCropPad": both(lambda g, x: g.CenterCropPad(x, [10, 20], axes=[-2, -1]), 18),
    "Col2Im": each(lambda g, x: g.Col2Im(g.reshape(x, 1, 16, 256), [32, 32], [2, 2], strides=[2, 2]),
                   lambda g, x: g.Col2Im(x, [5, 9], [2, 2]), 18),
    "Compress": both(lambda g, x: g.of_shape([1, 8, *g.shape(x)[2:]], g.Compress(
        x, numpy.arange(g.shape(x)[1]) >= g.shape(x)[1] - 8, axis=1))),
    "Concat": both(lambda g, x: g.Concat(x, layer(g, x), axis=1)),
    "Concat_constant": both(lambda g, x: g.Concat(x, g.normal(*g.shape(x), scale=3), axis=1)),
    "Concat_last": both(lambda g, x: g.Concat(x, layer(g, x), axis=-1)),
    "ConcatFromSequence": both(lambda g, x: g.of_shape([1, 2 * g.shape(x)[1], *g.shape(x)[2:]], g.ConcatFromSequence(
        g.SequenceConstruct(x, layer(g, x)), axis=1))),
    "Constant": both(lambda g, x: g.Mul(x, g.Constant(value_float=0.6))),
    "ConstantOfShape": both(lambda g, x: g.Add(x, g.ConstantOfShape(
        g.shape(x), value=helper.make_tensor("value", TensorProto.FLOAT, [1], [0.6])))),
    "DepthToSpace": image(lambda g, x: g.DepthToSpace(x, blocksize=2)),
    "DepthToSpace_columns": image(lambda g, x: g.DepthToSpace(x, blocksize=2, mode="CRD")),
    "Expand": both(lambda g, x: g.Expand(g.reduce("Mean", x, 1), g.shape(x))),
    "EyeLike": both(lambda g, x: g.MatMul(x, g.EyeLike(numpy.zeros([width(g, x)] * 2), k=1))),
    "Flatten": both(lambda g, x: g.Flatten(x)),
    "Gather": both(lambda g, x: g.Gather(x, g.random.permutation(g.shape(x)[1]), axis=1)),
    "Gather_one": both(lambda g, x: g.Gather(x, numpy.int64(3), axis=1)),
    "GatherElements": both(lambda g, x: g.GatherElements(x, indices(g, x), axis=1)),
    "GatherND": both(lambda g, x: g.GatherND(x, g.random.integers(0, 12, [1, 9, 1]), batch_dims=1)),
    "MaxRoiPool": image(lambda g, x: g.MaxRoiPool(
        x, numpy.pad(regions(), [(0, 0), (1, 0)]), pooled_shape=[4, 4])),
    "OptionalGetElement": both(lambda g, x: g.OptionalGetElement(g.Optional(x)), 18),
    "Pad": both(lambda g, x: g.Pad(x, [0, 0, *axes(g, x, 1), 0, 0, *axes(g, x, 2)])),
    "Pad_edge": both(lambda g, x: g.Pad(x, [0, 0, *axes(g, x, 1), 0, 0, *axes(g, x, 2)], mode="edge")),
    "Pad_reflect": both(lambda g, x: g.Pad(x, [0, 0, *axes(g, x, 1), 0, 0, *axes(g, x, 2)], mode="reflect")),
    "Pad_value": both(lambda g, x: g.Pad(x, [0, 1, *axes(g, x, 1), 0, 1, *axes(g, x, 2)], -5.0)),
    "Pad_wrap": both(lambda g, x: g.Pad(x, [0, 0, *axes(g, x, 1), 0, 0, *axes(g, x, 2)], mode="wrap"), 19),
    "Range": both(lambda g, x: g.Mul(x, g.Range(0.1, numpy.float32(width(g, x)) / 10 + 0.05, 0.1))),
    "Reshape": each(lambda g, x: g.reshape(x, 1, 4, 32, 32), lambda g, x: g.reshape(x, 1, 24, 16)),
    "ReverseSequence": both(lambda g, x: g.ReverseSequence(x, [g.shape(x)[1] - 3], batch_axis=0, time_axis=1)),
    "ScatterElements": both(lambda g, x: g.ScatterElements(x, indices(g, x)[:, :1], g.reduce("Max", x, 1), axis=1)),
    "ScatterElements_add": both(lambda g, x: g.ScatterElements(x, indices(g, x), layer(g, x), axis=1, reduction="add"),
                                18),
    "Scatter": both(lambda g, x: g.Scatter(x, indices(g, x)[:, :1], g.normal(*g.shape(x))[:, :1], axis=1), 10),
    "ScatterND": both(lambda g, x: g.ScatterND(x, [[0, 2], [0, 5]], g.normal(2, *g.shape(x)[2:]))),
    "SequenceAt": both(from_sequence),
    "Shape": both(lambda g, x: g.Expand(g.reduce("Max", x, 1), g.Shape(x))),
    "Size": both(lambda g, x: g.Div(x, g.Sqrt(as_number(g, g.Size(x))))),
    "Slice": both(lambda g, x: g.slice(x, 1, 9, 1)),
    "Slice_steps": both(lambda g, x: g.slice(x, -1, -20, -2, -2)),
    "SpaceToDepth": image(lambda g, x: g.SpaceToDepth(x, blocksize=2)),
    "Split": both(lambda g, x: g.Sub(*g.split(x, 2, 1))),
    "SplitToSequence": both(lambda g, x: g.of_shape(g.shape(x), g.ConcatFromSequence(
        g.SplitToSequence(x, [4, g.shape(x)[1] - 4], axis=1), axis=1))),
    "Squeeze": both(lambda g, x: g.Squeeze(x, [0])),
    "TensorScatter": both(lambda g, x: g.TensorScatter(x, g.slice(layer(g, x), 0, 3, -2), [2]), 24),
    "Tile": both(lambda g, x: g.Tile(x, [1, 2, *axes(g, x, 1)])),
    "Transpose": each(lambda g, x: g.transpose(x, 0, 2, 3, 1), lambda g, x: g.transpose(x, 0, 2, 1)),
    "Trilu": both(lambda g, x: g.Trilu(x, upper=0)),
    "Unsqueeze": each(lambda g, x: g.reshape(g.Unsqueeze(x, [2]), 1, 16, 8, 32),
                      lambda g, x: g.Unsqueeze(x, [1])),
    # Images sampled anew, and spectra.
    "AffineGrid": image(affine, 20),
    "BlackmanWindow": both(lambda g, x: g.Mul(x, g.BlackmanWindow(numpy.int64(width(g, x))))),
    "Det": both(lambda g, x: g.Det(squares(g, x, 4))),
    "DFT": both(lambda g, x: magnitude(g, g.DFT(g.Unsqueeze(x, [-1]), None, axis=1))),
    "GridSample": image(lambda g, x: g.GridSample(x, grid())),
    "GridSample_nearest": image(lambda g, x: g.GridSample(x, grid(), mode="nearest", padding_mode="border")),
    "HammingWindow": both(lambda g, x: g.Mul(x, g.HammingWindow(numpy.int64(width(g, x)), periodic=0))),
    "HannWindow": both(lambda g, x: g.Mul(x, g.HannWindow(numpy.int64(width(g, x))))),
    "MelWeightMatrix": both(lambda g, x: g.MatMul(x, g.MelWeightMatrix(
        numpy.int64(8), numpy.int64(2 * width(g, x) - 2), numpy.int64(8000), 0.0, 4000.0))),
    "Resize": both(lambda g, x: sampled(g, x, 2, mode="nearest")),
    "Resize_cubic": image(lambda g, x: sampled(g, x, 1.5, mode="cubic")),
    "Resize_linear": both(lambda g, x: sampled(g, x, 2, mode="linear")),
    "Resize_corners": both(lambda g, x: sampled(
        g, x, 1.5, mode="linear", coordinate_transformation_mode="align_corners")),
    "RoiAlign": image(lambda g, x: aligned(g, x, sampling_ratio=2)),
    "RoiAlign_adaptive": image(aligned),
    "RoiAlign_max": image(lambda g, x: aligned(g, x, sampling_ratio=2, mode="max")),
    "STFT": both(lambda g, x: magnitude(g, g.STFT(
        g.reshape(x, 1, -1, 1), numpy.int64(16), numpy.hanning(32), numpy.int64(32), onesided=1))),
    "Upsample": both(lambda g, x: g.Upsample(x, numpy.float32([1, 1, *axes(g, x, 2)])), 9),
}

# Operators without a row, by the reason.
LEFT_OUT = {
    "its data are integers, booleans or strings": "BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor RegexFullMatch "
                                                  "StringConcat StringNormalizer StringSplit TfIdfVectorizer",
    "its values are random": "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike",
    "it computes with codes": "ConvInteger DequantizeLinear DynamicQuantizeLinear MatMulInteger QLinearConv "
                              "QLinearMatMul QuantizeLinear",
    "it has a subgraph": "If Loop Scan SequenceMap",
    "the shape of its output depends on values": "NonMaxSuppression NonZero Unique",
    "no layer reads its output": "OptionalHasElement SequenceLength",
    "the rows of SequenceAt and OptionalGetElement stand for it": "Optional SequenceConstruct SequenceEmpty "
                                                                  "SequenceErase SequenceInsert",
    "ONNX Runtime 1.32 cannot run it": "SwiGLU",
}
