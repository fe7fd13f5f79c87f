"""A case as a graph of ONNX."""

import onnx
from onnx import helper, numpy_helper


def value_info(name, value):
    if isinstance(value, list):
        element = helper.np_dtype_to_tensor_dtype(value[0].dtype) if value else onnx.TensorProto.FLOAT
        return helper.make_tensor_sequence_value_info(name, element, None)
    element = onnx.TensorProto.STRING if value.dtype.kind in "OUS" else helper.np_dtype_to_tensor_dtype(value.dtype)
    return helper.make_tensor_value_info(name, element, value.shape)


def untyped(name):
    info = onnx.ValueInfoProto()
    info.name = name
    return info


def graph_of(case):
    names = ["" if value is None else f"x{i}" for i, value in enumerate(case.inputs)]
    outputs = ["" if i in case.omit_outputs else f"y{i}" for i in range(case.outputs)]
    node = helper.make_node(case.op, names, outputs, **case.attributes)
    given = [(i, name, value) for i, (name, value) in enumerate(zip(names, case.inputs)) if name]
    return helper.make_graph(
        [node], case.name,
        [value_info(name, value) for i, name, value in given if i not in case.initializers],
        [untyped(name) for name in outputs if name],
        [numpy_helper.from_array(value, name) for i, name, value in given if i in case.initializers])
