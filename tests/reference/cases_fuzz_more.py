"""More free drawing: normalizations, recurrences, indices, quantization, shapes without elements."""

import numpy as np

from cases import FLOATS, case, f32, i64
from cases_quantize import TYPES, codes, scales, values, zero_points


def normalization(draw, i):
    shape = [int(draw.rng.integers(1, 6)) for _ in range(draw.pick(2, 3, 4))]
    axis = int(draw.rng.integers(len(shape)))
    op = draw.pick("LayerNormalization", "RMSNormalization", "GroupNormalization", "InstanceNormalization", "LpNormalization", "Softmax", "LogSoftmax", "MeanVarianceNormalization")
    x = draw.normal(*shape)
    if op in ("LayerNormalization", "RMSNormalization"):
        inputs = [x, draw.normal(*shape[axis:])] + ([draw.normal(*shape[axis:])] if op[0] == "L" and draw.pick(True, False) else [])
        return case(f"norm_{i}_{op}", op, inputs, 23, axis=axis - draw.pick(0, len(shape)), epsilon=draw.pick(1e-5, 0.1))
    if op in ("GroupNormalization", "InstanceNormalization"):
        groups = draw.pick(*[g for g in range(1, shape[1] + 1) if shape[1] % g == 0])
        extra = {"num_groups": groups} if op[0] == "G" else {}
        return case(f"norm_{i}_{op}", op, [draw.normal(*shape, 3), draw.normal(shape[1]), draw.normal(shape[1])], 22, epsilon=0.01, **extra)
    if op == "MeanVarianceNormalization":
        return case(f"norm_{i}_{op}", op, [x], 13, axes=[axis])
    extra = {"p": 2} if op == "LpNormalization" else {}
    return case(f"norm_{i}_{op}", op, [x], 22, axis=axis - draw.pick(0, len(shape)), **extra)


def recurrence(draw, i):
    op, direction = draw.pick("RNN", "GRU", "LSTM"), draw.pick("forward", "reverse", "bidirectional")
    gates, d = {"RNN": 1, "GRU": 3, "LSTM": 4}[op], 2 if direction == "bidirectional" else 1
    steps, batch, size, hidden = [int(draw.rng.integers(1, 5)) for _ in range(4)]
    lengths = draw.integers(1, steps, batch, dtype=np.int32) if draw.pick(True, False) else None
    if lengths is not None:
        lengths[0] = steps
    inputs = [draw.normal(steps, batch, size), draw.normal(d, gates * hidden, size), draw.normal(d, gates * hidden, hidden),
              draw.normal(d, 2 * gates * hidden) if draw.pick(True, False) else None, lengths, draw.normal(d, batch, hidden) if draw.pick(True, False) else None]
    if op == "LSTM":
        inputs += [draw.normal(d, batch, hidden) if draw.pick(True, False) else None, draw.normal(d, 3 * hidden) if draw.pick(True, False) else None]
    while inputs[-1] is None:
        inputs.pop()
    extra = {"linear_before_reset": draw.pick(0, 1)} if op == "GRU" else {}
    return case(f"recurrence_{i}_{op}", op, inputs, 14, 3 if op == "LSTM" else 2, hidden_size=hidden, direction=direction, **extra)


def quantization(draw, i):
    name = draw.pick(*[n for n in TYPES if n != "float4"])
    shape = [int(draw.rng.integers(1, 7)) for _ in range(draw.pick(1, 2, 3))]
    axis, kind = int(draw.rng.integers(len(shape))), draw.pick("tensor", "axis", "blocked")
    block = int(draw.rng.integers(1, shape[axis] + 1))
    scale_shape = {"tensor": (), "axis": (shape[axis],), "blocked": tuple(-(-n // block) if a == axis else n for a, n in enumerate(shape))}[kind]
    attributes = {"axis": axis - draw.pick(0, len(shape))} | ({"block_size": block} if kind == "blocked" else {})
    scale, zero = scales(draw, np.float32, *scale_shape), zero_points(draw, TYPES[name], *scale_shape)
    if draw.pick(True, False):
        return case(f"quantize_{i}_{name}_{kind}", "QuantizeLinear", [values(draw, TYPES[name], scale, *shape), scale, zero], 25, **attributes)
    return case(f"dequantize_{i}_{name}_{kind}", "DequantizeLinear", [codes(draw, TYPES[name], *shape), scale, zero], 25, **attributes)


def empty(draw, i):
    shape = [int(draw.rng.integers(0, 3)) for _ in range(3)]
    shape[draw.rng.integers(3)] = 0
    op = draw.pick("Relu", "Transpose", "Softmax", "Gelu", "Abs", "Flatten", "Identity", "NonZero", "Shape", "Size", "Neg", "Sigmoid", "CumSum", "Tile", "Concat", "Reshape", "MatMul", "Gather")
    x = draw.normal(*shape)
    inputs = {"CumSum": [x, np.array(1)], "Tile": [x, i64(2, 1, 2)], "Concat": [x, x], "Reshape": [x, i64(0)], "MatMul": [x, draw.normal(shape[2], 3)], "Gather": [x, np.zeros(0, np.int64)]}
    extra = {"Concat": {"axis": 1}, "Reshape": {"allowzero": 1}}.get(op, {})
    return case(f"empty_{i}_{op}", op, inputs.get(op, [x]), 20, **extra)


def einsum(draw, i):
    sizes = dict(zip("abcd", [int(draw.rng.integers(1, 4)) for _ in range(4)]))
    terms = ["".join(draw.rng.permutation(list("abcd"))[: int(draw.rng.integers(1, 4))]) for _ in range(draw.pick(1, 2, 3))]
    seen = sorted(set("".join(terms)))
    output = "".join(c for c in draw.rng.permutation(seen) if draw.pick(True, False))
    equation = ",".join(terms) + ("->" + output if draw.pick(True, True, False) else "")
    return case(f"einsum_{i}", "Einsum", [draw.normal(*[sizes[c] for c in term]) for term in terms], 12, equation=equation)


def mat_mul(draw, i):
    lead = [int(draw.rng.integers(1, 4)) for _ in range(draw.pick(0, 1, 2))]
    m, k, n = [int(draw.rng.integers(1, 20)) for _ in range(3)]
    a, b = [v if draw.pick(True, False) else 1 for v in lead], [v if draw.pick(True, False) else 1 for v in lead][draw.pick(0, min(1, len(lead))):]
    name, dtype = draw.pick(*[item for item in FLOATS.items() if item[0] != "bfloat16"])
    return case(f"matmul_{i}_{name}", "MatMul", [draw.normal(*a, m, k, dtype=dtype), draw.normal(*b, k, n, dtype=dtype)], 13)


def suppression(draw, i):
    batches, classes, count = draw.pick(1, 2), draw.pick(1, 3), draw.pick(1, 7, 20)
    boxes = np.round(draw.uniform(0, 4, batches, count, 4) * 2) / 2
    boxes[..., 2:] += draw.pick(0, 1)
    scores = np.round(draw.uniform(0, 1, batches, classes, count) * 8) / 8 + np.arange(count) * 1e-3
    inputs = [boxes.astype(np.float32), scores.astype(np.float32), i64(draw.pick(1, 3, 50)), f32(draw.pick(0.0, 0.3, 0.5, 1.0)), f32(draw.pick(0.0, 0.4, 0.9))]
    return case(f"nms_{i}", "NonMaxSuppression", inputs[: draw.pick(3, 4, 5)], 11, center_point_box=draw.pick(0, 1))


def roi_align(draw, i):
    count = draw.pick(1, 4)
    corner = draw.uniform(-3, 8, count, 2)
    boxes = np.concatenate([corner, corner + draw.uniform(0, 9, count, 2)], 1)
    inputs = [draw.normal(2, 2, 6, 7), boxes.astype(np.float32), draw.integers(0, 1, count)]
    return case(f"roi_{i}", "RoiAlign", inputs, 16, mode=draw.pick("avg", "max"), sampling_ratio=draw.pick(0, 1, 2), output_height=draw.pick(1, 3), output_width=draw.pick(2, 4),
                spatial_scale=draw.pick(1.0, 0.5), coordinate_transformation_mode=draw.pick("half_pixel", "output_half_pixel"))


FAMILIES = {normalization: 80, recurrence: 100, quantization: 120, empty: 80, einsum: 60, mat_mul: 60, suppression: 40, roi_align: 40}


def cases(draw):
    for family, count in FAMILIES.items():
        for i in range(count):
            yield family(draw, i)
