"""ONNX Runtime runs exactly the layers with an integer kernel that the plan for onnxruntime calls INT8: every weighted
layer of every model, judged by the graph that the engine writes."""

import collections

from engine import optimized_model
from graph_parts import constants_of, producers, read
from program import plan, quantized
from selection import selected_of_all
from specification import Specification, each, main

# The input of an integer kernel that holds its weight.
WEIGHT_SLOTS = {"QLinearConv": 3, "QLinearMatMul": 3, "QGemm": 3, "MatMulIntegerToFloat": 1, "DynamicQuantizeMatMul": 1,
                "DynamicQuantizeLSTM": 1}
VARIANTS = [(), ("--activation", "int8"), ("--activation", "dynamic")]


def integer_weights(model):
    """Returns {layer's name: name of the constant that holds its INT8 weight in the written file}, without layers of
    float weights."""
    maker, constants, found = producers(model), constants_of(model), {}
    for node in model.graph.node:
        # A scale at run time: the node is named after the layer.
        if node.op_type == "MatMulInteger":
            found[node.name.removesuffix("_MatMulInteger")] = node.input[1]
        if node.op_type == "DynamicQuantizeLSTM":
            found[node.name.removesuffix("_DynamicQuantizeLSTM")] = node.input[1]
        for name in node.input[:2]:
            source = maker.get(name)
            if source is not None and source.op_type == "DequantizeLinear" and source.input[0] in constants:
                found[node.name] = source.input[0]
    return found


class IntegerLayers(Specification):
    @each(selected_of_all(), VARIANTS)
    def test_the_layers_planned_INT8_are_those_that_ONNX_Runtime_runs_with_integers(self, model, more):
        file, layers = quantized(model, "onnxruntime", "max", *more), plan(model, "onnxruntime", *more)["layers"]
        weights = integer_weights(read(file))
        for layer in layers:
            layer["weight"] = weights.get(layer["name"], layer["name"])
        real = collections.Counter(node.input[WEIGHT_SLOTS[node.op_type]] for node in optimized_model(file).graph.node
                                   if node.op_type in WEIGHT_SLOTS)
        planned = collections.Counter(layer["weight"] for layer in layers if layer["int8"])
        for int8, says in ((True, "planned INT8, but float"), (False, "planned float, but integer")):
            differ = [f"{layer['op']} {layer['name']}: {layer['rule']}, {layer['reason']}" for layer in layers
                      if layer["int8"] == int8 and planned[layer["weight"]] != real[layer["weight"]]]
            self.assertEqual(differ, [], says)
        self.tell(f"{planned.total()} of {len(layers)} layers planned INT8, {real.total()} integer kernels with weights")


if __name__ == "__main__":
    main()
