"""The form of a file with pairs: how its scales and zero points are made, what stands inside a pair, and what each
operator reads and is read by. Names, numbers and extents are left out, so that a random graph has the form of a real
export of the same tool.

    form.py FILE.onnx    prints it"""

import json
import sys

import numpy
import onnx
from onnx import numpy_helper

PAIR = ("QuantizeLinear", "DequantizeLinear")
CODES = {onnx.TensorProto.UINT8, onnx.TensorProto.INT8}


class Reader:
    def __init__(self, model):
        self.model = model
        self.initializers = {one.name: one for one in model.graph.initializer}
        self.producer = {name: node for node in model.graph.node for name in node.output}
        self.readers = {}
        for node in model.graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)
        self.memo = {}

    def constant(self, name):
        """Returns how a constant is made: 'initializer', 'Cast(Constant)'; None for what the inputs decide."""
        if name not in self.memo:
            node = self.producer.get(name)
            if name in self.initializers or node is None:
                made = "initializer" if name in self.initializers else None
            elif node.op_type == "Constant":
                made = "Constant"
            else:
                parts = [self.constant(one) for one in node.input if one]
                made = None if None in parts else f"{node.op_type}({', '.join(dict.fromkeys(parts))})"
            self.memo[name] = made
        return self.memo[name]

    def array(self, name):
        """Returns a constant's numbers, seen through Identity; None where they are computed."""
        if name in self.initializers:
            return numpy_helper.to_array(self.initializers[name])
        node = self.producer.get(name)
        if node is not None and node.op_type == "Identity":
            return self.array(node.input[0])
        if node is not None and node.op_type == "Constant" and node.attribute[0].name == "value":
            return numpy_helper.to_array(node.attribute[0].t)
        return None

    def parameter(self, name):
        """Returns the form of a scale or zero point: how it is made, its type and shape."""
        values = self.array(name)
        if values is None:
            return self.constant(name) or "computed"
        shape = "" if values.ndim == 0 else "[1]" if values.shape == (1,) else "[n]"
        return f"{self.constant(name)} {values.dtype}{shape}"

    def half(self, node):
        axis = [attribute.i for attribute in node.attribute if attribute.name == "axis"]
        parameters = ", ".join(self.parameter(name) for name in node.input[1:])
        return f"{node.op_type}({parameters}){f' axis {axis[0]}' if axis else ''}"

    def pair(self, dequantize):
        """Returns the form of a pair, from its source to its DequantizeLinear; None for codes of the graph's input."""
        steps, name = [self.half(dequantize)], dequantize.input[0]
        while self.constant(name) is None or (self.producer.get(name) is not None and
                                              self.producer[name].op_type not in ("Constant", "Identity")):
            node = self.producer.get(name)
            if node is None:
                return None
            if node.op_type == "QuantizeLinear":
                steps.append(self.half(node))
                made = self.constant(node.input[0])
                return " > ".join([f"numbers {made}" if made else "data", *reversed(steps)])
            steps.append(f"{node.op_type}({', '.join(self.parameter(one) for one in node.input[1:] if one)})"
                         if len(node.input) > 1 else node.op_type)
            name = node.input[0]
        return " > ".join([f"codes {self.constant(name)}", *reversed(steps)])

    def source(self, name):
        node = self.producer.get(name)
        if node is not None and node.op_type == "DequantizeLinear":
            return "pair" if self.constant(node.input[0]) is None else "coded"
        if self.constant(name):
            made = self.constant(name)
            # A weight behind its pair, in another layout.
            return f"{node.op_type} of coded" if "DequantizeLinear(" in made else "constant"
        return node.op_type if node is not None else "input"

    def place(self, node):
        """Returns an operator with what its inputs come from and what reads its first output."""
        inputs = [self.source(name) for name in node.input if name]
        if node.op_type == "Reshape":
            inputs = inputs[:1]
        readers = sorted({one.op_type for one in self.readers.get(node.output[0], [])})
        return f"{node.op_type}({', '.join(inputs)}) > {', '.join(readers) or 'output'}"


def is_number(reader, node):
    """True for an operator on data: no pair, no constant, and nothing that computes a shape."""
    if node.op_type in PAIR or reader.constant(node.output[0]) is not None:
        return False
    if node.op_type in ("Shape", "Slice", "Gather") or (node.op_type == "Concat" and any(
            one.op_type == "Reshape" for one in reader.readers.get(node.output[0], []))):
        return False
    before = reader.producer.get(node.input[0])
    return not (before is not None and before.op_type == "QuantizeLinear")


def describe(model):
    reader = Reader(model)
    pairs, places = set(), set()
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear":
            pairs.add(reader.pair(node))
        elif is_number(reader, node):
            places.add(reader.place(node))
    pairs.discard(None)
    return {"opset": next(one.version for one in model.opset_import if one.domain in ("", "ai.onnx")),
            "ir": model.ir_version, "pairs": sorted(pairs), "places": sorted(places)}


def describe_file(path):
    return describe(onnx.load(path))


if __name__ == "__main__":
    print(json.dumps(describe_file(sys.argv[1]), indent=1))
