"""LSTMs with INT8 weights: ONNX Runtime takes the files that `quantize` writes, and Detent computes what it computes,
for the operator's attributes and for weights as other tools write them."""

import numpy
import onnx
from engine import run_once, session_of
from graph_parts import parsed
from program import detent, fresh_file, fresh_folder, lint
from specification import Specification, each, main

STEPS, INPUTS, HIDDEN = 6, 12, 20
# Attributes beside hidden_size, and directions.
FORMS = {
    "forward": ("", 1),
    "reverse": ('direction = "reverse", ', 1),
    "bidirectional": ('direction = "bidirectional", ', 2),
    "clip": ("clip = 0.5, ", 1),
    "input_forget": ("input_forget = 1, ", 1),
    "activations": ('activations = ["HardSigmoid", "Softsign", "Relu"], ', 1),
}
# Codes as onnxruntime.quantization.quantize_dynamic writes them: one scale a direction.
CODES = {"int8": (numpy.int8, 0), "uint8": (numpy.uint8, 121)}


def numbers(*shape, seed=0):
    return numpy.random.default_rng(seed).uniform(-0.4, 0.4, shape).astype(numpy.float32)


def decibels(real, other):
    return 10 * numpy.log10(numpy.square(real).sum() / max(numpy.square(real - other).sum(), 1e-30))


def outputs_of(file, folder, x):
    """Returns what ONNX Runtime and Detent compute."""
    numpy.save(folder / "x.npy", x)
    detent("run", file, "--data", folder / "x.npy", "-o", folder / "found", "--quiet")
    session = session_of(file, "all")
    return [(run_once(session, {"x": sample[None]})["y"], found[None])
            for sample, found in zip(x, numpy.load(folder / "found/y.npy"))]


class DynamicLstm(Specification):
    @each(FORMS)
    def test_the_engine_computes_of_the_written_file_what_the_report_says(self, form):
        attributes, directions = FORMS[form]
        constants = {"w": numbers(directions, 4 * HIDDEN, INPUTS), "r": numbers(directions, 4 * HIDDEN, HIDDEN, seed=1),
                     "b": numbers(directions, 8 * HIDDEN, seed=2)}
        folder, file = fresh_folder(), fresh_file("int8.onnx")
        onnx.save(parsed(f"""(float[1,{STEPS},{INPUTS}] x) => (float[1,{STEPS},{directions * HIDDEN}] y) {{
            t = Transpose<perm=[1,0,2]>(x)
            a = LSTM<{attributes}hidden_size = {HIDDEN}>(t, w, r, b)
            s = Transpose<perm=[2,0,1,3]>(a)
            shape = Constant<value_ints=[1,{STEPS},{directions * HIDDEN}]>()
            y = Reshape(s, shape) }}""", constants), folder / "model.onnx")
        numpy.save(folder / "data.npy", numbers(4, STEPS, INPUTS, seed=3))
        detent("quantize", folder / "model.onnx", "--data", folder / "data.npy", "--target", "onnxruntime",
               "--activation", "dynamic", "-o", file, "--quiet", "--accept-broken")
        self.assertEqual([node.op_type for node in onnx.load(file).graph.node].count("DynamicQuantizeLSTM"), 1)
        self.assertEqual(lint(file)["coverage"]["int8_layers"], 1)
        plain = session_of(folder / "model.onnx", "all")
        samples = numbers(4, STEPS, INPUTS, seed=4)
        for sample, (real, found) in zip(samples, outputs_of(file, folder, samples)):
            wanted = run_once(plain, {"x": sample[None]})["y"]
            self.assertGreater(decibels(wanted, real), 25)
            # Only the order of sums differs, which turns a code here and there.
            self.assertGreater(decibels(real, found), 45)

    @each(CODES)
    def test_Detent_computes_what_the_engine_computes_of_codes_of_other_tools(self, codes):
        kind, zero = CODES[codes]
        draw = numpy.random.default_rng(5)
        code = lambda *shape: (draw.integers(-60, 60, shape) + zero).astype(kind)  # no pair saturates
        constants = {"w": code(1, INPUTS, 4 * HIDDEN), "r": code(1, HIDDEN, 4 * HIDDEN), "b": numbers(1, 8 * HIDDEN),
                     "ws": numpy.array([0.004], numpy.float32), "wz": numpy.array([zero], kind),
                     "rs": numpy.array([0.003], numpy.float32), "rz": numpy.array([zero], kind)}
        folder = fresh_folder()
        file = folder / "model.onnx"
        onnx.save(parsed(f"""(float[1,{STEPS},{INPUTS}] x) => (float[1,{STEPS},1,{HIDDEN}] y) {{
            t = Transpose<perm=[1,0,2]>(x)
            a = com.microsoft.DynamicQuantizeLSTM<hidden_size = {HIDDEN}>(t, w, r, b, , , , , ws, wz, rs, rz)
            y = Transpose<perm=[2,0,1,3]>(a) }}""", constants, domains=["com.microsoft"]), file)
        for real, found in outputs_of(file, folder, numbers(3, STEPS, INPUTS, seed=6)):
            self.assertGreater(decibels(real, found), 45)


if __name__ == "__main__":
    main()
