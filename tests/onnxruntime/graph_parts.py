"""Parts of ONNX models: reading, writing, and numbers that are the same in every run."""

import numpy
import onnx
from onnx import helper, numpy_helper, parser

MICROSOFT = "com.microsoft"


def read(file):
    return onnx.load(file, load_external_data=False)


def inputs_of(model):
    """Returns the inputs without those that are initializers."""
    constants = {tensor.name for tensor in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in constants]


def rank_of(value):
    return len(value.type.tensor_type.shape.dim)


def elem_type(value):
    return value.type.tensor_type.elem_type


def producers(model):
    return {name: node for node in model.graph.node for name in node.output}


def constants_of(model):
    return {tensor.name: tensor for tensor in model.graph.initializer}


def _attribute(value):
    return numpy_helper.from_array(value) if isinstance(value, numpy.ndarray) else value


def node(op, inputs, outputs, attributes=None, domain=""):
    """Makes a node called OP_OUTPUT. Attributes have the types of their Python values; an array is a tensor."""
    found = {name: _attribute(value) for name, value in (attributes or {}).items()}
    return helper.make_node(op, inputs, outputs, f"{op}_{outputs[0]}", domain=domain or None, **found)


def value(name, kind="float32", dims=None):
    """Declares a value; without dims neither its type nor its shape."""
    if dims is None:
        return onnx.ValueInfoProto(name=name)
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(numpy.dtype(kind)), dims)


def like(name, array):
    """Declares a value of the type and shape of an array."""
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def tensors(constants):
    return [numpy_helper.from_array(numpy.asarray(array), name) for name, array in constants.items()]


def graph_of(nodes, inputs, outputs, constants=None):
    """Makes a graph; constants: {name: array}."""
    return helper.make_graph(nodes, "g", inputs, outputs, tensors(constants or {}))


def model_of(graph, opset, domains=(), functions=(), ir=8):
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, ir_version=ir, opset_imports=opsets, functions=functions)


def parsed(text, constants=None, opset=17, domains=()):
    """Makes a model of ONNX's text form, "(float[1,4] x) => (float[1,4] y) { y = Relu(x) }". Each node is called
    OP_OUTPUT."""
    graph = parser.parse_graph(f"g {text}")
    for one in graph.node:
        one.name = f"{one.op_type}_{one.output[0]}"
    graph.initializer.extend(tensors(constants or {}))
    return model_of(graph, opset, domains)


def identity_of(inputs):
    """Makes a model of one Identity for each input: `detent run` of it writes the samples exactly as the model would
    receive them, the k-th input as samples_k."""
    outputs = [onnx.ValueInfoProto(name=f"samples_{index}", type=one.type) for index, one in enumerate(inputs)]
    nodes = [node("Identity", [one.name], [out.name]) for one, out in zip(inputs, outputs)]
    return model_of(graph_of(nodes, inputs, outputs), 13)


def model_like(model, nodes, constants, inputs, outputs):
    """Makes a model of these parts with another model's IR, opsets and functions. constants: TensorProtos."""
    return helper.make_model(helper.make_graph(nodes, "graph", inputs, outputs, constants), ir_version=model.ir_version,
                             opset_imports=model.opset_import, functions=model.functions)


def with_all_outputs(model, wanted=lambda name: True):
    """Returns the same model with every value that `wanted` names, initializers too, as a graph output."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    present = {output.name for output in model.graph.output}
    names = [name for one in model.graph.node for name in one.output] + list(constants_of(model))
    model.graph.output.extend(value(name) for name in names if name and name not in present and wanted(name))
    return model


def random(dims, scale=1.0, seed=1):
    """Returns FP32 numbers in [-scale, scale), the same in every run: a linear congruential generator with the
    constants of Numerical Recipes."""
    state, numbers = seed, []
    for _ in range(int(numpy.prod(dims))):
        state = (state * 1664525 + 1013904223) % 2 ** 32
        numbers.append(scale * (state / 2 ** 31 - 1))
    return numpy.array(numbers, numpy.float32).reshape(dims)


def ints(*numbers):
    return numpy.array(numbers, numpy.int64)


def floats(*numbers):
    return numpy.array(numbers, numpy.float32)


def scalar(number, kind="float32"):
    return numpy.array(number, kind)
