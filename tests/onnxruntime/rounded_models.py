"""Models of FP32 whose values are rounded to a narrower type behind each node. ONNX Runtime's CPU has hardly any kernel
for BFloat16, so such a twin judges a model of that type. Sums inside a node are FP32, as in engines."""

import numpy
import onnx
from graph_parts import elem_type, inputs_of, model_like
from onnx import TensorProto, helper, numpy_helper

FLOAT, HALF, BFLOAT = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16

# Operators whose first output has another type than their operands.
OTHER_TYPES = {"Shape", "Size", "ArgMax", "ArgMin", "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "IsNaN",
               "IsInf", "NonZero", "QuantizeLinear", "Not", "And", "Or", "Constant", "ConstantOfShape",
               "NonMaxSuppression"}


def _attribute(node, name):
    return next((helper.get_attribute_value(one) for one in node.attribute if one.name == name), None)


def _makes_bfloat(node, names):
    if node.op_type == "Cast":
        return _attribute(node, "to") == BFLOAT
    if node.op_type == "DequantizeLinear":
        return node.input[1] in names
    if node.op_type in ("Constant", "ConstantOfShape"):
        value = _attribute(node, "value")
        return value is not None and value.data_type == BFLOAT
    return node.op_type not in OTHER_TYPES and any(name in names for name in node.input)


def bfloat_values(model):
    """Returns the names of the values whose type is BFloat16."""
    names = {value.name for value in inputs_of(model) if elem_type(value) == BFLOAT}
    names |= {tensor.name for tensor in model.graph.initializer if tensor.data_type == BFLOAT}
    for node in model.graph.node:
        if _makes_bfloat(node, names):
            names.update(node.output if node.op_type in ("Split", "LSTM", "GRU", "RNN") else node.output[:1])
    return names - {""}  # outputs that nothing reads have no name


def _cast_pair(name, kind):
    return [helper.make_node("Cast", [f"{name}__exact"], [f"{name}__rounded"], f"twin of {name}__rounded", to=kind),
            helper.make_node("Cast", [f"{name}__rounded"], [name], f"twin of {name}", to=FLOAT)]


def _rounding(model, constants, names, kind):
    """Returns the model with a Cast to `kind` and back behind each value of `names` that a node makes, or that the
    initializer NAME__exact has."""
    nodes = [node for tensor in constants if tensor.name.endswith("__exact")
             for node in _cast_pair(tensor.name.removesuffix("__exact"), kind)]
    for node in model.graph.node:
        rounded = [name for name in node.output if name in names]
        for slot, name in enumerate(node.output):
            node.output[slot] = f"{name}__exact" if name in names else name
        nodes += [node, *(cast for name in rounded for cast in _cast_pair(name, kind))]
    return model_like(model, nodes, constants, inputs_of(model), model.graph.output)


def _wide(tensor):
    return numpy_helper.from_array(numpy_helper.to_array(tensor).astype(numpy.float32), tensor.name)


def twin_of(file):
    """Returns (the FP32 twin of a BFloat16 file, names of the values that are BFloat16 in it)."""
    model = onnx.load(file)
    names = bfloat_values(model)
    for node in model.graph.node:
        for one in node.attribute:
            if node.op_type == "Cast" and one.name == "to" and one.i == BFLOAT:
                one.i = FLOAT
            elif one.name == "value" and one.t.data_type == BFLOAT:
                one.t.CopyFrom(_wide(one.t))
    constants = [_wide(tensor) if tensor.name in names else tensor for tensor in model.graph.initializer]
    return _rounding(model, constants, names, BFLOAT), names


def raw_half(file, names):
    """Returns an FP32 model whose every float value is rounded to FP16: what a conversion without exceptions
    computes."""
    model = onnx.load(file)
    for tensor in model.graph.initializer:
        tensor.name += "__exact" if tensor.name in names else ""
    return _rounding(model, list(model.graph.initializer), names, HALF)
