"""A decoder with a cache of keys and values in quantize, run and ONNX Runtime, for both targets: past values come in
and all values go out in float, and the quantized step continues a cache as the float step does."""

import numpy
from cache_model import PAST, STEP, write_cache_model, write_cache_samples
from engine import run_model, run_once, session_of
from graph_parts import read
from measures import sqnr
from models import LEVEL_OF
from program import arrays, detent, fresh_file, report_of, report_path, run, sources
from specification import Specification, each, main

MODEL = write_cache_model(fresh_file("decoder.onnx"))
CALIBRATION, EVALUATION = write_cache_samples(32, 1), write_cache_samples(16, 2)


def quantized(target, *more):
    file = fresh_file("decoder.int8.onnx")
    detent("quantize", MODEL, "-o", file, "--quiet", "--target", target, f"--json={report_path(file)}", *sources(CALIBRATION),
           *sources(EVALUATION, "--eval"), *more)
    return file


def quantized_values(file):
    return {node.input[0] for node in read(file).graph.node if node.op_type == "QuantizeLinear"}


class CacheModel(Specification):
    @each(LEVEL_OF)
    def test_the_quantized_step_continues_the_cache(self, target):
        file, inputs = quantized(target), arrays(EVALUATION)
        expected, engine = run_model(MODEL, inputs, "disabled"), run_model(file, inputs, LEVEL_OF[target])
        ours = run(file, EVALUATION)
        for name in ("logits", "present_key", "present_value"):
            db, apart = sqnr(expected[name], engine[name]), sqnr(engine[name], ours[name])
            self.tell(f"{name}: {db:.1f} dB against FP32; Detent and the engine {apart:.1f} dB apart")
            # Two roundings to 8 bits of values within 4 standard deviations cost about 37 dB; a wrong axis or scale
            # leaves under 10.
            self.assertGreater(db, 25, name)
            # A code on the edge falls to either side in two programs that sum in other orders: rarer than one in 100
            # codes.
            self.assertGreater(apart, db + 3, name)

        # The cache comes back unchanged: no pair stands on it.
        first = {name: stack[:1] for name, stack in inputs.items()}
        out = run_once(session_of(file, LEVEL_OF[target]), first)
        for kind in ("key", "value"):
            numpy.testing.assert_array_equal(out[f"present_{kind}"][:, :, :PAST], first[f"past_{kind}"])
        self.assertEqual(out["present_key"].shape[2], PAST + STEP)
        self.assertEqual(report_of(file)["float_layers"], [], "layers stay float")
        self.assertEqual(quantized_values(file) & {"past_key", "past_value", "present_key", "present_value"}, set())

    def test_quantized_products_of_attention_read_the_cache_through_pairs_where_that_is_asked_for(self):
        self.assertTrue(quantized_values(quantized("tensorrt", "--policy", "attention=int8")) & {"q", "kt"})


if __name__ == "__main__":
    main()
