"""Every model and export, equalized by every family: lint has no finding, the file loads in ONNX Runtime for its
target, is still the same network, and computes there what Detent computes."""

import functools

from engine import run_model, session_of
from measures import sqnr
from models import LEVEL_OF
from program import arrays, detent, quantized_from_data, run, write_inputs
from selection import selected_of_all
from specification import Specification, each, main

FEW = ["--limit", "4"]
EQUALIZE = ["--equalize", "gate,relu,linear,norm,act,product,value"]

# Sums in another order differ by 1e-6 of their largest terms; 1e-4 of the outputs (float_outputs_test.py allows 1e-3).
ROUNDING_ONLY_DB = 80
# Factors that do not cancel make another network, whose outputs are as far from the old ones as these are large: 0 dB.
# The bound is half of that power; the least here is 6 dB, coco_yolox_nano by its extremes.
ANOTHER_NETWORK_DB = 3


def samples_of(model):
    return write_inputs(model, model.samples() if model.samples else model.evaluation(1), *FEW)


@functools.cache
def float_outputs(model):
    return run_model(model.file, arrays(samples_of(model)), "disabled")


class Equalized(Specification):
    @each(selected_of_all(), ["tensorrt", "onnxruntime"])
    def test_equalized_by_every_family(self, model, target):
        file = quantized_from_data(model, target, "max", *EQUALIZE, *FEW)
        detent("lint", file, "--target", target, "--strict")  # fails unless it exits 0
        session_of(file, LEVEL_OF[target])
        paths = samples_of(model)
        ours, theirs = run(file, paths), run_model(file, arrays(paths), "disabled")
        self.assertEqual(set(ours), set(theirs))
        for name, a in theirs.items():
            b = ours[name]
            self.assertEqual((b.dtype, b.shape), (a.dtype, a.shape), name)
            apart, lost = sqnr(a, b), sqnr(float_outputs(model)[name], a)
            self.tell(f"{name}: SQNR between the two {apart:.1f} dB, of the quantization {lost:.1f} dB")
            self.assertGreaterEqual(lost, ANOTHER_NETWORK_DB, f"{name}: dB lost")
            # Other roundings in a deep network make noise of the quantization's kind. If all were independent in the
            # two programs, their outputs would differ by the noise of both: twice the power, 3 dB.
            self.assertGreaterEqual(apart, min(lost - 3, ROUNDING_ONLY_DB), f"{name}: {lost} dB lost")


if __name__ == "__main__":
    main()
