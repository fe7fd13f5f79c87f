"""Normalizations."""

import numpy as np

from cases import FLOATS, case


def layer(draw):
    for name, dtype in FLOATS.items():
        for axis in (-1, 1, 0, -2):
            for bias in (True, False):
                x = draw.normal(2, 3, 4, 5, dtype=dtype)
                shape = x.shape[axis:]
                inputs = [x, draw.normal(*shape, dtype=dtype)] + ([draw.normal(*shape, dtype=dtype)] if bias else [])
                outputs = 3 if bias else 1
                yield case(f"layer_{name}_{axis}_{bias}", "LayerNormalization", inputs, 17, outputs, axis=axis, epsilon=1e-3)
        x = draw.normal(2, 3, 8, dtype=dtype) * 30 + 200
        yield case(f"layer_{name}_offset", "LayerNormalization", [x.astype(dtype), draw.normal(8, dtype=dtype)], 17, 3)
        yield case(f"layer_{name}_broadcast", "LayerNormalization", [draw.normal(2, 3, 8, dtype=dtype), draw.normal(1, dtype=dtype), draw.normal(8, dtype=dtype)], 17)
        if name != "double":
            yield case(f"layer_{name}_stash16", "LayerNormalization", [draw.normal(2, 3, 8, dtype=dtype), draw.normal(8, dtype=dtype)], 17, 3, stash_type=16)


def rms(draw):
    for name, dtype in FLOATS.items():
        for axis in (-1, 1, 0):
            x = draw.normal(2, 3, 4, dtype=dtype)
            yield case(f"rms_{name}_{axis}", "RMSNormalization", [x, draw.normal(*x.shape[axis:], dtype=dtype)], 23, axis=axis, epsilon=1e-2)
        yield case(f"rms_{name}_broadcast", "RMSNormalization", [draw.normal(2, 3, 4, dtype=dtype, scale=50), draw.normal(1, dtype=dtype)], 23)
        for other, scale in FLOATS.items():
            if other != name:
                yield case(f"rms_{name}_scale_{other}", "RMSNormalization", [draw.normal(2, 3, 4, dtype=dtype), draw.normal(4, dtype=scale)], 23)


def group(draw):
    for name, dtype in FLOATS.items():
        for opset in (18, 21):
            for groups in (1, 2, 6):
                count = groups if opset == 18 else 6
                inputs = [draw.normal(2, 6, 3, 4, dtype=dtype), draw.normal(count, dtype=dtype), draw.normal(count, dtype=dtype)]
                yield case(f"group_{name}_{opset}_{groups}", "GroupNormalization", inputs, opset, num_groups=groups, epsilon=1e-2)
        inputs = [draw.normal(2, 6, 5, dtype=dtype), draw.normal(6, dtype=dtype), draw.normal(6, dtype=dtype)]
        yield case(f"group_{name}_21_3d", "GroupNormalization", inputs, 21, num_groups=3)
        yield case(f"instance_{name}", "InstanceNormalization", inputs, 22, epsilon=1e-2)
        yield case(f"instance_{name}_4d", "InstanceNormalization", [draw.normal(2, 6, 3, 4, dtype=dtype), *inputs[1:]], 22)


def batch(draw):
    for name, dtype in FLOATS.items():
        for opset in (9, 14, 15):
            if opset < 15 and name == "bfloat16":
                continue
            inputs = [draw.normal(3, 4, 5, 2, dtype=dtype), *[draw.normal(4, dtype=dtype) for _ in range(3)], draw.uniform(0.5, 2, 4, dtype=dtype)]
            yield case(f"batch_{name}_{opset}", "BatchNormalization", inputs, opset, epsilon=1e-2)
            if opset >= 14:
                yield case(f"batch_{name}_{opset}_training", "BatchNormalization", inputs, opset, 3, training_mode=1, momentum=0.7)
        inputs = [draw.normal(6, 4, dtype=dtype), *[draw.normal(4, dtype=dtype) for _ in range(3)], draw.uniform(0.5, 2, 4, dtype=dtype)]
        yield case(f"batch_{name}_2d", "BatchNormalization", inputs, 15)
    mixed = [draw.normal(3, 4, 5, dtype=np.float16), *[draw.normal(4) for _ in range(3)], draw.uniform(0.5, 2, 4)]
    yield case("batch_mixed", "BatchNormalization", mixed, 15)
    yield case("batch_mixed_training", "BatchNormalization", mixed, 15, 3, training_mode=1)


def others(draw):
    x = draw.normal(2, 7, 3, 3)
    for size in (1, 3, 4, 5):
        yield case(f"lrn_{size}", "LRN", [x], 13, size=size, alpha=0.3, beta=0.6, bias=2.0)
    for p in (1, 2):
        for axis in (0, 1, -1):
            yield case(f"lp_{p}_{axis}", "LpNormalization", [x], 22, p=p, axis=axis)
    yield case("lp_zero", "LpNormalization", [np.zeros((2, 3), np.float32)], 22)
    yield case("mvn", "MeanVarianceNormalization", [x], 13)
    yield case("mvn_axes", "MeanVarianceNormalization", [x], 13, axes=[0, 1])


def cases(draw):
    for family in (layer, rms, group, batch, others):
        yield from family(draw)
