"""`plan`, `quantize` and `lint` for onnxruntime against the engine, on random networks: the optimized graph of ONNX
Runtime runs the layers in integers that they call INT8. DETENT_GRAPHS=FIRST-LAST chooses the seeds."""

import os

import onnx
from engine import integer_layers
from graph_parts import random
from program import answer, fresh_folder, lint, quantize, report_of, saved
from random_graphs import random_graph
from specification import Specification, each, main

FIRST, LAST = map(int, (os.environ.get("DETENT_GRAPHS") or "0-299").split("-"))


def policies(seed):
    """Returns the options of a seed, so that every policy meets every kind of network."""
    return [*(["--policy", "quantize-outputs=on"] if seed % 5 == 0 else []),
            *(["--policy", "attention=int8"] if seed % 3 == 0 else []),
            *(["--activation", "int8"] if seed % 4 == 1 else [])]


def names(layers, holds=lambda layer: layer["int8"]):
    return sorted(layer["name"] for layer in layers if holds(layer))


class RandomLayers(Specification):
    @each(range(FIRST, LAST + 1))
    def test_plan_quantize_and_lint_name_the_layers_that_the_engine_runs_in_integers(self, seed):
        model, options = fresh_folder() / "model.onnx", policies(seed)
        network, dims = random_graph(seed)
        onnx.save(network, model)
        file = quantize(model, "onnxruntime", "--data", saved(random([4, *dims[1:]], 2, seed + 1)), "--calibrator", "max",
                        "--accuracy", "fast", *options)
        planned, linted = answer("plan", model, "--target", "onnxruntime", *options)["layers"], lint(file)
        integer = integer_layers(file)

        def runs(layer):
            return layer["name"] in integer
        self.tell(f"{len(names(planned, runs))} of {len(planned)} layers run in integers")
        self.assertEqual(names(planned), names(planned, runs), "plan")
        self.assertEqual(names(linted["layers"]), names(linted["layers"], runs), "lint")
        left = [layer["name"] if isinstance(layer, dict) else layer for layer in report_of(file)["float_layers"]]
        self.assertEqual(sorted(left), names(planned, lambda layer: not runs(layer)), "quantize")
        # With INT8 activations shared pairs and activations that are not absorbed cost layers.
        levels = ["error"] if "--activation" in options else ["error", "warning"]
        self.assertEqual([finding for finding in linted["findings"] if finding["level"] in levels], [],
                         "lint finds fault with it")


if __name__ == "__main__":
    main()
