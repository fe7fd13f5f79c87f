"""An FP16 model quantized for both targets, with both types of scales: ONNX Runtime loads it at every level, it is FP16
at its boundary, computes what Detent computes and still does its task."""

import dataclasses
import functools

from engine import LEVELS, run_model, session_of
from graph_parts import elem_type, inputs_of, read
from measures import changed_argmax, sqnr, within
from models import CALIBRATORS, MODELS, SHARED
from node_cases import trace_of, write_cases, write_quantizers
from onnx import TensorProto
from program import arrays, quantized, run, verify, write_inputs
from specification import Specification, each, main

MODEL = dataclasses.replace(MODELS["shapes_unet"], name="shapes_unet FP16",
                            file=SHARED / "models/shapes_unet/model_fp16_opset17.onnx")
FORMS = [("tensorrt", "fp16"), ("tensorrt", "fp32"), ("onnxruntime", "fp16"), ("onnxruntime", "fp32")]  # type of scales


def written(form, calibrator="entropy"):
    target, scales = form
    return quantized(MODEL, target, calibrator, "--format", f"scales={scales}")


def inputs():
    return write_inputs(MODEL, MODEL.evaluation(12))


@functools.cache
def float_output():
    (output,) = run_model(MODEL.file, arrays(inputs()), "disabled").values()
    return output


class HalfModel(Specification):
    @each([MODEL], FORMS)
    def test_FP16_at_the_boundary(self, _, form):
        model, halves = read(written(form)), form[1] == "fp16"
        (first,) = inputs_of(model)
        self.assertEqual([elem_type(one) for one in (first, *model.graph.output)], [TensorProto.FLOAT16] * 2)
        self.assertEqual([node.op_type for node in model.graph.node if first.name in node.input],
                         ["QuantizeLinear" if halves else "Cast"])
        self.assertEqual(any(node.op_type == "Cast" for node in model.graph.node), not halves)
        self.assertEqual([one.version for one in model.opset_import if not one.domain], [19 if halves else 17])

    @each([MODEL], FORMS, LEVELS)
    def test_ONNX_Runtime_loads_it_at_every_level(self, _, form, level):
        session_of(written(form), level)

    @each([MODEL], FORMS)
    def test_each_node_agrees(self, _, form):
        trace = trace_of(written(form), {name: stack[:1] for name, stack in arrays(inputs()).items()})
        # Both round a result to a half: 2^-11 each; sums of halves that cancel differ by as much of their largest
        # terms.
        closing, text = verify(write_cases(trace), "--rtol", "1e-3", "--atol", "1e-3")
        self.tell(closing)
        self.assertRegex(closing, r"^[1-9]\d* passed, 0 failed, 0 unsupported", text)
        quantizers, stacks, expected = write_quantizers(trace)
        found = run(quantizers, stacks)
        for name, reference in expected.items():
            share, worst = within(reference, found[name], 0)
            # Halves lie between two steps exactly, or far from the middle: hardly any may go either way.
            self.assertTrue(worst <= 1 and share >= 0.999, f"{name}: {share} equal, worst {worst}")

    @each([MODEL], FORMS, CALIBRATORS)
    def test_outputs_and_score(self, model, form, calibrator):
        file, score = written(form, calibrator), model.evaluation(12).score
        (ours,), (theirs,) = run(file, inputs()).values(), run_model(file, arrays(inputs()), "disabled").values()
        self.assertEqual(ours.shape, theirs.shape)
        apart, lost = sqnr(theirs, ours), sqnr(float_output(), theirs)
        self.tell(f"SQNR between the two {apart:.1f} dB, of the quantization {lost:.1f} dB; changed argmax "
                  f"{changed_argmax(theirs, ours):.3%}; {model.metric} {score(ours):.4f} ours, {score(theirs):.4f} theirs, "
                  f"{score(float_output()):.4f} FP16")
        # A value up to 127 steps high is rounded to 2^-12 of itself, at other places by each program: up to a 32nd of a
        # step, so 3 % of all values end one step off. That is a third of the 1/12 step^2 of the quantization at that
        # place. The two programs must be nearer to each other than to FP16.
        self.assertGreater(apart, lost)
        # Half a point, as for the FP32 model (models.py, fp32 and at_least).
        self.assertGreaterEqual(min(score(ours), score(theirs)), score(float_output()) - 0.005)


if __name__ == "__main__":
    main()
