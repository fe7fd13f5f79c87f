"""Cuts a model into one model a node, each fed with the tensors that ONNX Runtime had at that node."""

import dataclasses

import numpy
import onnx
from engine import run_once, session_of
from graph_parts import constants_of, like, model_like, with_all_outputs
from onnx import numpy_helper
from program import fresh_folder, saved


@dataclasses.dataclass
class Trace:
    """Every value of one sample as ONNX Runtime computes it, unoptimized. constants: names of the values that do not
    depend on any input."""
    model: onnx.ModelProto
    values: dict
    constants: set

    def tensor(self, name):
        """Returns a constant operand as an initializer: the file's, or the output of constant nodes."""
        return constants_of(self.model).get(name) or numpy_helper.from_array(self.values[name], name)

    def declared(self, names):
        return [like(name, self.values[name]) for name in names]


def _constant_values(model):
    names = set(constants_of(model))
    for node in model.graph.node:
        if all(name == "" or name in names for name in node.input):
            names.update(node.output)
    return names


def trace_of(model, feeds, wanted=lambda name: True):
    """Returns the Trace of a model or a file."""
    if not isinstance(model, onnx.ModelProto):
        model = onnx.load(model)
    found = run_once(session_of(with_all_outputs(model, wanted), "disabled"), feeds)
    return Trace(model, feeds | found, _constant_values(model))


def _write_case(trace, node, folder):
    """Writes one backend-test folder for a node: its first operand and every activation are inputs, other constants are
    initializers, as they are in the model."""
    operands = list(dict.fromkeys(name for name in node.input if name))
    inputs = [name for slot, name in enumerate(operands) if slot == 0 or name not in trace.constants]
    outputs = [name for name in node.output if name]
    constants = [trace.tensor(name) for name in operands if name not in inputs]
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    onnx.save(model_like(trace.model, [node], constants, trace.declared(inputs), trace.declared(outputs)),
              folder / "model.onnx")
    for kind, names in (("input", inputs), ("output", outputs)):
        for index, name in enumerate(names):
            onnx.save_tensor(numpy_helper.from_array(trace.values[name], name), data / f"{kind}_{index}.pb")


def write_cases(trace):
    """Writes one folder for each node except constants and QuantizeLinear, whose last step may differ: see
    write_quantizers. Returns the folders."""
    nodes = [node for node in trace.model.graph.node if node.op_type != "QuantizeLinear" and node.input]
    folder = fresh_folder()
    folders = [folder / f"{index:04}_{node.op_type}" for index, node in enumerate(nodes)]
    for node, one in zip(nodes, folders):
        _write_case(trace, node, one)
    return folders


def write_quantizers(trace):
    """Writes one model with all QuantizeLinear nodes of activations side by side; quantized weights stand in the file
    as integers. Returns (file, {in_I: path}, {out_I: array})."""
    nodes, operands, stacks, expected = [], {}, {}, {}
    for node in trace.model.graph.node:
        if node.op_type != "QuantizeLinear" or node.input[0] in trace.constants:
            continue
        copy, index = onnx.NodeProto.FromString(node.SerializeToString()), len(nodes)
        copy.input[0], copy.output[0], copy.name = f"in_{index}", f"out_{index}", f"quantize_{index}"
        nodes.append(copy)
        operands |= {name: trace.tensor(name) for name in node.input[1:]}
        stacks[copy.input[0]] = trace.values[node.input[0]]
        expected[copy.output[0]] = trace.values[node.output[0]]
    file = fresh_folder() / "quantizers.onnx"
    onnx.save(model_like(trace.model, nodes, list(operands.values()), [like(*one) for one in stacks.items()],
                         [like(*one) for one in expected.items()]), file)
    return file, {name: saved(numpy.ascontiguousarray(array)) for name, array in stacks.items()}, expected
