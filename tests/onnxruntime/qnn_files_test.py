"""Files for Qualcomm's HTP: ONNX Runtime's CPU provider has to load them, to compute what detent computes, and to lose
less with 16-bit activations than with 8. No such processor was at hand."""

import dataclasses

from engine import run_model, session_of
from measures import sqnr
from models import MODELS, detector, exported_models
from program import arrays, quantized_from_data, run, write_inputs
from specification import Specification, each, main


def scored(name, stride):
    return dataclasses.replace(MODELS[name], samples=lambda: MODELS[name].evaluation(stride))


ALL = [scored("cifar10_resnet18", 63), scored("imagenet_mobilenetv2", 20), scored("imagenet_squeezenet1.1", 20),
       dataclasses.replace(detector("bccd_dfl"), calibration=None),
       *(model for model in exported_models() if model.name in ("exports/bert_mini/legacy_opset14",
                                                                "exports/vit_mini/legacy_opset14"))]
FORMS = {"a8w8": [], "a8w8, --format per-tensor=on": ["--format", "per-tensor=on"], "a16w8": ["--activation", "uint16"]}


class QnnFiles(Specification):
    @each(ALL)
    def test_files_for_qnn_load_and_compute_what_detent_computes(self, model):
        paths, found = write_inputs(model, model.samples()), {}
        reference, *_ = run_model(model.file, arrays(paths), "disabled").values()
        for form, words in FORMS.items():
            file = quantized_from_data(model, "qnn", "mse", *words)
            session_of(file, "all")
            theirs, *_ = run_model(file, arrays(paths), "disabled").values()
            own, *_ = run(file, paths).values()
            found[form], ours = sqnr(reference, theirs), sqnr(reference, own)
            self.tell(f"{form}: {found[form]:.2f} dB (detent run: {ours:.2f} dB)")
            # Below 10 dB one code more or less changes the number.
            self.assertTrue(abs(found[form] - ours) < 0.5 or max(found[form], ours) < 10,
                            f"SQNR {found[form]}, detent {ours}")
        self.assertGreater(found["a16w8"], found["a8w8"])


if __name__ == "__main__":
    main()
