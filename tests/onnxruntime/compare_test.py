"""`detent compare` predicts what the written files score in ONNX Runtime."""

from engine import run_model
from measures import decisions
from models import LEVEL_OF
from program import arrays, compared, quantized, run, write_inputs
from selection import selected
from specification import Specification, each, main

# Part of the evaluation set, so that it takes seconds: every n-th sample.
STRIDES = {"shapes_unet": 4, "occupancy3d": 4, "cifar10_resnet18": 8, "cifar10_efficientnet_b0": 8,
           "imagenet_mobilenetv2": 4, "imagenet_squeezenet1.1": 4}
CALIBRATORS = ["max", "mse"]


class Compare(Specification):
    @each(selected(), LEVEL_OF)
    def test_predicted_scores_are_those_of_the_engine(self, model, target):
        samples = model.evaluation(STRIDES.get(model.name, 1))
        report, paths = compared(model, samples, target, CALIBRATORS), write_inputs(model, samples)
        self.assertEqual([variant["calibrator"] for variant in report["variants"]], CALIBRATORS)
        for variant in report["variants"]:
            file = quantized(model, target, variant["calibrator"])
            (theirs,), (ours,) = run_model(file, arrays(paths), LEVEL_OF[target]).values(), run(file, paths).values()
            changed, count = int((decisions(theirs) != decisions(ours)).sum()), decisions(ours).size
            # Decisions that rounding flips are right or wrong by chance: three standard deviations of their sum.
            allowed = max(3 * changed ** 0.5 / count, 0.003)
            predicted, score = variant["metrics"][report["criterion"]], samples.score(theirs)
            self.tell(f"{variant['calibrator']}: predicted {predicted:.2%}, engine {score:.2%}, {changed} of {count} "
                      "decisions differ")
            self.assertLessEqual(abs(predicted - score), allowed, f"{variant['calibrator']}: {predicted}, not {score}")


if __name__ == "__main__":
    main()
