"""For each layer of a Q/DQ file for onnxruntime lint says what the engine builds: of files written for this target, for
the other one, and with INT8 activations."""

import re

from engine import integer_layers
from program import lint, quantized
from selection import selected_of_all
from specification import Specification, each, main

# ONNX Runtime makes a Gemm of MatMul and Add (float bias) if it infers the sizes. Here it does not: they come through
# an Expand whose target is computed from a mask.
SIZES_NOT_INFERRED = {("exports/bert_mini/legacy_opset14", "tensorrt"): r"layer\.\d/attention/output/dense/MatMul$"}
VARIANTS = [("onnxruntime",), ("tensorrt",), ("onnxruntime", "--activation", "int8")]


class LintLayers(Specification):
    @each(selected_of_all(), VARIANTS)
    def test_lint_names_the_integer_layers(self, model, variant):
        target, *more = variant
        file = quantized(model, target, "max", *more)
        layers, integer = lint(file)["layers"], integer_layers(file)
        unknown = SIZES_NOT_INFERRED.get((model.name, *variant))
        wrong = [f"{layer['name']}: lint says {'INT8' if layer['int8'] else 'float (' + layer['reason'] + ')'}"
                 for layer in layers if layer["int8"] != (layer["name"] in integer)
                 and not (unknown and re.search(unknown, layer["name"]))]
        self.assertEqual(wrong, [])
        self.tell(f"{sum(layer['int8'] for layer in layers)} of {len(layers)} layers INT8")
        self.assertGreater(len(layers), 0, "lint sees no layer")


if __name__ == "__main__":
    main()
