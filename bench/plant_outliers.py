"""plant_outliers.py MODEL STRENGTH FILE; STRENGTH is a power of two

Plants outlier channels into a transformer without changing what it computes: at each place three channels become
STRENGTH times as large, and the weights that read them as much smaller. Places: outputs of normalizations, products of
two branches (SwiGLU), attention's values (one head of values for each head of queries, values in the last columns of a
joint projection). The model must be exported by PyTorch: weights of layers are constants [inputs, outputs] of MatMul,
float32."""

import collections
import math
import sys

import onnx
from onnx import numpy_helper

PLANTED = [3, 17, 40]
MOVES = ("Reshape", "Transpose", "Squeeze", "Split", "Identity")


class Planter:
    """A model whose constants grow and shrink."""

    def __init__(self, model, strength):
        self.model, self.strength = model, strength
        self.arrays = {tensor.name: numpy_helper.to_array(tensor).copy() for tensor in model.graph.initializer}
        self.writer = {name: node for node in model.graph.node for name in node.output}

    def op(self, name):
        return self.writer[name].op_type if name in self.writer else None

    def readers(self, name):
        return [node for node in self.model.graph.node if name in node.input and node.op_type != "Shape"]

    def weight_of(self, node):
        return self.arrays.get(node.input[1]) if node is not None and node.op_type == "MatMul" else None

    def layers_behind(self, name):
        """Returns the weights of the layers that read a value; None where something else reads it."""
        weights = [self.weight_of(node) for node in self.readers(name)]
        return weights if weights and all(weight is not None for weight in weights) else None

    def vectors_of(self, node):
        """Returns scale and shift of a normalization."""
        if node.op_type not in ("LayerNormalization", "Mul"):
            return None
        vectors = [self.arrays.get(name) for name in node.input[1:]]
        return vectors if vectors and all(one is not None and one.ndim == 1 and one.size > 1 for one in vectors) else None

    def layer_of(self, name):
        """Returns the layer (weight, bias or None) that makes a value, through an Add of a bias."""
        node, bias = self.writer.get(name), None
        if node is not None and node.op_type == "Add":
            vectors = [slot for slot, value in enumerate(node.input) if value in self.arrays and self.arrays[value].ndim == 1]
            if not vectors:
                return None
            bias, node = self.arrays[node.input[vectors[0]]], self.writer.get(node.input[1 - vectors[0]])
        weight = self.weight_of(node)
        return None if weight is None else (weight, bias)

    def moved_from(self, name):
        while self.op(name) in MOVES:
            name = self.writer[name].input[0]
        return name

    def moved_to(self, name):
        following = self.readers(name)
        while len(following) == 1 and following[0].op_type in MOVES:
            name = following[0].output[0]
            following = self.readers(name)
        return name

    def plant_between(self, layer, read, shift=0):
        weight, bias = layer
        for channel in PLANTED:
            weight[:, channel + shift] *= self.strength
            if bias is not None:
                bias[channel + shift] *= self.strength
        self.shrink(read)

    def shrink(self, read):
        for weight in read:
            weight[PLANTED] /= self.strength

    def plant(self, node):
        """Plants behind a node where it can; returns the kind of place."""
        vectors, read = self.vectors_of(node), self.layers_behind(node.output[0])
        if vectors and read:
            for vector in vectors:
                vector[PLANTED] *= self.strength
            self.shrink(read)
            return "norm"
        if node.op_type == "Mul" and read:
            layers = [self.layer_of(name) for name in node.input if len(self.readers(name)) == 1]
            if layer := next(filter(None, layers), None):
                self.plant_between(layer, read)
                return "product"
        elif node.op_type == "MatMul" and self.op(node.input[0]) == "Softmax":
            made = self.layer_of(self.moved_from(node.input[1]))
            behind = self.layers_behind(self.moved_to(node.output[0]))
            if made and behind:
                self.plant_between(made, behind, made[0].shape[1] - behind[0].shape[0])
                return "value"
        return None

    def save(self, file):
        for tensor in self.model.graph.initializer:
            tensor.CopyFrom(numpy_helper.from_array(self.arrays[tensor.name], tensor.name))
        onnx.save(self.model, file)


def plant(source, strength, target):
    """Writes the model and returns how often it planted at each kind of place."""
    planter = Planter(onnx.load(source), strength)
    counts = collections.Counter(filter(None, map(planter.plant, planter.model.graph.node)))
    planter.save(target)
    return counts


def main():
    if len(sys.argv) != 4 or not math.log2(float(sys.argv[2])).is_integer():
        sys.exit(__doc__)
    _, source, strength, target = sys.argv
    counts = plant(source, float(strength), target)
    print(f"{target}: {', '.join(f'{counts[place]} {place}' for place in ('norm', 'product', 'value'))}, times {strength}")


if __name__ == "__main__":
    main()
