"""16-bit codes in ONNX Runtime: QuantizeLinear and DequantizeLinear element by element, of ONNX's own domain and of
com.microsoft, and A16W8 files of the models, which have to load, agree with detent and lose less than 8 bits."""

import numpy
import onnx
from engine import run_model, run_once, session_of
from graph_parts import MICROSOFT, floats, parsed, random
from measures import different, sqnr
from program import arrays, fresh_file, quantized_from_data, run, saved, write_inputs
from selection import selected
from specification import Specification, each, main

ZERO_POINTS = {"uint16": [0, 1, 32768, 40001, 65535], "int16": [0, 0, 0, 0, 0]}
SCALES = floats(1, 0.1, 2 ** -20, 3.7e-5, 146.25)
OPSETS = {"": 21, MICROSOFT: 17}  # by domain


def pair_model(kind, domain, opset, count):
    """Scales and zero points along axis 1; `q` are the codes, `back` their numbers."""
    shape, prefix = f"[1,{len(SCALES)},{count}]", f"{domain}." if domain else ""
    return parsed(f"""(float{shape} x) => ({kind}{shape} q, float{shape} back) {{
        q = {prefix}QuantizeLinear<axis=1>(x, scale, zero)
        back = {prefix}DequantizeLinear<axis=1>(q, scale, zero) }}""",
                  {"scale": SCALES, "zero": numpy.array(ZERO_POINTS[kind], kind)}, opset, [domain] if domain else [])


def hard_numbers():
    """Returns halves between codes, numbers beyond the ends and numbers of any size, in steps."""
    halves = numpy.arange(400) * 333.5 - 66700
    positive = numpy.concatenate([
        [0, 0.5, 1.5, 2.5, 32766.5, 32767, 32767.5, 32768, 65534.5, 65535, 65535.5, 65536, 1e9, 1e30, numpy.inf],
        random([2000]) * numpy.tile([10, 70000], 1000)])
    return numpy.concatenate([halves, positive, -positive]).astype(numpy.float32)


class WideCodes(Specification):
    @each(OPSETS, ZERO_POINTS)
    def test_codes_are_the_same_bit_for_bit(self, domain, kind):
        numbers, file = hard_numbers(), fresh_file("pair.onnx")
        x = (SCALES[:, None] * numbers)[None]
        onnx.save(pair_model(kind, domain, OPSETS[domain], len(numbers)), file)
        theirs, ours = run_once(session_of(file, "disabled"), {"x": x}), run(file, {"x": saved(x)})
        for name, reference in theirs.items():
            self.assertEqual(ours[name].dtype, reference.dtype)
            self.assertEqual(different(reference, ours[name]), 0, f"elements of {name}")

    @each(selected())
    def test_A16W8_files_load_at_every_level_agree_with_detent_and_lose_less_than_8_bits(self, model):
        paths = write_inputs(model, model.evaluation(12))
        (reference,) = run_model(model.file, arrays(paths), "disabled").values()
        found = {}
        for activation in ("uint8", "uint16", "int16"):
            file = quantized_from_data(model, "onnxruntime", "mse", "--activation", activation)
            (output,), (own,) = run_model(file, arrays(paths), "all").values(), run(file, paths).values()
            session_of(file, "disabled")
            found[activation], ours = sqnr(reference, output), sqnr(reference, own)
            self.tell(f"{activation}: {found[activation]:.2f} dB (detent run: {ours:.2f} dB)")
            if activation != "uint8":
                self.assertLess(abs(found[activation] - ours), 0.5)
        self.assertGreater(min(found["uint16"], found["int16"]), found["uint8"])


if __name__ == "__main__":
    main()
