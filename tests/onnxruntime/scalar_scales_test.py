"""Scales and zero points of shape [1], which PyTorch's FX exports have. ONNX Runtime makes an integer kernel of the
operator between the pairs, and three kernels take scalars only: up to version 1.31 the engine then calls the model
invalid. `lint` names exactly the files that the engine refuses."""

import numpy
import onnx
from engine import VERSION, is_refused
from graph_parts import parsed
from program import fresh_file, lint
from specification import Specification, each, main


MESSAGE = "Scale and Zero-point must be a scalar"
REFUSES = VERSION < (1, 32)


# Nodes from the dequantized inputs a and b to r; whether the kernel takes the shape [1], or there is none; the zero
# point of r.
OPERATORS = {
    "Add": ("r = Add(a, b)", False, 128),
    "Mul": ("r = Mul(a, b)", False, 128),
    "AveragePool": ("r = AveragePool<kernel_shape=[1,1]>(a)", False, 128),
    "Add behind a Transpose": ("t = Transpose<perm=[0,1,3,2]>(a) r = Add(t, b)", False, 128),
    "Add behind a MaxPool": ("t = MaxPool<kernel_shape=[1,1]>(a) r = Add(t, b)", False, 128),
    "Add before a Transpose": ("t = Add(a, b) r = Transpose<perm=[0,1,3,2]>(t)", False, 128),
    "Add before an absorbed Relu": ("t = Add(a, b) r = Relu(t)", False, 0),
    "Add before a Relu that stays": ("t = Add(a, b) r = Relu(t)", True, 128),
    "Add behind a Relu": ("t = Relu(a) r = Add(t, b)", True, 128),
    "Add with a float reader": ("r = Add(a, b) u = Tanh(r)", True, 128),
    "Sub": ("r = Sub(a, b)", True, 128),
    "Concat": ("r = Concat<axis=0>(a, b)", True, 128),
    "LeakyRelu": ("r = LeakyRelu(a)", True, 128),
    "Sigmoid": ("r = Sigmoid(a)", True, 128),
    "Softmax": ("r = Softmax(a)", True, 128),
    "MaxPool": ("r = MaxPool<kernel_shape=[1,1]>(a)", True, 128),
    "GlobalAveragePool": ("r = GlobalAveragePool(a)", True, 128),
}
SHAPES = {"scalars": ([], []), "scale [1]": ([1], []), "zero point [1]": ([], [1])}


class ScalarScales(Specification):
    @each(OPERATORS, SHAPES, ["x", "r"])
    def test_lint_names_the_files_that_the_engine_refuses(self, operator, shape, place):
        text, taken, point = OPERATORS[operator]
        constants = {}
        for name, zero in (("x", 128), ("v", 128), ("r", point)):
            of_scale, of_zero = SHAPES[shape] if name == place else ([], [])
            constants |= {f"s{name}": numpy.full(of_scale, 0.05, numpy.float32), f"z{name}": numpy.full(of_zero, zero, numpy.uint8)}
        file = fresh_file("model.onnx")
        onnx.save(parsed(f"""(float[1,4,4,4] x, float[1,4,4,4] v) => (y{", u" if "u =" in text else ""}) {{
            a_q = QuantizeLinear(x, sx, zx) a = DequantizeLinear(a_q, sx, zx)
            b_q = QuantizeLinear(v, sv, zv) b = DequantizeLinear(b_q, sv, zv)
            {text}
            d_q = QuantizeLinear(r, sr, zr) d = DequantizeLinear(d_q, sr, zr)
            y = Tanh(d) }}""", constants), file)
        expected = not taken and shape != "scalars"
        self.assertEqual(is_refused(file, MESSAGE), expected and REFUSES, "the engine")
        found = {(finding["id"], finding["level"]) for finding in lint(file)["findings"]}
        self.assertEqual(("scale-not-scalar", "error") in found, expected, "lint")


if __name__ == "__main__":
    main()
