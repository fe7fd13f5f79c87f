"""Weights alone as integers in blocks: ONNX Runtime makes one MatMulNBits of every product that Detent quantized,
gathers codes of embeddings, computes what Detent computes, and a GPT keeps its cross entropy."""

import collections
import functools
import re

from engine import optimized_model, run_model
from measures import next_tokens, sqnr
from models import CHARS_GPT, KNOWN_NATS, SHARED, Model, sequences
from program import detent, fresh_file, run, saved
from specification import Specification, each, main

EXACT_PRODUCTS = {"session.qdq_matmulnbits_accuracy_level": "0"}
BLOCKS = [("int4", "32"), ("int4", "128"), ("int4", "channel"), ("int8", "32"), ("int8", "channel")]
# Products; embeddings, positions and masks; their readers. The engine gives every reader a separate
# DequantizeLinear.
Counts = collections.namedtuple("Counts", "layers tables readers")
COUNTS = {CHARS_GPT: Counts(25, 3, 8), Model("vit_mini", SHARED / "exports/vit_mini/legacy_opset14.onnx"): Counts(9, 1, 1),
          Model("bert_mini", SHARED / "exports/bert_mini/legacy_opset14.onnx"): Counts(14, 2, 2)}

CONVOLUTIONS = {"vit_mini": 1}  # of them 8 bits have codes, too, with a scale a channel


@functools.cache
def quantized(model, kind, *more):
    """Returns (path, numbers of quantized layers and of tables)."""
    file = fresh_file("weights.onnx")
    said = detent("quantize-weights", model.file, "-o", file, "--quiet", "--accept-broken", "--target", "onnxruntime",
                  "--type", kind, *more)
    tables = re.search(r"masks: (\d+) of", said)
    return file, int(re.search(r"weights of (\d+) of", said)[1]), int(tables[1]) if tables else 0


def operators(file, level="all"):
    """Counts the operators of the graph as the engine runs it."""
    return collections.Counter(node.op_type for node in optimized_model(file, level).graph.node)


def gpt_file(*more):
    return quantized(CHARS_GPT, "int4", *more)[0]


class WeightOnly(Specification):
    @each(COUNTS, BLOCKS)
    def test_every_product_becomes_one_MatMulNBits(self, model, blocks):
        kind, block = blocks
        file, layers, tables = quantized(model, kind, "--block", block)
        counts = operators(file)
        convolutions = CONVOLUTIONS.get(model.name, 0) if kind == "int8" else 0
        wanted = COUNTS[model]
        self.assertEqual(Counts(layers - convolutions, tables, counts["DequantizeLinear"] - convolutions), wanted)
        self.assertEqual(counts["MatMulNBits"], COUNTS[model].layers)

    @each(COUNTS)
    def test_the_float_model_has_none_and_without_fusions_there_is_none(self, model):
        self.assertEqual(operators(model.file)["MatMulNBits"], 0)
        counts = operators(quantized(model, "int4")[0], "basic")
        self.assertEqual(counts["DequantizeLinear"], COUNTS[model].layers + COUNTS[model].readers)

    @each([CHARS_GPT])
    def test_the_engine_gathers_codes_of_an_embedding_and_makes_floats_of_the_rows_that_it_took(self, _):
        nodes = optimized_model(gpt_file(), "all").graph.node
        (gather,) = (node for node in nodes if node.op_type == "Gather" and node.input[0] == "e.weight_quantized")
        self.assertEqual([node.op_type for node in nodes if gather.output[0] in node.input], ["DequantizeLinear"])

    @each([CHARS_GPT])
    def test_the_table_of_an_excluded_Gather_stays_float(self, model):
        file, _, tables = quantized(model, "int4", "--policy", "exclude-op=Gather")
        self.assertEqual(tables, 2, "positions and the mask")
        self.assertEqual(operators(file)["DequantizeLinear"], 7, "one for the positions, six layers read the mask")

    @each([CHARS_GPT])
    def test_chars_gpt_in_INT4_takes_at_most_0_17_of_FP32(self, model):
        share = gpt_file().stat().st_size / model.file.stat().st_size
        self.tell(f"{share:.4f} of the float file")
        self.assertLessEqual(share, 0.17)

    @each([CHARS_GPT])
    def test_Detent_and_the_engine_compute_the_same(self, _):
        ids = sequences()[0][:4]
        (ours,) = run(gpt_file(), {"ids": saved(ids)}).values()
        (plain,) = run_model(gpt_file(), {"ids": ids}, "disabled").values()
        (fused,) = run_model(gpt_file(), {"ids": ids}, "all", config=EXACT_PRODUCTS).values()
        apart, fused_apart = sqnr(plain, ours), sqnr(plain, fused)
        self.tell(f"{apart:.1f} dB from DequantizeLinear and MatMul, those {fused_apart:.1f} dB from MatMulNBits")
        # Sums in another order: the float model alone differs by 110 dB and more between the two programs.
        self.assertGreater(apart, 100)
        self.assertGreater(fused_apart, 100)

    @each([CHARS_GPT])
    def test_chars_gpt_in_INT4_keeps_its_cross_entropy_if_inputs_choose_the_codes(self, model):
        ids, following = sequences()

        def nats(file):
            (logits,) = run_model(file, {"ids": ids}, "disabled").values()
            return next_tokens(logits, following)[0]
        rounded, nearest = nats(gpt_file("--data", str(model.calibration))), nats(gpt_file())
        self.tell(f"FP32 {KNOWN_NATS}, nearest codes {nearest:.4f}, codes by inputs {rounded:.4f} nats")
        self.assertLess(rounded - KNOWN_NATS, 0.01)
        self.assertGreater(nearest, rounded, "rounding by inputs gains nothing")


if __name__ == "__main__":
    main()
