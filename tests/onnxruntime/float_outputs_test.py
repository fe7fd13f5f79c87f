"""The executor computes what ONNX Runtime computes: every shared model, unquantized, on real inputs."""

from engine import run_model
from measures import largest, within
from models import FLOAT_MODELS
from program import arrays, run, write_inputs
from specification import Specification, each, main


class FloatOutputs(Specification):
    @each(FLOAT_MODELS)
    def test_FP32_outputs_agree_with_ONNX_Runtime(self, model):
        paths = write_inputs(model, model.samples())
        ours, theirs = run(model.file, paths), run_model(model.file, arrays(paths), "all")
        self.assertEqual(set(ours), set(theirs))
        for name, reference in theirs.items():
            self.assertEqual((ours[name].dtype, ours[name].shape), (reference.dtype, reference.shape), name)
            # Relative to the largest magnitude of the output: sums cancel, so small elements carry the error of large
            # terms.
            _, worst = within(reference, ours[name], 0)
            self.tell(f"{name}: worst error {worst / largest(reference):.1e} of the largest value")
            self.assertLessEqual(worst, model.tolerance * largest(reference), name)


if __name__ == "__main__":
    main()
