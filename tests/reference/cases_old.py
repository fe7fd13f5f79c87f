"""Operators of opsets 7 to 12: attributes that later became inputs. ONNX Runtime judges most of them."""

import numpy as np

from cases import case, f32, i64


def attributes_for_inputs(draw):
    x = draw.normal(3, 4, 5)
    yield case("clip_6", "Clip", [x], 7, min=-0.4, max=0.9)
    yield case("clip_6_one", "Clip", [x], 10, max=0.2)
    yield case("pad_2", "Pad", [x], 10, pads=[1, 0, 2, 0, 3, 1], value=1.5, mode="constant")
    yield case("pad_2_reflect", "Pad", [x], 7, pads=[1, 0, 2, 0, 3, 1], mode="reflect")
    yield case("topk_1", "TopK", [x], 9, 2, axis=1, k=3)
    yield case("topk_10", "TopK", [x, i64(2)], 10, 2, axis=-1)
    yield case("squeeze_1", "Squeeze", [draw.normal(1, 3, 1)], 7, axes=[2])
    yield case("squeeze_11", "Squeeze", [draw.normal(1, 3, 1)], 11, axes=[-1])
    yield case("unsqueeze_1", "Unsqueeze", [x], 7, axes=[0, 2])
    yield case("unsqueeze_11", "Unsqueeze", [x], 11, axes=[-1, 0])
    yield case("slice_1", "Slice", [x], 7, starts=[0, -2], ends=[9, -1], axes=[1, 2])
    yield case("slice_1_no_axes", "Slice", [x], 9, starts=[1, 0, 2], ends=[3, 4, 100])
    yield case("slice_10", "Slice", [x, i64(-1, 1), i64(-9, 9), i64(0, 2), i64(-2, 2)], 10)
    yield case("split_2", "Split", [x], 7, 2, axis=2, split=[2, 3])
    yield case("split_2_equal", "Split", [x], 11, 2, axis=1)
    yield case("dropout_7", "Dropout", [x], 7, ratio=0.7)
    yield case("dropout_10", "Dropout", [x], 10, 2, ratio=0.7)
    yield case("dropout_12", "Dropout", [x, np.array(0.7, np.float32)], 12, 2)
    yield case("scatter_9", "Scatter", [x, draw.integers(0, 2, 1, 4, 5), draw.normal(1, 4, 5)], 9, axis=0)
    yield case("onehot_9", "OneHot", [i64(0, 2, 5), np.array([3]), f32(0, 1)], 9, axis=0)
    yield case("argmax_1", "ArgMax", [x], 7, axis=1, keepdims=0)
    yield case("flatten_1", "Flatten", [x], 7, axis=2)
    yield case("gather_1", "Gather", [x, draw.integers(0, 3, 2, 2)], 7, axis=1)
    yield case("cumsum_11", "CumSum", [x, np.array(1)], 11, reverse=1)
    for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2", "ReduceLogSumExp"):
        for opset in (7, 11):
            yield case(f"{op}_{opset}", op, [x], opset, axes=[0, 2] if opset < 11 else [-1, 0], keepdims=opset % 2)
        yield case(f"{op}_all", op, [x], 7)


def older_kernels(draw):
    x = draw.normal(2, 3, 6, 7)
    shape = [draw.normal(3), draw.normal(3), draw.normal(3), draw.uniform(0.5, 2, 3)]
    yield case("batch_7", "BatchNormalization", [x, *shape], 7, epsilon=1e-2, momentum=0.8)
    yield case("gemm_7", "Gemm", [draw.normal(3, 4), draw.normal(5, 4), draw.normal(5)], 7, transB=1, alpha=0.5)
    yield case("gemm_9", "Gemm", [draw.normal(3, 4), draw.normal(4, 5), draw.normal(1, 5)], 9, beta=0.3)
    yield case("gemm_11_no_c", "Gemm", [draw.normal(4, 3), draw.normal(4, 5)], 11, transA=1)
    yield case("prelu_7", "PRelu", [x, draw.normal(3, 1, 1)], 7)
    yield case("upsample_7", "Upsample", [x], 7, scales=[1.0, 1.0, 2.0, 3.0], mode="nearest")
    yield case("upsample_7_linear", "Upsample", [x], 7, scales=[1.0, 1.0, 2.0, 1.5], mode="linear")
    yield case("pow_7", "Pow", [draw.uniform(0.1, 3, 3, 4), draw.normal(4)], 7)
    yield case("equal_7", "Equal", [draw.integers(0, 2, 3, 4), draw.integers(0, 2, 4)], 7)
    yield case("softplus_1", "Softplus", [x * 30], 7)
    yield case("instance_6", "InstanceNormalization", [x, draw.normal(3), draw.normal(3)], 7)
    yield case("depth_1", "DepthToSpace", [draw.normal(1, 8, 2, 3)], 7, blocksize=2)
    yield case("lp_pool_2", "LpPool", [x], 7, kernel_shape=[3, 2], p=1, strides=[2, 1], pads=[1, 0, 1, 1])
    yield case("global_lp_2", "GlobalLpPool", [x], 7, p=1)
    yield case("max_unpool_9", "MaxUnpool", [f32(1, 2, 3, 4).reshape(1, 1, 2, 2), i64(5, 7, 13, 15).reshape(1, 1, 2, 2)], 9, kernel_shape=[2, 2], strides=[2, 2])
    yield case("eyelike_9", "EyeLike", [np.zeros((3, 4), np.int32)], 9, k=1)
    yield case("nonmax_10", "NonMaxSuppression", [draw.uniform(0, 1, 1, 6, 4), draw.uniform(0, 1, 1, 2, 6), i64(3), f32(0.4), f32(0.1)], 10)
    yield case("isnan_9", "IsNaN", [f32(1, np.nan)], 9)
    yield case("scan_free_where_9", "Where", [draw.bools(3), draw.normal(2, 3), draw.normal(3)], 9)
    yield case("transpose_conv_1", "ConvTranspose", [x, draw.normal(3, 2, 3, 3)], 7, strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 0])
    yield case("conv_1_same", "Conv", [x, draw.normal(4, 3, 3, 2)], 7, auto_pad="SAME_LOWER", strides=[2, 2])
    for mode in ("mean", "none"):
        yield case(f"nll_12_{mode}", "NegativeLogLikelihoodLoss", [draw.normal(3, 4), draw.integers(0, 3, 3)], 12, reduction=mode)


def gemms(draw):
    for alpha in (1.0, 0.5):
        for beta in (1.0, -0.7):
            for i, bias in enumerate(((5,), (1, 5), (3, 1), (3, 5), (), (1,))):
                inputs = [draw.normal(3, 4), draw.normal(4, 5), draw.normal(*bias)]
                yield case(f"gemm_{alpha}_{beta}_{i}", "Gemm", inputs, 11, alpha=alpha, beta=beta)


def cases(draw):
    yield from gemms(draw)
    yield from attributes_for_inputs(draw)
    yield from older_kernels(draw)
