"""The integer layers of a Q/DQ file, each from the codes that it reads to the codes that it writes."""

import collections
import dataclasses

import onnx
from graph_parts import constants_of, like, model_like, producers, value
from program import fresh_file

LAYERS, ABSORBED = {"Conv", "Gemm", "MatMul"}, {"Relu", "Clip"}


@dataclasses.dataclass
class CodedLayer:
    """A layer: the nodes between `source`, the codes read, and the QuantizeLinear behind it or its Relu or Clip."""
    layer: onnx.NodeProto
    nodes: list
    source: str
    quantize: onnx.NodeProto

    @property
    def result(self):
        return self.quantize.output[0]


def coded_layers(model):
    """Returns the layers with constant weights whose outputs have one reader."""
    maker, constants, readers = producers(model), constants_of(model), collections.defaultdict(list)
    for node in model.graph.node:
        for name in node.input:
            readers[name].append(node)
    outputs = {output.name for output in model.graph.output}

    def only_reader(name):
        return readers[name][0] if len(readers[name]) == 1 and name not in outputs else None

    found = []
    for layer in (node for node in model.graph.node if node.op_type in LAYERS):
        sources = [maker.get(name) for name in layer.input]
        if any(node is None or node.op_type != "DequantizeLinear" for node in sources[:2]):
            continue
        data, weight = sources[:2]
        if data.input[0] in constants or weight.input[0] not in constants:
            continue
        nodes, following = [node for node in sources if node is not None] + [layer], only_reader(layer.output[0])
        if following is not None and following.op_type in ABSORBED:
            # Bounds may come from Constant nodes.
            nodes += [maker[name] for name in following.input[1:] if name in maker] + [following]
            following = only_reader(following.output[0])
        if following is not None and following.op_type == "QuantizeLinear":
            found.append(CodedLayer(layer, nodes, data.input[0], following))
    return found


def layers_alone(model, found, codes):
    """Writes one model with all of these layers side by side: layer k reads the codes `source`, an input, and writes
    codes_k. codes: {source: array}."""
    nodes = {node.output[0]: node for one in found for node in one.nodes}
    used = {name for one in found for node in [*one.nodes, one.quantize] for name in node.input}
    quantizers = []
    for index, one in enumerate(found):
        node = onnx.NodeProto.FromString(one.quantize.SerializeToString())
        node.output[0], node.name = f"codes_{index}", f"quantize_{index}"
        quantizers.append(node)
    constants = [tensor for name, tensor in constants_of(model).items() if name in used]
    inputs = [like(name, codes[name]) for name in dict.fromkeys(one.source for one in found)]
    file = fresh_file("layers.onnx")
    onnx.save(model_like(model, [*nodes.values(), *quantizers], constants, inputs,
                         [value(node.output[0]) for node in quantizers]), file)
    return file
