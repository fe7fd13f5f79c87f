"""RNN, GRU and LSTM."""

import numpy as np

from cases import case

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
STEPS, BATCH, INPUT, HIDDEN = 4, 3, 2, 5


def recurrent(draw, op, name, direction, *, layout=0, bias=True, lengths=None, initial=False, peepholes=False, dtype=np.float32, **attributes):
    directions = 2 if direction == "bidirectional" else 1
    gates = GATES[op]
    x = draw.normal(*((STEPS, BATCH, INPUT) if layout == 0 else (BATCH, STEPS, INPUT)), dtype=dtype)
    state = (directions, BATCH, HIDDEN) if layout == 0 else (BATCH, directions, HIDDEN)
    inputs = [x, draw.normal(directions, gates * HIDDEN, INPUT, dtype=dtype), draw.normal(directions, gates * HIDDEN, HIDDEN, dtype=dtype, scale=0.5)]
    inputs.append(draw.normal(directions, 2 * gates * HIDDEN, dtype=dtype) if bias else None)
    inputs.append(None if lengths is None else np.array(lengths, np.int32))
    inputs.append(draw.normal(*state, dtype=dtype) if initial else None)
    if op == "LSTM":
        inputs.append(draw.normal(*state, dtype=dtype) if initial else None)
        inputs.append(draw.normal(directions, 3 * HIDDEN, dtype=dtype) if peepholes else None)
    while inputs[-1] is None:
        inputs.pop()
    return case(f"{op}_{name}", op, inputs, attributes.pop("opset", 14), 3 if op == "LSTM" else 2, hidden_size=HIDDEN, direction=direction, layout=layout, **attributes)


def variants(draw, op):
    for direction in ("forward", "reverse", "bidirectional"):
        for layout in (0, 1):
            tag = f"{direction}_{layout}"
            common = {"layout": layout}
            yield recurrent(draw, op, tag, direction, bias=False, **common)
            yield recurrent(draw, op, tag + "_initial", direction, initial=True, **common)
            yield recurrent(draw, op, tag + "_lengths", direction, initial=True, lengths=[4, 2, 1], **common)
            yield recurrent(draw, op, tag + "_clip", direction, clip=0.6, **common)
            if op == "GRU":
                yield recurrent(draw, op, tag + "_linear", direction, initial=True, linear_before_reset=1, **common)
                yield recurrent(draw, op, tag + "_linear_lengths", direction, linear_before_reset=1, lengths=[3, 4, 2], **common)
            if op == "LSTM":
                yield recurrent(draw, op, tag + "_peepholes", direction, initial=True, peepholes=True, **common)
                yield recurrent(draw, op, tag + "_peepholes_lengths_clip", direction, initial=True, peepholes=True, lengths=[2, 4, 3], clip=0.7, **common)
    yield recurrent(draw, op, "double", "forward", dtype=np.float64)
    yield recurrent(draw, op, "float16", "forward", dtype=np.float16)
    yield recurrent(draw, op, "zero_length", "bidirectional", lengths=[0, 4, 2], initial=True)
    one = {"RNN": ["Relu"], "GRU": ["HardSigmoid", "Softsign"], "LSTM": ["HardSigmoid", "ScaledTanh", "Relu"]}[op]
    extra = {"RNN": {}, "GRU": {"activation_alpha": [0.3], "activation_beta": [0.4]}, "LSTM": {"activation_alpha": [0.3, 1.2], "activation_beta": [0.4, 0.7]}}[op]
    yield recurrent(draw, op, "activations", "forward", activations=one, **extra)
    if op == "LSTM":
        yield recurrent(draw, op, "input_forget", "forward", input_forget=1)
    for activation in ("LeakyRelu", "ThresholdedRelu", "Elu", "Softplus", "Affine", "Sigmoid"):
        if op == "RNN":
            yield recurrent(draw, op, "activation_" + activation, "forward", activations=[activation], activation_alpha=[0.3], activation_beta=[0.2])


def cases(draw):
    for op in GATES:
        yield from variants(draw, op)
