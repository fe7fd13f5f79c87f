"""The models still do their task: FP32 by `detent run`, quantized files in ONNX Runtime. Whole tables: scores.py."""

import functools

from engine import run_model
from models import CALIBRATORS, LEVEL_OF
from program import arrays, quantized, run, write_inputs
from selection import selected
from specification import Specification, each, main

# Part of the evaluation set that a quick test looks at: every n-th sample, so that all classes are there.
STRIDES = {"occupancy3d": 3, "cifar10_resnet18": 4, "cifar10_efficientnet_b0": 10, "imagenet_mobilenetv2": 4,
           "imagenet_squeezenet1.1": 4}

# Models that keep their score with every calibrator, with the fraction that they may lose here: the bound of the whole
# set (half a point) plus two standard deviations of a part. Of 500 images some 2 % change sides, sqrt(.02/500) = .6
# points each. Of 32 occupancy samples, 8 million decisions, the whole set's bound (models.py: .9785 - .975). The
# segmentation sets are used whole.
MAY_LOSE = {"sample": 0.0034, "occupancy3d": 0.0035, "cifar10_resnet18": 0.017}


@functools.cache
def float_score(model, stride):
    """Returns the score of the float model by `detent run`."""
    samples = model.evaluation(stride)
    (output,) = run(model.file, write_inputs(model, samples)).values()
    return samples.score(output)


def engine_score(model, stride, file, level):
    samples = model.evaluation(stride)
    (output,) = run_model(file, arrays(write_inputs(model, samples)), level).values()
    return samples.score(output)


class Scores(Specification):
    @each(selected())
    def test_FP32_score_of_detent_run(self, model):
        ours = float_score(model, 1)
        self.tell(f"{model.metric} {ours:.2%}, known {model.fp32 or '-'}")
        if model.fp32:
            self.assertLessEqual(abs(ours - model.fp32), 0.0025, "a quarter point")
        else:
            self.assertLessEqual(abs(ours - engine_score(model, 1, model.file, "disabled")), 1e-4)

    @each(selected(), LEVEL_OF)
    def test_quantized_score_in_ONNX_Runtime(self, model, target):
        stride = STRIDES.get(model.name, 1)
        fp32 = float_score(model, stride)
        bound = fp32 - MAY_LOSE[model.name] if model.name in MAY_LOSE else model.at_least
        for calibrator in CALIBRATORS if bound else ["entropy"]:
            score = engine_score(model, stride, quantized(model, target, calibrator), LEVEL_OF[target])
            self.tell(f"{calibrator}: {model.metric} {score:.2%}, FP32 {fp32:.2%}")
            if bound:
                self.assertGreaterEqual(score, bound, calibrator)


if __name__ == "__main__":
    main()
