"""Attention, LinearAttention, CausalConvWithState, RotaryEmbedding and SwiGLU."""

import numpy as np

from cases import BFLOAT16, case, i64

HALVES = {"float": np.dtype(np.float32), "float16": np.dtype(np.float16), "bfloat16": BFLOAT16}


def packed(draw, batch, heads, length, size, flat, dtype):
    x = draw.normal(batch, heads, length, size)
    return (x.transpose(0, 2, 1, 3).reshape(batch, length, heads * size) if flat else x).astype(dtype)


def mask_of(draw, kind, batch, heads, q_length, total, dtype):
    shape = {"2": (q_length, total), "3": (heads, q_length, total), "4": (batch, heads, q_length, total), "1": (batch, 1, q_length, total),
             "0": (1, 1, 1, total)}[kind[-1]]
    if kind.startswith("bool"):
        mask = draw.bools(*shape)
        mask[..., 0] = True
        return mask
    return draw.normal(*shape, dtype=dtype)


def attention(draw, name, *, opset=23, batch=2, heads=4, kv_heads=2, q_length=3, kv_length=5, size=8, v_size=6, flat=False, mask=None,
              past=0, dtype=np.float32, nonpad=None, outputs=4, full_mask=None, **attributes):
    q = packed(draw, batch, heads, q_length, size, flat, dtype)
    k = packed(draw, batch, kv_heads, kv_length, size, flat, dtype)
    v = packed(draw, batch, kv_heads, kv_length, v_size, flat, dtype)
    total = kv_length + past
    inputs = [q, k, v, None, None, None, None]
    if mask:
        inputs[3] = mask_of(draw, mask, batch, heads, q_length, total, dtype)
    if full_mask is not None:
        inputs[3] = full_mask
    if past:
        inputs[4] = draw.normal(batch, kv_heads, past, size, dtype=dtype)
        inputs[5] = draw.normal(batch, kv_heads, past, v_size, dtype=dtype)
    omit = ()
    if nonpad is not None:
        inputs[6] = nonpad
        omit = (1, 2)
    elif not past:
        omit = (1, 2)
    if flat:
        attributes.update(q_num_heads=heads, kv_num_heads=kv_heads)
    while inputs[-1] is None:
        inputs.pop()
    return case("attention_" + name, "Attention", inputs, opset, outputs, omit_outputs=omit if outputs > 1 else (), **attributes)


def plain(draw):
    for opset in (23, 24, 25):
        for flat in (False, True):
            tag = f"{opset}_{'3d' if flat else '4d'}"
            common = {"opset": opset, "flat": flat}
            yield attention(draw, f"{tag}", **common)
            yield attention(draw, f"{tag}_mha", kv_heads=4, **common)
            yield attention(draw, f"{tag}_mqa", kv_heads=1, outputs=1, **common)
            yield attention(draw, f"{tag}_causal", is_causal=1, **common)
            yield attention(draw, f"{tag}_causal_square", is_causal=1, q_length=5, **common)
            yield attention(draw, f"{tag}_causal_tall", is_causal=1, q_length=6, kv_length=4, **common)
            yield attention(draw, f"{tag}_past", past=3, **common)
            yield attention(draw, f"{tag}_past_causal", past=3, is_causal=1, q_length=4, kv_length=4, **common)
            yield attention(draw, f"{tag}_past_causal_mask", past=3, is_causal=1, q_length=4, kv_length=4, mask="float4", **common)
            for mask in ("bool2", "bool3", "bool4", "bool1", "bool0", "float2", "float3", "float4", "float1"):
                yield attention(draw, f"{tag}_mask_{mask}", mask=mask, **common)
            for mode in (0, 1, 2, 3):
                yield attention(draw, f"{tag}_mode{mode}", mask="bool4", softcap=1.5, scale=0.7, qk_matmul_output_mode=mode, **common)
                yield attention(draw, f"{tag}_mode{mode}_causal_past", mask="float2", past=2, q_length=4, kv_length=4, is_causal=1, softcap=0.5,
                                qk_matmul_output_mode=mode, **common)


def types(draw):
    for name, dtype in HALVES.items():
        for precision in (None, 1, 10, 16, 11):
            extra = {} if precision is None else {"softmax_precision": precision}
            yield attention(draw, f"{name}_precision{precision}", opset=24, dtype=dtype, mask="float2", qk_matmul_output_mode=3, **extra)
        yield attention(draw, f"{name}_bool_causal", opset=25, dtype=dtype, mask="bool2", is_causal=1, q_length=5)
    yield attention(draw, "double", opset=24, dtype=np.float64)


def lengths(draw):
    for opset in (24, 25):
        for mode in (0, 2, 3):
            yield attention(draw, f"{opset}_nonpad_mode{mode}", opset=opset, nonpad=i64(2, 5), qk_matmul_output_mode=mode)
            yield attention(draw, f"{opset}_nonpad_causal_mode{mode}", opset=opset, nonpad=i64(4, 5), is_causal=1, qk_matmul_output_mode=mode)
        yield attention(draw, f"{opset}_nonpad_mask", opset=opset, nonpad=i64(2, 4), mask="float2")
        yield attention(draw, f"{opset}_nonpad_bool_mask", opset=opset, nonpad=i64(2, 4), mask="bool4")
        yield attention(draw, f"{opset}_nonpad_3d", opset=opset, nonpad=i64(3, 1), flat=True)
        short = draw.normal(3, 4)
        yield attention(draw, f"{opset}_short_mask", opset=opset, kv_length=6, full_mask=short)
        yield attention(draw, f"{opset}_short_bool_mask", opset=opset, kv_length=6, full_mask=short > -5)
        yield attention(draw, f"{opset}_nonpad_causal_negative_offset", opset=opset, nonpad=i64(1, 5), is_causal=1, qk_matmul_output_mode=3)
        blocked = np.ones((3, 5), bool)
        blocked[1] = False
        for mode in (0, 2, 3):
            yield attention(draw, f"{opset}_fully_masked_row_mode{mode}", opset=opset, full_mask=blocked, qk_matmul_output_mode=mode)


def windows(draw):
    for left, right in ((1, -1), (-1, 1), (1, 1), (0, 0), (2, 0), (9, 9)):
        for past in (0, 3):
            tag = f"window_{left}_{right}_past{past}".replace("-", "m")
            yield attention(draw, tag, opset=25, past=past, q_length=5, left_window_size=left, right_window_size=right)
            if right <= 0:
                yield attention(draw, tag + "_causal", opset=25, past=past, q_length=5, is_causal=1, left_window_size=left, right_window_size=right)
        yield attention(draw, f"window_{left}_{right}_nonpad".replace("-", "m"), opset=25, q_length=2, nonpad=i64(3, 5), left_window_size=left,
                        right_window_size=right, qk_matmul_output_mode=2)
    yield attention(draw, "window_mask", opset=25, q_length=5, mask="bool4", left_window_size=1, right_window_size=1, softcap=2.0)


def linear_attention(draw):
    for rule in ("linear", "gated", "delta", "gated_delta"):
        for name, dtype in HALVES.items():
            for variant in range(3):
                batch, length, size, v_size = 2, 5, 4, 3
                heads, kv_heads = ((2, 2), (4, 2), (3, 1))[variant]
                k = draw.normal(batch, length, kv_heads, size)
                k /= np.linalg.norm(k, axis=-1, keepdims=True)
                inputs = [draw.normal(batch, length, heads * size), k.reshape(batch, length, -1), draw.normal(batch, length, kv_heads * v_size), None, None, None]
                if variant:
                    inputs[3] = draw.normal(batch, kv_heads, size, v_size)
                if "gated" in rule:
                    inputs[4] = -draw.uniform(0.05, 1, batch, length, kv_heads * (size if variant == 1 else 1))
                if "delta" in rule:
                    inputs[5] = draw.uniform(0, 1, batch, length, 1 if variant == 2 else kv_heads)
                inputs = [None if x is None else x.astype(dtype) for x in inputs]
                if variant == 2 and inputs[3] is not None:
                    inputs[3] = inputs[3].astype(np.float32)
                while inputs[-1] is None:
                    inputs.pop()
                extra = {"scale": 0.3} if variant == 2 else {}
                yield case(f"linear_{rule}_{name}_{variant}", "LinearAttention", inputs, 27, 2, q_num_heads=heads, kv_num_heads=kv_heads, update_rule=rule, **extra)


def causal_conv(draw):
    for name, dtype in HALVES.items():
        for activation in ("none", "silu", "swish"):
            for length, past, bias in ((6, True, True), (2, True, False), (6, False, True), (1, False, False)):
                inputs = [draw.normal(2, 3, length), draw.normal(3, 1, 4), draw.normal(3) if bias else None, draw.normal(2, 3, 3) if past else None]
                inputs = [None if x is None else x.astype(dtype) for x in inputs]
                while inputs[-1] is None:
                    inputs.pop()
                yield case(f"causalconv_{name}_{activation}_{length}_{past}", "CausalConvWithState", inputs, 27, 2, activation=activation)
    yield case("causalconv_kernel1", "CausalConvWithState", [draw.normal(2, 3, 4), draw.normal(3, 1, 1)], 27, 2)


def rotary(draw):
    for name, dtype in HALVES.items():
        for interleaved in (0, 1):
            for dim in (0, 4):
                rotated = (dim or 8) // 2
                cache = [draw.normal(10, rotated, dtype=dtype) for _ in range(2)]
                ids = draw.integers(0, 9, 2, 3)
                tag = f"rotary_{name}_i{interleaved}_d{dim}"
                attributes = {"interleaved": interleaved, "rotary_embedding_dim": dim}
                yield case(tag + "_4d", "RotaryEmbedding", [draw.normal(2, 4, 3, 8, dtype=dtype), *cache, ids], 23, **attributes)
                yield case(tag + "_3d", "RotaryEmbedding", [draw.normal(2, 3, 32, dtype=dtype), *cache, ids], 23, num_heads=4, **attributes)
                full = [draw.normal(2, 3, rotated, dtype=dtype) for _ in range(2)]
                yield case(tag + "_no_ids", "RotaryEmbedding", [draw.normal(2, 4, 3, 8, dtype=dtype), *full], 23, **attributes)


def swiglu(draw):
    for name, dtype in {**HALVES, "double": np.dtype(np.float64)}.items():
        for alpha in (1.0, 1.702, -0.5):
            yield case(f"swiglu_{name}_{alpha}", "SwiGLU", [draw.normal(3, 5, dtype=dtype, scale=3), draw.normal(3, 5, dtype=dtype)], 28, alpha=alpha)
            yield case(f"swish_{name}_{alpha}", "Swish", [draw.normal(3, 5, dtype=dtype, scale=3)], 24, alpha=alpha)


def cases(draw):
    for family in (plain, types, lengths, windows, linear_attention, causal_conv, rotary, swiglu):
        yield from family(draw)
