"""Blocks of networks for images: each function of x [1,16,16,16] is a row of BLOCKS (networks.py)."""

import numpy
from networks import IMAGE, SIGNED, block


def _squeeze(g, x, pooled):
    return g.Mul(x, g.Sigmoid(g.conv(g.Relu(g.conv(pooled, 4, 1)), 16, 1)))


@block(IMAGE)
def squeeze_and_excite_mean(g, x):
    return _squeeze(g, x, g.reduce("Mean", x, 2, 3))


@block(IMAGE)
def squeeze_and_excite_pool(g, x):
    return _squeeze(g, x, g.GlobalAveragePool(x))


@block(IMAGE)
def squeeze_and_excite_max(g, x):
    return _squeeze(g, x, g.reduce("Max", x, 2, 3))


@block(SIGNED)
def squeeze_and_excite_global_max(g, x):
    return _squeeze(g, x, g.GlobalMaxPool(x))


@block(IMAGE)
def efficient_channel_attention(g, x):
    row = g.reshape(g.GlobalAveragePool(x), 1, 1, 16)
    return g.Mul(x, g.reshape(g.Sigmoid(g.conv(row, 1)), 1, 16, 1, 1))


@block(IMAGE)
def cbam(g, x):
    hidden, out = (g.normal(*shape, 1, 1, scale=0.3) for shape in ((4, 16), (16, 4)))
    pooled = [g.Conv(g.Relu(g.Conv(p, hidden)), out) for p in (g.GlobalAveragePool(x), g.GlobalMaxPool(x))]
    x = g.Mul(x, g.Sigmoid(g.Add(*pooled)))
    planes = g.Concat(g.reduce("Mean", x, 1), g.reduce("Max", x, 1), axis=1)
    return g.Mul(x, g.Sigmoid(g.conv(planes, 1, 7)))


@block(IMAGE)
def coordinate_attention(g, x):
    rows, columns = g.reduce("Mean", x, 3), g.transpose(g.reduce("Mean", x, 2), 0, 1, 3, 2)
    both = g.HardSwish(g.conv(g.Concat(rows, columns, axis=2), 8, 1))
    rows, columns = g.split(both, 2, 2)
    columns = g.transpose(columns, 0, 1, 3, 2)
    return g.Mul(g.Mul(x, g.Sigmoid(g.conv(rows, 16, 1))), g.Sigmoid(g.conv(columns, 16, 1)))


@block(SIGNED)
def residual_block(g, x):
    return g.Relu(g.Add(x, g.batch_norm(g.conv(g.Relu(g.batch_norm(g.conv(x, 16))), 16))))


@block(IMAGE)
def inverted_residual(g, x):
    wide = g.Clip(g.batch_norm(g.conv(x, 48, 1)), 0.0, 6.0)
    return g.Add(x, g.conv(g.Clip(g.batch_norm(g.conv(wide, 48, group=48)), 0.0, 6.0), 16, 1))


@block(IMAGE)
def dense_block(g, x):
    for _ in range(3):
        x = g.Concat(x, g.conv(g.Relu(g.batch_norm(x)), 8), axis=1)
    return x


@block(IMAGE)
def fire_module(g, x):
    squeezed = g.Relu(g.conv(x, 8, 1))
    return g.Concat(g.Relu(g.conv(squeezed, 16, 1)), g.Relu(g.conv(squeezed, 16)), axis=1)


@block(IMAGE)
def channel_shuffle(g, x):
    left, right = g.split(x, 2, 1)
    right = g.Relu(g.conv(g.conv(g.Relu(g.conv(right, 8, 1)), 8, group=8), 8, 1))
    mixed = g.transpose(g.reshape(g.Concat(left, right, axis=1), 1, 2, 8, 16, 16), 0, 2, 1, 3, 4)
    return g.conv(g.reshape(mixed, 1, 16, 16, 16), 16)


@block(SIGNED)
def slice_concat_residual(g, x):
    return g.Concat(g.slice(x, 0, 8, 1), x, g.slice(x, 8, 16, 1), axis=1)


@block(IMAGE)
def cross_stage_partial(g, x):
    y = g.silu(g.conv(x, 16, 1))
    left, right = g.split(y, 2, 1)
    more = g.Add(right, g.silu(g.conv(g.silu(g.conv(right, 8)), 8)))
    return g.silu(g.conv(g.Concat(left, right, more, axis=1), 16, 1))


@block(SIGNED)
def focus(g, x):
    corners = [g.slice(g.slice(x, row, 16, 2, 2), column, 16, 3, 2) for column in (0, 1) for row in (0, 1)]
    return g.silu(g.conv(g.Concat(*corners, axis=1), 16))


@block(SIGNED)
def part_of_joined(g, x):
    joined = g.Concat(g.conv(x, 16), g.conv(x, 4), axis=1)
    return g.Relu(g.conv(g.slice(joined, 0, 16, 1), 16))


@block(SIGNED)
def joined_channels_last(g, x):
    last = g.transpose(x, 0, 2, 3, 1)
    joined = g.Concat(g.Mul(last, 0.7), g.slice(last, 0, 2, 3), axis=3)
    return g.Relu(g.conv(g.transpose(joined, 0, 3, 1, 2), 16))


@block(IMAGE)
def sppf(g, x):
    levels = [g.silu(g.conv(x, 8, 1))]
    for _ in range(3):
        levels.append(g.MaxPool(levels[-1], kernel_shape=[5, 5], pads=[2] * 4, strides=[1, 1]))
    return g.silu(g.conv(g.Concat(*levels, axis=1), 16, 1))


@block(IMAGE)
def bifpn(g, x):
    fine, coarse = g.conv(x, 16), g.conv(x, 16, stride=2)
    up = g.Resize(coarse, None, numpy.float32([1, 1, 2, 2]), mode="nearest")
    fine = g.conv(g.silu(g.Add(g.Mul(fine, 0.6), g.Mul(up, 0.4))), 16, group=16)
    down = g.MaxPool(fine, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    return g.conv(g.silu(g.Add(g.Mul(coarse, 0.7), g.Mul(down, 0.3))), 16, group=16)


@block(IMAGE)
def unet_deconvolution(g, x):
    inner = g.Relu(g.conv(g.MaxPool(x, kernel_shape=[2, 2], strides=[2, 2]), 32))
    return g.Relu(g.conv(g.Concat(x, g.deconv(inner, 16), axis=1), 16))


@block(IMAGE)
def unet_resize(g, x):
    inner = g.Relu(g.conv(g.MaxPool(x, kernel_shape=[2, 2], strides=[2, 2]), 32))
    up = g.Resize(inner, None, numpy.float32([1, 1, 2, 2]), mode="linear",
                  coordinate_transformation_mode="half_pixel")
    return g.Relu(g.conv(g.Concat(x, up, axis=1), 16))


@block(SIGNED)
def hourglass(g, x):
    skips = []
    for _ in range(2):
        skips.append(g.conv(x, 16))
        x = g.Relu(g.conv(x, 16, stride=2))
    for skip in reversed(skips):
        x = g.Add(skip, g.Resize(x, None, numpy.float32([1, 1, 2, 2]), mode="nearest"))
    return x


@block(IMAGE)
def aspp(g, x):
    branches = [g.Relu(g.conv(x, 8, 1)), *(g.Relu(g.conv(x, 8, dilation=rate)) for rate in (2, 4))]
    pooled = g.Relu(g.conv(g.GlobalAveragePool(x), 8, 1))
    branches.append(g.Resize(pooled, None, None, [1, 8, 16, 16], mode="linear"))
    return g.Relu(g.conv(g.Concat(*branches, axis=1), 16, 1))


@block(IMAGE)
def pyramid_pooling(g, x):
    levels = [x]
    for size in (4, 8):
        pooled = g.AveragePool(x, kernel_shape=[size] * 2, strides=[size] * 2)
        levels.append(g.Resize(g.Relu(g.conv(pooled, 4, 1)), None, None, [1, 4, 16, 16], mode="linear"))
    return g.Concat(*levels, axis=1)


@block(SIGNED)
def group_norm(g, x):
    one, zero = numpy.ones(4, numpy.float32), numpy.zeros(4, numpy.float32)
    y = g.reshape(g.InstanceNormalization(g.reshape(x, 1, 4, -1), one, zero), 1, 16, 16, 16)
    return g.silu(g.Add(g.Mul(y, g.uniform(0.5, 1.5, 16, 1, 1)), g.normal(16, 1, 1, scale=0.1)))


@block(SIGNED)
def instance_norm(g, x):
    return g.Relu(g.InstanceNormalization(x, g.uniform(0.5, 1.5, 16), g.normal(16, scale=0.1)))


@block(SIGNED)
def convnext(g, x):
    y = g.transpose(g.conv(x, 16, 7, group=16), 0, 2, 3, 1)
    y = g.linear(g.gelu(g.linear(g.layer_norm(y), 64)), 16)
    return g.Add(x, g.transpose(g.Mul(y, g.uniform(0.1, 0.9, 16)), 0, 3, 1, 2))


@block(SIGNED)
def convnext_grn(g, x):
    y = g.gelu(g.linear(g.transpose(g.conv(x, 16, 7, group=16), 0, 2, 3, 1), 32))
    norm = g.reduce("L2", y, 1, 2)
    scaled = g.Div(norm, g.Add(g.reduce("Mean", norm, 3), 1e-6))
    y = g.Add(g.Add(g.Mul(g.Mul(y, scaled), g.normal(32, scale=0.5)), g.normal(32, scale=0.1)), y)
    return g.Add(x, g.transpose(g.linear(y, 16), 0, 3, 1, 2))


@block(SIGNED)
def film(g, x):
    condition = g.gemm(g.Relu(g.gemm(g.reshape(g.GlobalAveragePool(x), 1, 16), 16)), 32)
    scale, shift = g.split(g.reshape(condition, 1, 32, 1, 1), 2, 1)
    return g.Relu(g.Add(g.Mul(g.conv(x, 16), g.Add(scale, 1.0)), shift))


@block(SIGNED)
def prelu_net(g, x):
    for _ in range(2):
        x = g.PRelu(g.conv(x, 16), g.uniform(0.05, 0.4, 16, 1, 1))
    return x


@block(SIGNED)
def pixel_shuffle(g, x):
    y = g.DepthToSpace(g.conv(x, 32), blocksize=2, mode="CRD")
    return g.LeakyRelu(g.conv(y, 8), alpha=0.2)


@block(IMAGE)
def grid_sample(g, x):
    line = numpy.linspace(-1, 1, 16, dtype=numpy.float32)
    base = numpy.stack(numpy.meshgrid(line, line), -1)[None]
    moved = g.Mul(g.Tanh(g.transpose(g.conv(x, 2), 0, 2, 3, 1)), 0.2)
    return g.GridSample(x, g.Add(moved, base), mode="bilinear", padding_mode="border")


@block(IMAGE)
def window_attention(g, x):
    tokens = g.transpose(x, 0, 2, 3, 1)
    for axis in (1, 2):  # roll by two
        tokens = g.Concat(g.slice(tokens, 2, 16, axis), g.slice(tokens, 0, 2, axis), axis=axis)
    windows = g.transpose(g.reshape(tokens, 1, 4, 4, 4, 4, 16), 0, 1, 3, 2, 4, 5)
    windows = g.layer_norm(g.reshape(windows, 16, 16, 16))
    q, k, v = (g.heads(part, 2) for part in g.split(g.linear(windows, 48), 3, 2))
    bias = g.normal(1, 2, 16, 16, scale=0.5)
    y = g.linear(g.joined(g.attention(q, k, v, bias)), 16)
    y = g.transpose(g.reshape(y, 1, 4, 4, 4, 4, 16), 0, 1, 3, 2, 4, 5)
    return g.Add(x, g.transpose(g.reshape(y, 1, 16, 16, 16), 0, 3, 1, 2))


@block(SIGNED)
def detection_head_dfl(g, x):
    boxes = g.reshape(g.conv(g.silu(g.conv(x, 16)), 32, 1), 1, 4, 8, 256)
    shares = g.Softmax(g.transpose(boxes, 0, 2, 1, 3), axis=1)
    steps = numpy.arange(8, dtype=numpy.float32).reshape(1, 8, 1, 1)
    boxes = g.reshape(g.Conv(shares, steps, kernel_shape=[1, 1]), 1, 4, 256)
    anchors = g.uniform(0, 16, 1, 2, 256)
    low, high = g.split(boxes, 2, 1)
    low, high = g.Sub(anchors, low), g.Add(anchors, high)
    centers = g.Div(g.Add(low, high), 2.0)
    scores = g.Sigmoid(g.reshape(g.conv(g.silu(g.conv(x, 16)), 4, 1), 1, 4, 256))
    return [g.Mul(g.Concat(centers, g.Sub(high, low), axis=1), 4.0), scores]


@block(SIGNED)
def padded_average_with_pads(g, x):
    return g.AveragePool(x, kernel_shape=[3, 3], pads=[1] * 4, strides=[1, 1], count_include_pad=1)


@block(SIGNED)
def padded_average_without_pads(g, x):
    return g.AveragePool(x, kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2], count_include_pad=0)


@block(SIGNED)
def inception_pool_branch(g, x):
    pooled = g.AveragePool(x, kernel_shape=[3, 3], pads=[1] * 4, strides=[1, 1], count_include_pad=1)
    return g.Concat(g.Relu(g.conv(x, 8, 1)), g.Relu(g.conv(pooled, 8, 1)), axis=1)


@block(SIGNED)
def reflected_pad(g, x):
    return g.conv(g.Pad(x, [0, 0, 1, 1, 0, 0, 1, 1], mode="reflect"), 16, pads=[0] * 4)


@block(IMAGE)
def max_blur_pool(g, x):
    peaks = g.MaxPool(x, kernel_shape=[2, 2], strides=[1, 1], pads=[0, 0, 1, 1])
    blur = numpy.outer([1, 2, 1], [1, 2, 1]).astype(numpy.float32) / 16
    padded = g.Pad(peaks, [0, 0, 1, 1, 0, 0, 1, 1], mode="reflect")
    return g.Conv(padded, numpy.tile(blur, (16, 1, 1, 1)), group=16, kernel_shape=[3, 3], strides=[2, 2])


@block(SIGNED)
def maxout(g, x):
    return g.Max(*g.split(g.conv(x, 32), 2, 1))


@block(IMAGE)
def bottleneck_attention(g, x):
    tokens = g.transpose(g.reshape(x, 1, 16, 256), 0, 2, 1)
    q, k, v = (g.linear(tokens, 16, bias=False) for _ in range(3))
    return g.Add(x, g.reshape(g.transpose(g.attention(q, k, v), 0, 2, 1), 1, 16, 16, 16))


@block(IMAGE)
def hypernetwork(g, x):
    kernel = g.gemm(g.reshape(g.GlobalAveragePool(x), 1, 16), 16 * 9)
    return g.Conv(x, g.reshape(kernel, 16, 1, 3, 3), group=16, kernel_shape=[3, 3], pads=[1] * 4)


@block(IMAGE)
def lstm_after_conv(g, x):
    return _recurrent(g, x, "LSTM", 4)


@block(IMAGE)
def gru_after_conv(g, x):
    return _recurrent(g, x, "GRU", 3, linear_before_reset=1)


def _recurrent(g, x, op, gates, **attributes):
    line = g.reduce("Mean", x, 2, keepdims=0)  # [1, C, W]
    steps = g.transpose(line, 2, 0, 1)
    weights = [g.normal(2, gates * 16, 16, scale=0.3) for _ in range(2)]
    outputs = g.add(op, [steps, *weights, g.normal(2, 2 * gates * 16, scale=0.1)], hidden_size=16,
                    direction="bidirectional", **attributes)
    return g.reshape(g.transpose(outputs, 2, 0, 1, 3), 1, 16, 32)


@block(IMAGE)
def strided_bottleneck(g, x):  # of ResNet's first form, whose strides stand in its 1x1 convolutions
    y = g.Relu(g.conv(g.Relu(g.conv(x, 16, 1, 2, pads=[0] * 4)), 16))
    return g.Relu(g.Add(g.conv(y, 16, 1), g.conv(x, 16, 1, 2, pads=[0] * 4)))


@block(IMAGE)
def strides_behind_a_sum(g, x):
    y = g.Relu(g.Add(g.conv(g.Relu(g.conv(x, 16)), 16), x))
    return g.Concat(g.conv(y, 16, 1, 2, pads=[0] * 4), g.conv(y, 8, 1, 2, pads=[0] * 4), axis=1)


@block(IMAGE)
def strides_of_one_and_three(g, x):
    return g.Add(g.conv(x, 16, 1, 2, pads=[0] * 4), g.conv(x, 16, 3, 2))


@block(SIGNED)
def strides_behind_a_swish(g, x):
    return g.Relu(g.conv(g.silu(x), 16, 1, 2, pads=[0] * 4))


@block(SIGNED)
def pad_that_two_read(g, x):
    y = g.Pad(x, [0, 0, 1, 1, 0, 0, 1, 1])
    return g.Add(g.conv(y, 16, pads=[0] * 4), g.conv(g.MaxPool(y, kernel_shape=[3, 3]), 16))
