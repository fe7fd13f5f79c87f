"""A Relu or Clip between an operator and the pair behind it. ONNX Runtime up to 1.31 compares its bounds with the pair
twice: in codes to choose the integer kernel, and in real numbers to remove the activation. If the two disagree it calls
the model invalid. `quantize` writes no such file; `lint` names it in files of others."""

import numpy
import onnx
from engine import VERSION, integer_layers, is_refused
from graph_parts import parsed, random, scalar
from program import fresh_file, lint, quantize, saved
from specification import Specification, each, main

IMAGE = "float[1,16,4,4]"


MESSAGE = "two nodes with same node name"
REFUSES = VERSION < (1, 32)


def errors_of(file):
    return [finding["id"] for finding in lint(file)["findings"] if finding["level"] == "error"]


LOWEST, MIDDLE = "lowest", "middle"
CODES = {"uint8": {LOWEST: 0, MIDDLE: 128}, "int8": {LOWEST: -128, MIDDLE: 0}}
NEXT_FLOAT = float(numpy.nextafter(numpy.float32(31.98) / numpy.float32(255), numpy.float32(1)))

# Operators in front of the activation, and whether they become integer kernels.
OPERATORS = {
    "Conv": ("w = DequantizeLinear<axis=0>(wq, ws, wz) a = Conv(xd, w)", True),
    "MatMul": ("w = DequantizeLinear<axis=1>(wq, ws, wz) a = MatMul(xd, w)", True),
    "Add": ("xe_q = QuantizeLinear(x, s2, z2) xe = DequantizeLinear(xe_q, s2, z2) a = Add(xd, xe)", True),
    "Concat": ("xe_q = QuantizeLinear(x, s2, z2) xe = DequantizeLinear(xe_q, s2, z2) a = Concat<axis=2>(xd, xe)", True),
    "LeakyRelu": ("a = LeakyRelu(xd)", True),
    "MaxPool": ("a = MaxPool<kernel_shape=[1,1]>(xd)", False),
    "Transpose": ("a = Transpose<perm=[0,1,3,2]>(xd)", False),
}

# The activation, scale and zero point of the pair behind it (None: it has none, so it is UINT8), and whether the engine
# refuses an operator that becomes an integer kernel.
GRIDS = {
    "Relu, lowest code 0": ("Relu", 0.02, LOWEST, False),
    "Relu, zero point in the middle": ("Relu", 0.05, MIDDLE, False),
    "Relu, no zero point": ("Relu", 0.02, None, True),
    "Clip, the range inside": ((0, 6), 5.99 / 255, LOWEST, False),
    "Clip, no zero point": ((0, 6), 5.99 / 255, None, True),
    "Clip, 0.2 steps beyond": ((0, 6), 6 / 254.8, LOWEST, True),
    "Clip, 0.55 steps beyond": ((0, 6), 6 / 254.45, LOWEST, False),
    "Clip, 0.3 steps below": ((-127.7 * 0.05, 7), 0.05, MIDDLE, True),
    "Clip without a lower bound": ((None, 6), 6 / 254.8, LOWEST, True),
    "Clip without an upper bound": ((0, None), 6 / 254.8, LOWEST, False),
    "Clip, half a step beyond, to the even code": ((0, 254.5 / 32), 1 / 32, LOWEST, False),
    "Clip, 2^-23 below": ((2 ** -23, 100), 1 / 255, LOWEST, False),
    "Clip, 5/4 of 2^-23 below": ((1.25 * 2 ** -23, 100), 1 / 255, LOWEST, True),
    "Clip, the next float beyond 31.98": ((0, 31.98), NEXT_FLOAT, LOWEST, True),
    "Clip, symmetric codes": ((0, 6), 6 / 127, MIDDLE, False),
}


def foreign(operator, grid, kind, readers):
    """Makes x -> pair -> operator -> activation -> pair -> Tanh, once or twice."""
    activation, scale, zero, _ = grid
    bounds = {} if activation == "Relu" else {name: bound for name, bound in zip(("low", "high"), activation)
                                              if bound is not None}
    low, high = (name if name in bounds else "" for name in ("low", "high"))
    call = "Relu(a)" if activation == "Relu" else f"Clip(a, {low}, {high})"
    point = ", z1" if zero else ""
    outputs = [f"y{reader}" for reader in range(readers)]
    shape = "float[1,16,8,4]" if operator == "Concat" else IMAGE
    channels = 4 if operator == "MatMul" else 16
    constants = {"s0": scalar(0.05), "s2": scalar(0.06), "s1": scalar(scale),
                 **{name: scalar(CODES[kind][MIDDLE], kind) for name in ("z0", "z2")},
                 **({"z1": scalar(CODES[kind][zero], kind)} if zero else {}),
                 **{name: scalar(bound) for name, bound in bounds.items()},
                 "wq": numpy.full([4, 4] if operator == "MatMul" else [16, 16, 1, 1], 5, numpy.int8),
                 "ws": numpy.full(channels, 0.02, numpy.float32), "wz": numpy.zeros(channels, numpy.int8)}
    return parsed(f"""({IMAGE} x) => ({", ".join(f"{shape} {name}" for name in outputs)}) {{
        xd_q = QuantizeLinear(x, s0, z0)
        xd = DequantizeLinear(xd_q, s0, z0)
        {OPERATORS[operator][0]}
        b = {call}
        bd_q = QuantizeLinear(b, s1{point})
        bd = DequantizeLinear(bd_q, s1{point})
        {" ".join(f"{name} = Tanh(bd)" for name in outputs)} }}""", constants)


# Networks with a Clip whose bounds times 255 steps round up or whose lower bound is not 0.
BOUNDS = [(0, 31.98), (0, 6), (0, 1 / 3), (0, 1e-3), (-1, 3), (-1, 1), (-31.98, 31.98), (-0.1, 31.98)]
BODIES = {
    "Conv": "a = Conv(x, w) b = Clip(a, lo, hi) c = Conv(b, w)",
    "Conv read twice": "a = Conv(x, w) b = Clip(a, lo, hi) d = Conv(b, w) c = Add(b, d)",
    "MatMul": "a = MatMul(x, m) b = Clip(a, lo, hi) c = MatMul(b, m)",
    "MatMul read twice": "a = MatMul(x, m) b = Clip(a, lo, hi) d = MatMul(b, m) e = MatMul(b, n) c = Add(d, e)",
    "MatMul of two activations": "d = Conv(x, w) a = MatMul(d, x) b = Clip(a, lo, hi) c = Conv(b, w)",
    "Add": "d = Conv(x, w) a = Add(d, x) b = Clip(a, lo, hi) c = Conv(b, w)",
    "LeakyRelu": "d = Conv(x, w) a = LeakyRelu(d) b = Clip(a, lo, hi) c = Conv(b, w)",
}
OPTIONS = [("--calibrator", "max"), ("--calibrator", "max", "--policy", "attention=int8"),
           ("--calibrator", "max", "--activation", "int8"), ("--calibrator", "percentile:99.9")]


def written(body, bounds, options, weight_scale=1, weight_seed=3):
    """Returns the path of a network that is quantized with numbers that reach both bounds."""
    file, (low, high) = fresh_file("model.onnx"), bounds
    weights = {name: random(dims, 1, seed) * numpy.float32(weight_scale) for name, dims, seed in
               (("w", [16, 16, 1, 1], weight_seed), ("m", [4, 4], 4), ("n", [4, 4], 5))}
    onnx.save(parsed(f"({IMAGE} x) => ({IMAGE} y) {{ {body} y = Tanh(c) }}",
                     weights | {"lo": scalar(low), "hi": scalar(high)}), file)
    return quantize(file, "onnxruntime", "--data", saved(random([4, 16, 4, 4], 2, 9)), "--accuracy", "fast", *options)


class AbsorbedActivations(Specification):
    @each(OPERATORS, GRIDS, CODES, [1, 2])
    def test_lint_names_the_files_that_the_engine_refuses(self, operator, grid, kind, readers):
        if GRIDS[grid][2] is None and kind != "uint8":
            return  # no zero point: UINT8
        file = fresh_file("model.onnx")
        onnx.save(foreign(operator, GRIDS[grid], kind, readers), file)
        # The input's pair becomes UINT8; an INT8 pair of two readers does not.
        expected = GRIDS[grid][3] and OPERATORS[operator][1] and (kind == "uint8" or readers == 1)
        self.assertEqual(is_refused(file, MESSAGE), expected and REFUSES, "the engine")
        self.assertEqual("refused-activation" in errors_of(file), expected, "lint")

    @each(BODIES, BOUNDS, OPTIONS)
    def test_the_written_file_loads(self, body, bounds, options):
        file = written(BODIES[body], bounds, options, max(bounds[1], -bounds[0]))
        self.assertFalse(is_refused(file, MESSAGE))
        self.assertEqual(errors_of(file), [])

    def test_the_Clip_is_absorbed(self):
        file = written("a = Conv(x, w) c = Clip(a, lo, hi)", (0, 31.98), OPTIONS[0], weight_seed=40)
        self.assertEqual(integer_layers(file), {"Conv_a"})


if __name__ == "__main__":
    main()
