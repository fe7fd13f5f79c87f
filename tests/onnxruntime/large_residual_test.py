"""Raw FP16 conversions of transformers fail at the squares of a residual stream near 1000, in a LayerNorm written
out."""

import re

import numpy
import onnx
from engine import run_model
from large_residual import with_large_residual
from measures import largest, next_tokens, sqnr
from models import CHARS_GPT, Model, sequences
from node_cases import trace_of
from program import cast_to, fresh_file
from rounded_models import raw_half
from specification import Specification, each, main


class LargeResidual(Specification):
    @each([CHARS_GPT])
    def test_raw_FP16_against_ours(self, gpt):
        file, (ids, following) = fresh_file("large.onnx"), sequences(16)
        onnx.save(with_large_residual(gpt.file, 25), file)

        def run(model):
            (logits,) = run_model(model, {"ids": ids}, "disabled").values()
            return logits

        def right(model):
            return next_tokens(run(model), following)[1]

        values = trace_of(file, {"ids": ids[:1]}).values
        stream = max(largest(array) for name, array in values.items() if re.search(r"Add_[13]_output_0$", name))
        half = cast_to(Model("large residual", file, gpt.calibration), "fp16")
        # All float values, which raw FP16 rounds. ONNX Runtime's outputs tell integers and shapes.
        floats = {name for name, array in values.items() if array.dtype == numpy.float32}
        before, scaled, raw, ours = right(gpt.file), right(file), right(raw_half(file, floats)), right(half)
        self.tell(f"stream up to {stream:.0f}; next symbol right: {before:.2%} as trained, {scaled:.2%} scaled, {raw:.2%} in "
                  f"raw FP16, {ours:.2%} in ours ({sqnr(run(file), run(half)):.1f} dB)")
        self.assertGreater(stream, 500, "the stream is not large")
        self.assertLess(abs(scaled - before), 0.001, "the scaled network is another one")
        self.assertLess(raw, 0.6 * scaled, "raw FP16 is not ruined: the case shows nothing")
        self.assertGreater(ours, scaled - 0.003)


if __name__ == "__main__":
    main()
