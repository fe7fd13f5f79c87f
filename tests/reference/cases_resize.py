"""Resize and Upsample."""

import numpy as np

from cases import FLOATS, case, f32, i64

COORDINATES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize")
OLD = {11: ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"),
       13: ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize")}
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
ROI = f32(0, 0, 0.1, 0.2, 1, 1, 0.8, 1.3)


def resize(name, x, opset, *, scales=None, sizes=None, roi=None, **attributes):
    inputs = [x, roi, scales, sizes]
    if opset < 13:
        inputs = [x, np.zeros(0, np.float32) if roi is None else roi, np.zeros(0, np.float32) if scales is None else scales, sizes]
    while inputs[-1] is None:
        inputs.pop()
    return case(name, "Resize", inputs, opset, **attributes)


def targets(draw):
    """(name, arguments): growing and shrinking, by scales and by sizes."""
    yield "grow", {"scales": f32(1, 1, 1.7, 2.0)}
    yield "shrink", {"scales": f32(1, 1, 0.6, 0.45)}
    yield "sizes", {"sizes": i64(1, 2, 7, 3)}


def sweep(draw, opset, modes):
    for mode in ("nearest", "linear", "cubic"):
        for coordinate in modes:
            roi = {"roi": ROI, "extrapolation_value": 9.5} if coordinate == "tf_crop_and_resize" else {}
            for target, arguments in targets(draw):
                tag = f"{opset}_{mode}_{coordinate}_{target}"
                common = {"mode": mode, "coordinate_transformation_mode": coordinate, **arguments, **roi}
                yield resize(tag, draw.normal(1, 2, 5, 6), opset, **common)
                if mode == "cubic":
                    yield resize(tag + "_exclude", draw.normal(1, 2, 5, 6), opset, exclude_outside=1, cubic_coeff_a=-0.5, **common)
                if mode == "nearest":
                    for rounding in NEAREST[1:]:
                        yield resize(f"{tag}_{rounding}", draw.normal(1, 2, 5, 6), opset, nearest_mode=rounding, **common)


def antialias(draw):
    for mode in ("linear", "cubic"):
        for coordinate in COORDINATES[:5]:
            for target, arguments in targets(draw):
                for exclude in (0, 1) if mode == "cubic" else (0,):
                    yield resize(f"antialias_{mode}_{coordinate}_{target}_{exclude}", draw.normal(1, 2, 8, 9), 19, mode=mode, antialias=1,
                                 coordinate_transformation_mode=coordinate, exclude_outside=exclude, **arguments)


def axes(draw):
    for policy in ("stretch", "not_larger", "not_smaller"):
        for mode in ("nearest", "linear", "cubic"):
            for sizes in ((7, 9), (3, 8), (9, 3)):
                yield resize(f"policy_{policy}_{mode}_{sizes[0]}", draw.normal(1, 2, 5, 6), 19, mode=mode, axes=[2, 3], sizes=i64(*sizes), keep_aspect_ratio_policy=policy)
    for opset in (18, 19):
        yield resize(f"axes_{opset}_swapped", draw.normal(1, 2, 5, 6), opset, mode="linear", axes=[3, 2], scales=f32(2, 0.5))
        yield resize(f"axes_{opset}_negative", draw.normal(1, 2, 5, 6), opset, mode="cubic", axes=[-1], scales=f32(1.5))
        yield resize(f"axes_{opset}_roi", draw.normal(1, 2, 5, 6), opset, mode="linear", axes=[3, 2], roi=f32(0.1, 0.2, 0.9, 1.2), sizes=i64(4, 5),
                     coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=-3.0)
        yield resize(f"axes_{opset}_first", draw.normal(3, 2, 5), opset, mode="nearest", axes=[0], sizes=i64(5))


def others(draw):
    for rank in (1, 2, 3, 5):
        shape = (4, 3, 5, 2, 3)[:rank]
        scales = f32(1.5, 0.7, 2, 1, 1.3)[:rank]
        for mode in ("nearest", "linear", "cubic"):
            yield resize(f"rank{rank}_{mode}", draw.normal(*shape), 19, mode=mode, scales=scales)
    yield resize("one_pixel_align", draw.normal(1, 1, 4, 4), 19, mode="linear", sizes=i64(1, 1, 1, 1), coordinate_transformation_mode="align_corners")
    yield resize("one_pixel_pytorch", draw.normal(1, 1, 4, 4), 19, mode="linear", sizes=i64(1, 1, 1, 3), coordinate_transformation_mode="pytorch_half_pixel")
    for name, dtype in {**FLOATS, "int32": np.dtype(np.int32), "uint8": np.dtype(np.uint8), "int8": np.dtype(np.int8)}.items():
        for mode in ("nearest", "linear", "cubic"):
            x = draw.integers(0, 100, 1, 1, 4, 5, dtype=dtype) if dtype.kind in "iu" else draw.normal(1, 1, 4, 5, dtype=dtype)
            yield resize(f"type_{name}_{mode}", x, 19, mode=mode, scales=f32(1, 1, 1.6, 0.8))
            if mode != "nearest":
                yield resize(f"type_{name}_{mode}_antialias", x, 19, mode=mode, antialias=1, scales=f32(1, 1, 0.6, 0.8))
    for mode in ("nearest", "linear"):
        yield case(f"upsample_{mode}", "Upsample", [draw.normal(1, 2, 3, 4), f32(1, 1, 2, 3)], 9, mode=mode)
    for mode in ("nearest", "linear"):
        yield case(f"opset10_{mode}", "Resize", [draw.normal(1, 2, 3, 4), f32(1, 1, 2.5, 1.5)], 10, mode=mode)


def cases(draw):
    yield from sweep(draw, 11, OLD[11])
    yield from sweep(draw, 13, OLD[13])
    yield from sweep(draw, 18, COORDINATES)
    yield from sweep(draw, 19, COORDINATES)
    yield from antialias(draw)
    yield from axes(draw)
    yield from others(draw)
