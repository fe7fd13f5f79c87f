"""Shapes, attributes and inputs drawn freely: what the enumerated areas do not think of."""

import numpy as np

from cases import case, f32, i64

COORDINATES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")


def resize(draw, i):
    rank = draw.pick(1, 2, 3, 4)
    shape = [int(draw.rng.integers(1, 9)) for _ in range(rank)]
    mode = draw.pick("nearest", "linear", "cubic")
    attributes = {"mode": mode, "coordinate_transformation_mode": draw.pick(*COORDINATES)}
    if mode == "nearest":
        attributes["nearest_mode"] = draw.pick("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    else:
        attributes["antialias"] = draw.pick(0, 1)
    if mode == "cubic":
        attributes.update(exclude_outside=draw.pick(0, 1), cubic_coeff_a=draw.pick(-0.75, -0.5))
    count = int(draw.rng.integers(1, rank + 1))
    axes = [int(a) for a in draw.rng.permutation(rank)[:count]]
    if count < rank or draw.pick(True, False):
        attributes["axes"] = [a - rank if draw.pick(True, False) else a for a in axes]
    if draw.pick(True, False):
        tail = [None, None, i64(*[int(draw.rng.integers(1, 12)) for _ in axes])]
        attributes["keep_aspect_ratio_policy"] = draw.pick("stretch", "not_larger", "not_smaller")
    else:
        tail = [None, f32(*[max(draw.pick(0.4, 0.5, 0.8, 1.0, 1.25, 1.5, 2.0, 3.3), 1.01 / shape[a]) for a in axes])]
    return case(f"resize_{i}", "Resize", [draw.normal(*shape), *tail], 19, **attributes)


def window(draw, extents):
    kernel = [int(draw.rng.integers(1, min(n, 4) + 1)) for n in extents]
    attributes = {"kernel_shape": kernel, "strides": [int(draw.rng.integers(1, 4)) for _ in extents]}
    dilations = [int(draw.rng.integers(1, 3)) if (k - 1) * 2 + 1 <= n else 1 for k, n in zip(kernel, extents)]
    attributes["dilations"] = dilations
    if draw.pick(True, False):
        attributes["pads"] = [int(draw.rng.integers(0, k)) for k in kernel + kernel]
    return attributes


def pool(draw, i):
    extents = [int(draw.rng.integers(4, 10)) for _ in range(draw.pick(1, 2, 3))]
    op = draw.pick("MaxPool", "AveragePool", "LpPool")
    attributes = window(draw, extents) | {"ceil_mode": draw.pick(0, 1)}
    if op == "AveragePool":
        attributes["count_include_pad"] = draw.pick(0, 1)
    if op == "LpPool":
        attributes["p"] = draw.pick(1, 2, 3)
    return case(f"pool_{i}_{op}", op, [draw.normal(2, 3, *extents)], 22, 2 if op == "MaxPool" else 1, **attributes)


def convolution(draw, i):
    extents = [int(draw.rng.integers(4, 10)) for _ in range(draw.pick(1, 2, 3))]
    groups = draw.pick(1, 2, 4)
    attributes = window(draw, extents) | {"group": groups}
    op = draw.pick("Conv", "ConvTranspose")
    shape = (8, 4 // groups) if op == "Conv" else (4, 8 // groups)
    inputs = [draw.normal(2, 4, *extents), draw.normal(*shape, *attributes["kernel_shape"])] + ([draw.normal(8)] if draw.pick(True, False) else [])
    if op == "ConvTranspose":
        attributes["output_padding"] = [int(draw.rng.integers(0, max(s, d))) for s, d in zip(attributes["strides"], attributes["dilations"])]
    return case(f"conv_{i}_{op}", op, inputs, 22, **attributes)


def slicing(draw, i):
    shape = [int(draw.rng.integers(1, 7)) for _ in range(draw.pick(1, 2, 3))]
    axes = draw.rng.permutation(len(shape))[: int(draw.rng.integers(1, len(shape) + 1))]
    starts, ends = draw.integers(-9, 9, len(axes)), draw.integers(-9, 9, len(axes))
    steps = draw.integers(1, 3, len(axes)) * np.where(draw.bools(len(axes)), 1, -1)
    return case(f"slice_{i}", "Slice", [draw.normal(*shape), starts, ends, axes.astype(np.int64), steps.astype(np.int64)], 13)


def reduction(draw, i):
    op = draw.pick("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceSumSquare")
    rank = draw.pick(1, 2, 3, 4)
    shape = [int(draw.rng.integers(0 if op == "ReduceSum" else 1, 5)) for _ in range(rank)]
    axes = draw.rng.permutation(rank)[: int(draw.rng.integers(1, rank + 1))] - draw.pick(0, rank)
    return case(f"reduce_{i}_{op}", op, [draw.normal(*shape), axes.astype(np.int64)], 20, keepdims=draw.pick(0, 1))


def scatter(draw, i):
    shape = [int(draw.rng.integers(1, 6)) for _ in range(draw.pick(1, 2, 3))]
    axis = int(draw.rng.integers(len(shape)))
    index_shape = [int(draw.rng.integers(1, n + 1)) for n in shape]
    index = draw.integers(-shape[axis], shape[axis] - 1, *index_shape)
    if draw.pick(True, False):
        return case(f"gather_elements_{i}", "GatherElements", [draw.normal(*shape), index], 13, axis=axis)
    return case(f"scatter_elements_{i}", "ScatterElements", [draw.normal(*shape), index, draw.normal(*index_shape)], 18, axis=axis, reduction=draw.pick("add", "mul", "min", "max"))


def gather_nd(draw, i):
    shape = [int(draw.rng.integers(2, 5)) for _ in range(draw.pick(2, 3, 4))]
    batch = int(draw.rng.integers(0, len(shape) - 1))
    depth = int(draw.rng.integers(1, len(shape) - batch + 1))
    lead = shape[:batch] + [int(draw.rng.integers(1, 4)) for _ in range(draw.pick(0, 1, 2) + (batch == 0))]
    index = np.stack([draw.integers(-shape[batch + d], shape[batch + d] - 1, *lead) for d in range(depth)], -1)
    return case(f"gather_nd_{i}", "GatherND", [draw.normal(*shape), index], 13, batch_dims=batch)


def pad(draw, i):
    shape = [int(draw.rng.integers(2, 6)) for _ in range(draw.pick(1, 2, 3))]
    mode = draw.pick("constant", "edge", "reflect", "wrap")
    low = -1 if draw.pick(True, False) else 0
    pads = draw.integers(low, 2 if mode != "reflect" else 1, 2 * len(shape))
    return case(f"pad_{i}_{mode}", "Pad", [draw.normal(*shape), pads, np.array(0.5, np.float32)], 21, mode=mode)


def attention(draw, i):
    kv_heads, groups, q_length, kv_length = draw.pick(1, 2), draw.pick(1, 2, 3), draw.pick(1, 3, 6), draw.pick(2, 5)
    batch, size, v_size, past = draw.pick(1, 2), 4, draw.pick(4, 3), draw.pick(0, 2)
    heads, flat = kv_heads * groups, draw.pick(True, False)
    total = past + kv_length
    shape = (lambda h, n, d: (batch, n, h * d)) if flat else (lambda h, n, d: (batch, h, n, d))
    inputs = [draw.normal(*shape(heads, q_length, size)), draw.normal(*shape(kv_heads, kv_length, size)), draw.normal(*shape(kv_heads, kv_length, v_size)), None, None, None]
    mask_shape = draw.pick((q_length, total), (heads, q_length, total), (batch, heads, q_length, total), (batch, 1, q_length, total), (1, heads, 1, total), (1, total))
    kind = draw.pick("none", "bool", "float")
    if kind != "none":
        inputs[3] = draw.normal(*mask_shape) if kind == "float" else draw.bools(*mask_shape)
    if past:
        inputs[4:6] = [draw.normal(batch, kv_heads, past, size), draw.normal(batch, kv_heads, past, v_size)]
    attributes = {"is_causal": draw.pick(0, 1), "softcap": draw.pick(0.0, 1.3), "qk_matmul_output_mode": draw.pick(1, 2, 3)}
    if flat:
        attributes.update(q_num_heads=heads, kv_num_heads=kv_heads)
    opset = draw.pick(23, 24, 25)
    if opset == 25 and draw.pick(True, False):
        attributes.update(left_window_size=draw.pick(-1, 0, 1, 3), right_window_size=draw.pick(-1, 0, 1, 3) if not attributes["is_causal"] else -1)
    if opset > 23 and not past and draw.pick(True, False):
        inputs.append(draw.integers(1, kv_length, batch))
    while inputs[-1] is None:
        inputs.pop()
    return case(f"attention_{i}_{opset}", "Attention", inputs, opset, 4, omit_outputs=() if past else (1, 2), **attributes)


def grid(draw, i):
    flat = draw.pick(True, False)
    mode = draw.pick("linear", "nearest", "cubic") if flat else draw.pick("linear", "nearest")
    extents = [int(draw.rng.integers(1, 6)) for _ in range(2 if flat else 3)]
    out = [int(draw.rng.integers(1, 4)) for _ in extents]
    inputs = [draw.normal(2, 2, *extents), draw.uniform(-2, 2, 2, *out, len(extents))]
    return case(f"grid_{i}_{mode}", "GridSample", inputs, 22, mode=mode, padding_mode=draw.pick("zeros", "border", "reflection"), align_corners=draw.pick(0, 1))


def dft(draw, i):
    rank = draw.pick(2, 3)
    shape = [int(draw.rng.integers(1, 8)) for _ in range(rank)]
    axis = int(draw.rng.integers(0, rank)) - draw.pick(0, rank + 1)
    length = draw.pick(None, int(draw.rng.integers(1, 10)))
    components = draw.pick(1, 2)
    onesided = draw.pick(0, 1) if components == 1 else 0
    inputs = [draw.normal(*shape, components), None if length is None else np.array(length), np.array(axis)]
    return case(f"dft_{i}", "DFT", inputs, 20, onesided=onesided, inverse=0 if onesided else draw.pick(0, 1))


def top_k(draw, i):
    shape = [int(draw.rng.integers(1, 6)) for _ in range(draw.pick(1, 2, 3))]
    axis = int(draw.rng.integers(len(shape)))
    k = int(draw.rng.integers(0, shape[axis] + 1))
    return case(f"topk_{i}", "TopK", [draw.integers(-2, 2, *shape).astype(np.float32), i64(k)], 11, 2, axis=axis, largest=draw.pick(0, 1))


def broadcast(draw, i):
    shape = [int(draw.rng.integers(0, 5)) for _ in range(draw.pick(1, 2, 3, 4))]
    other = [n if draw.pick(True, False) else 1 for n in shape][int(draw.rng.integers(0, len(shape))):]
    op = draw.pick("Add", "Mul", "Sub", "Div", "Max", "Min")
    return case(f"broadcast_{i}_{op}", op, [draw.normal(*shape), draw.normal(*other)][:: draw.pick(1, -1)], 13)


FAMILIES = {resize: 120, pool: 80, convolution: 80, slicing: 40, reduction: 40, scatter: 30, gather_nd: 20, pad: 60, attention: 120, grid: 60, dft: 40, top_k: 20, broadcast: 40}


def cases(draw):
    for family, count in FAMILIES.items():
        for i in range(count):
            yield family(draw, i)
