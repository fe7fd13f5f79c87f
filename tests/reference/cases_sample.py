"""GridSample, AffineGrid, DeformConv, RoiAlign, MaxRoiPool, NonMaxSuppression, Col2Im and CenterCropPad."""

import numpy as np

from cases import FLOATS, case, f32, i64


def grid_sample(draw):
    for opset in (16, 20, 22):
        modes = ("bilinear", "nearest", "bicubic") if opset == 16 else ("linear", "nearest", "cubic")
        for mode in modes:
            for padding in ("zeros", "border", "reflection"):
                for align in (0, 1):
                    attributes = {"mode": mode, "padding_mode": padding, "align_corners": align}
                    tag = f"grid_{opset}_{mode}_{padding}_{align}"
                    yield case(tag, "GridSample", [draw.normal(2, 3, 4, 5), draw.uniform(-1.8, 1.8, 2, 3, 6, 2)], opset, **attributes)
                    if opset > 16 and "cubic" not in mode:
                        yield case(tag + "_3d", "GridSample", [draw.normal(1, 2, 3, 4, 5), draw.uniform(-1.8, 1.8, 1, 2, 3, 2, 3)], opset, **attributes)
    for padding in ("zeros", "border", "reflection"):
        far = draw.uniform(-9, 9, 1, 4, 5, 2)
        yield case(f"grid_far_{padding}", "GridSample", [draw.normal(1, 1, 3, 3), far], 22, padding_mode=padding)
        yield case(f"grid_one_pixel_{padding}", "GridSample", [draw.normal(1, 1, 1, 1), draw.uniform(-1, 1, 1, 2, 2, 2)], 22, padding_mode=padding, align_corners=1)
        ties = (draw.integers(-8, 8, 1, 4, 5, 2) / 4).astype(np.float32)
        for align in (0, 1):
            yield case(f"grid_ties_{padding}_{align}", "GridSample", [draw.normal(1, 1, 4, 5), ties], 22, mode="nearest", padding_mode=padding, align_corners=align)
    for name, dtype in FLOATS.items():
        yield case(f"grid_type_{name}", "GridSample", [draw.normal(1, 1, 4, 5, dtype=dtype), draw.uniform(-1.5, 1.5, 1, 4, 5, 2)], 22)


def affine_grid(draw):
    for align in (0, 1):
        for name, dtype in FLOATS.items():
            yield case(f"affine_2d_{align}_{name}", "AffineGrid", [draw.normal(2, 2, 3, dtype=dtype), i64(2, 3, 4, 5)], 20, align_corners=align)
        yield case(f"affine_3d_{align}", "AffineGrid", [draw.normal(2, 3, 4), i64(2, 3, 4, 5, 2)], 20, align_corners=align)
        yield case(f"affine_1_{align}", "AffineGrid", [draw.normal(1, 2, 3), i64(1, 1, 1, 4)], 20, align_corners=align)


def deform_conv(draw):
    variants = [((1, 1, 1, 1), (1, 1), (1, 1), 1, 1), ((0, 1, 2, 0), (2, 1), (1, 2), 1, 2), ((1, 1, 1, 1), (1, 2), (1, 1), 2, 4), ((0, 0, 0, 0), (1, 1), (1, 1), 4, 1)]
    for i, (pads, strides, dilations, groups, offset_groups) in enumerate(variants):
        height = (6 + pads[0] + pads[2] - dilations[0] * 2 - 1) // strides[0] + 1
        width = (7 + pads[1] + pads[3] - dilations[1] * 1 - 1) // strides[1] + 1
        weights = draw.normal(4, 4 // groups, 3, 2)
        offset = draw.normal(2, offset_groups * 3 * 2 * 2, height, width)
        mask = draw.uniform(0, 1, 2, offset_groups * 6, height, width)
        for bias in (None, draw.normal(4)):
            for m in (None, mask):
                inputs = [draw.normal(2, 4, 6, 7), weights, offset, bias, m]
                while inputs[-1] is None:
                    inputs.pop()
                yield case(f"deform_{i}_{bias is not None}_{m is not None}", "DeformConv", inputs, 19 if i % 2 else 22, pads=list(pads), strides=list(strides),
                           dilations=list(dilations), group=groups, offset_group=offset_groups)


def rois(draw):
    boxes = np.array([[0, 0, 7, 7], [2.3, 1.1, 6.2, 4.9], [5, 5, 5, 5], [-3, -2, 4, 3], [4, 4, 15, 14]], np.float32)
    index = i64(0, 1, 1, 0, 1)
    for opset in (10, 16, 22):
        for mode in ("avg", "max"):
            for ratio in (0, 1, 2, 3):
                for transform in ("half_pixel", "output_half_pixel") if opset > 10 else ("",):
                    extra = {"coordinate_transformation_mode": transform} if transform else {}
                    yield case(f"roialign_{opset}_{mode}_{ratio}_{transform}", "RoiAlign", [draw.normal(2, 3, 8, 9), boxes, index], opset, mode=mode, sampling_ratio=ratio,
                               output_height=3, output_width=2, spatial_scale=0.9, **extra)
    pool = np.array([[0, 0, 0, 7, 7], [1, 2, 1, 6, 5], [1, 5, 5, 5, 5], [0, 3, 3, 12, 11], [0, 6, 6, 2, 2]], np.float32)
    for scale in (1.0, 0.5):
        yield case(f"maxroipool_{scale}", "MaxRoiPool", [draw.normal(2, 3, 8, 9), pool], 21, pooled_shape=[3, 2], spatial_scale=scale)


def suppression(draw):
    for center in (0, 1):
        for i in range(4):
            low = draw.uniform(0, 10, 2, 12, 2)
            boxes = np.concatenate([low, draw.uniform(2, 7, 2, 12, 2) + (0 if center else low)], axis=-1)
            if i == 1 and not center:
                boxes = boxes[..., [2, 3, 0, 1]]
            inputs = [boxes, draw.uniform(0, 1, 2, 3, 12), i64([4, 20, 2, 0][i]), f32([0.3, 0.5, 0.0, 0.5][i]), f32([0.2, 0.0, 0.6, 0.1][i])]
            inputs = [x.reshape(()) if x.size == 1 and i % 2 else x for x in inputs]
            yield case(f"nms_{center}_{i}", "NonMaxSuppression", inputs, 11, center_point_box=center)
        yield case(f"nms_{center}_defaults", "NonMaxSuppression", [boxes, draw.uniform(0, 1, 2, 3, 12)], 11, center_point_box=center)
        yield case(f"nms_{center}_five", "NonMaxSuppression", [boxes, draw.uniform(-1, 1, 2, 3, 12), i64(5)], 11, center_point_box=center)


def col2im(draw):
    def one(name, image, block, batch=2, channels=2, pads=None, strides=None, dilations=None):
        n = len(image)
        pads, strides, dilations = pads or [0] * 2 * n, strides or [1] * n, dilations or [1] * n
        count = [(image[i] + pads[i] + pads[n + i] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1 for i in range(n)]
        x = draw.normal(batch, channels * int(np.prod(block)), int(np.prod(count)))
        return case("col2im_" + name, "Col2Im", [x, i64(*image), i64(*block)], 18, pads=pads, strides=strides, dilations=dilations)

    yield one("plain", (5, 6), (2, 3))
    yield one("pads", (5, 6), (3, 3), pads=[1, 0, 2, 1])
    yield one("strides", (6, 6), (2, 3), strides=[2, 3])
    yield one("dilations", (7, 6), (2, 3), dilations=[3, 2])
    yield one("all", (7, 8), (2, 3), dilations=[2, 1], pads=[1, 2, 0, 1], strides=[2, 1])
    yield one("1d", (9,), (3,), strides=[2])
    yield one("3d", (4, 5, 3), (2, 2, 2), pads=[0, 1, 0, 1, 0, 1])


def crop_pad(draw):
    x = draw.normal(4, 7, 5, 6)
    for i, shape in enumerate(((3, 9, 5, 8), (5, 4, 8, 1), (4, 7, 5, 6), (7, 10, 2, 3))):
        yield case(f"croppad_{i}", "CenterCropPad", [x, i64(*shape)], 18)
        yield case(f"croppad_axes_{i}", "CenterCropPad", [x, i64(*shape[:2])], 18, axes=[3, 1])
        yield case(f"croppad_negative_{i}", "CenterCropPad", [x, i64(*shape[:2])], 18, axes=[-1, -3])
    yield case("croppad_int", "CenterCropPad", [draw.integers(0, 9, 3, 4, dtype=np.int16), np.array([5, 1], np.int32)], 18)


def cases(draw):
    for family in (grid_sample, affine_grid, deform_conv, rois, suppression, col2im, crop_pad):
        yield from family(draw)
