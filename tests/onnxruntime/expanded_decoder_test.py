"""A decoder step of com.microsoft operators (norm with skip, grouped queries with rotary positions and a cache, gate):
the file quantized from its expansion, in the engine, against the engine's own kernels on the original."""

import numpy
import onnx
from engine import run_model
from graph_parts import MICROSOFT, parsed, random, scalar
from measures import sqnr
from models import LEVEL_OF
from program import detent, fresh_file, report_of, report_path, saved, sources
from specification import Specification, each, main

# 4 heads in 2 groups, 16 elements each; 3 new tokens behind 6 old ones.
GRAPH = """(float[1,3,64] x, float[1,2,6,16] past_key, float[1,2,6,16] past_value, int32[1] lengths)
  => (float[1,3,64] y, float[1,2,9,16] present_key, float[1,2,9,16] present_value) {
  normal = com.microsoft.SkipSimplifiedLayerNormalization(x, x, scale)
  qkv = MatMul(normal, qkv_w)
  heads, present_key, present_value = com.microsoft.GroupQueryAttention<num_heads=4, kv_num_heads=2, do_rotary=1>(
    qkv, , , past_key, past_value, lengths, total, cos, sin)
  o = MatMul(heads, o_w)
  gate = com.microsoft.QuickGelu<alpha=1.0>(o)
  y = MatMul(gate, down_w)
}"""
CONSTANTS = {"scale": random([64], 1, 2), "qkv_w": random([64, 128], 0.2, 3), "o_w": random([64, 64], 0.2, 4),
             "down_w": random([64, 64], 0.2, 5), "cos": random([32, 8], 1, 6), "sin": random([32, 8], 1, 7),
             "total": scalar(9, "int32")}
SAMPLES = 32
INPUTS = {"x": random([SAMPLES, 3, 64], 1, 8), "past_key": random([SAMPLES, 2, 6, 16], 1, 9),
          "past_value": random([SAMPLES, 2, 6, 16], 1, 10), "lengths": numpy.full(SAMPLES, 8, numpy.int32)}


class ExpandedDecoder(Specification):
    @each(LEVEL_OF)
    def test_the_engine_measures_the_error_that_detent_measured(self, target):
        model, output = fresh_file("decoder.onnx"), fresh_file("decoder.int8.onnx")
        onnx.save(parsed(GRAPH, CONSTANTS, domains=[MICROSOFT]), model)
        data = {name: saved(stack.reshape(SAMPLES, *(stack.shape[1:] or [1]))) for name, stack in INPUTS.items()}
        detent("quantize", model, "-o", output, "--quiet", "--target", target, f"--json={report_path(output)}", *sources(data))
        report = report_of(output)
        self.assertEqual(report["coverage"]["int8_layers"], 3)
        expected, engine = run_model(model, INPUTS, "disabled"), run_model(output, INPUTS, LEVEL_OF[target])
        for one in report["error"]["outputs"]:
            db = sqnr(expected[one["name"]], engine[one["name"]])
            self.tell(f"{one['name']}: {db:.1f} dB in the engine, {one['sqnr_db']:.1f} dB by detent")
            # Two roundings to 8 bits cost about 37 dB; both programs measure the same error, except for codes on the
            # edge.
            self.assertGreater(db, 30, one["name"])
            self.assertLess(abs(db - one["sqnr_db"]), 1, one["name"])


if __name__ == "__main__":
    main()
