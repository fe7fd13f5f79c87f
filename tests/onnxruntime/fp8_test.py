"""FP8 files for TensorRT in ONNX Runtime: QuantizeLinear and DequantizeLinear element by element, the sessions that
load them, and their scores. ONNX Runtime computes their layers in float."""

import ml_dtypes
import numpy
import onnx
from engine import FATAL, run_model, run_once, session_of
from graph_parts import floats, parsed, random, scalar
from measures import different, sqnr
from program import arrays, fresh_file, quantized_from_data, run, saved, write_inputs
from selection import selected
from specification import Specification, each, main

NO_QDQ_RULES = {"session.disable_quant_qdq": "1"}  # the workaround of issue 22269
FP8 = ml_dtypes.float8_e4m3fn
SCALES = floats(1, 0.1, 2 ** -20, 3.7e-5, 146.25, 1e-38)
ZERO, SCALE = numpy.zeros([], FP8), scalar(0.01)


def pair_model(count):
    """`codes` are the numbers of the codes, `back` those times the scale."""
    n = len(SCALES)
    return parsed(f"""(float[1,{n},{count}] x) => (float[1,{n},{count}] back, float[1,{n},{count}] codes) {{
        q = QuantizeLinear<axis=1>(x, scale, zero)
        back = DequantizeLinear<axis=1>(q, scale, zero)
        codes = DequantizeLinear<axis=1>(q, one, zero) }}""",
                  {"scale": SCALES, "one": numpy.ones_like(SCALES), "zero": numpy.zeros(n, FP8)}, 19)


def hard_numbers():
    """Returns every code, every tie between two codes and the floats beside it, numbers beyond the largest, and numbers
    of any size."""
    codes = numpy.arange(127, dtype=numpy.uint8).view(FP8).astype(float)
    ties = (codes[1:] + codes[:-1]) / 2
    sizes = 2 ** (random([4000]).astype(float) * 12) * numpy.tile([0.01, 1], 2000)
    positive = [codes, ties, ties * (1 + 2 ** -23), ties * (1 - 2 ** -24), sizes,
                [464, 464.1, 480, 1e30, 2 ** -149, numpy.inf]]
    positive = numpy.concatenate(positive)
    return numpy.concatenate([positive, -positive, [numpy.nan]]).astype(numpy.float32)


class Fp8(Specification):
    def test_FP8_pairs_give_the_same_numbers_bit_for_bit(self):
        numbers = hard_numbers()
        with numpy.errstate(over="ignore"):
            x = (SCALES[:, None] * numbers)[None]
        file = fresh_file("pair.onnx")
        onnx.save(pair_model(len(numbers)), file)
        theirs, ours = run_once(session_of(file, "disabled"), {"x": x}), run(file, {"x": saved(x)})
        for name, reference in theirs.items():
            self.assertEqual(ours[name].shape, reference.shape)
            self.assertEqual(different(reference, ours[name]), 0, f"elements of {name}")

    # The statements of src/place/engines/onnxruntime/engine.cpp. If a release fails here, reconsider --type fp8 for it.
    # ONNX Runtime 1.30 also refused a MatMul or a Conv between such pairs.
    @each(["Clip(d, low, high)", "MatMul(d, wd)"])
    def test_FP8_pairs_around_a_Clip_load_up_to_level_basic_only(self, operator):
        model = parsed(f"""(float[4,32] x) => (float[4,32] y) {{
            q = QuantizeLinear<axis=0>(x, scale, zero)
            d = DequantizeLinear<axis=0>(q, scale, zero)
            wd = DequantizeLinear<axis=0>(w, scale, zero)
            m = {operator}
            mq = QuantizeLinear<axis=0>(m, scale, zero)
            y = DequantizeLinear<axis=0>(mq, scale, zero) }}""",
                       {"scale": SCALE, "zero": ZERO, "w": numpy.ones([32, 32], FP8), "low": scalar(0), "high": scalar(6)}, 19)
        for level in ("disabled", "basic"):
            session_of(model, level)
        if operator.startswith("MatMul"):
            session_of(model, "all")
        else:
            with self.assertRaisesRegex(Exception, "Unexpected data type for QuantizeLinear input y_zero_point"):
                session_of(model, "all", severity=FATAL)

    # The reason for level basic: from extended on the zero point's byte 0 is read as the lowest code of UINT8.
    def test_a_Relu_in_front_of_an_FP8_pair_is_lost_above_level_basic(self):
        model = parsed("""(float[2] x) => (float[2] y) {
            r = Relu(x)
            q = QuantizeLinear<axis=0>(r, scale, zero)
            y = DequantizeLinear<axis=0>(q, scale, zero) }""", {"scale": scalar(1), "zero": ZERO}, 19)
        for level, expected in (("basic", [0, 3]), ("extended", [-2, 3])):
            found = run_once(session_of(model, level, config=NO_QDQ_RULES), {"x": floats(-2, 3)})
            self.assertEqual(found["y"].tolist(), expected, level)

    # Half a point is the aim. This one misses it by one image of 400, at 32 dB; no more is allowed.
    MISSED = {"imagenet_squeezenet1.1": 0.0075}

    @each(selected())
    def test_FP8_files_load_agree_with_detent_and_keep_the_score(self, model):
        samples = model.evaluation(1)
        paths = write_inputs(model, samples)
        (reference,) = run_model(model.file, arrays(paths), "disabled").values()
        fp32, scores = samples.score(reference), []
        for calibrator in ("max", "mse"):
            file = quantized_from_data(model, "tensorrt", calibrator, "--type", "fp8")
            session_of(file, "basic")
            (output,) = run_model(file, arrays(paths), "basic", config=NO_QDQ_RULES).values()
            (own,) = run(file, paths).values()
            theirs, ours = sqnr(reference, output), sqnr(reference, own)
            scores.append(samples.score(output))
            self.tell(f"{calibrator}: FP32 {fp32:.2%}, FP8 {scores[-1]:.2%}, {theirs:.2f} dB (detent run: {ours:.2f} dB)")
            # Sums in another order flip single codes, some 3 % of a number each; the noise as a whole stays.
            self.assertLess(abs(theirs - ours), 0.5, f"SQNR {theirs} in ONNX Runtime, {ours} in detent")
        self.assertGreaterEqual(max(scores), fp32 - self.MISSED.get(model.name, 0.005) - 1e-9)


if __name__ == "__main__":
    main()
