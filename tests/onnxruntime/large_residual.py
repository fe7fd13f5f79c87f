"""The GPT of the shared folder with a residual stream as wide as those of large transformers and LayerNorm written out,
as older exporters write it: the same network in FP32, another one in raw FP16, where the squares overflow."""

import numpy
import onnx
from graph_parts import constants_of, model_like, node, producers, tensors
from onnx import numpy_helper


def _stream_constants(model, value):
    """Returns the initializers whose products and sums make the residual stream, read backwards from its last value."""
    maker, constants, found, waiting = producers(model), constants_of(model), set(), [value]
    sources = {"Add": slice(None), "Gather": slice(0, 1), "MatMul": slice(1, 2)}
    while waiting:
        name = waiting.pop()
        if name in constants:
            found.add(name)
        else:
            waiting += maker[name].input[sources[maker[name].op_type]]
    return found


def _written_out(norm):
    """d = x - mean(x); y = d / sqrt(mean(d^2) + epsilon) * weight + bias. Source: ONNX LayerNormalization-17."""
    (x, weight, bias), (y,) = norm.input, norm.output
    part = {name: f"{y}/{name}" for name in ("mean", "d", "square", "variance", "guarded", "deviation", "normal", "scaled")}
    last = {"axes": [-1], "keepdims": 1}
    return [node("ReduceMean", [x], [part["mean"]], last), node("Sub", [x, part["mean"]], [part["d"]]),
            node("Pow", [part["d"], "two"], [part["square"]]), node("ReduceMean", [part["square"]], [part["variance"]], last),
            node("Add", [part["variance"], "epsilon"], [part["guarded"]]), node("Sqrt", [part["guarded"]], [part["deviation"]]),
            node("Div", [part["d"], part["deviation"]], [part["normal"]]),
            node("Mul", [part["normal"], weight], [part["scaled"]]), node("Add", [part["scaled"], bias], [y])]


def with_large_residual(file, factor):
    """Returns the model whose stream is `factor` times as large. LayerNorm takes the factor out again."""
    model = onnx.load(file)
    norms = [one for one in model.graph.node if one.op_type == "LayerNormalization"]
    stream = _stream_constants(model, norms[-1].input[0])
    for tensor in model.graph.initializer:
        if tensor.name in stream:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) * numpy.float32(factor), tensor.name))
    constants = [*model.graph.initializer, *tensors({"two": numpy.float32(2), "epsilon": numpy.float32(1e-5)})]
    nodes = [part for one in model.graph.node for part in
             (_written_out(one) if one.op_type == "LayerNormalization" else [one])]
    return model_like(model, nodes, constants, model.graph.input, model.graph.output)
