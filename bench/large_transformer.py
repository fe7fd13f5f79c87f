"""large_transformer.py OUT.onnx [LAYERS [WIDTH]]

Writes a decoder-only transformer with random weights in OUT.onnx.data, opset 17; 20 layers of width 1536 are 2.4 GB.
For memory and time, not for accuracy. Input: ids [batch, sequence], output: logits. Eight sequences of 128 ids go to
OUT.onnx.ids.npy."""

import argparse
import math
import pathlib

import numpy
from onnx import TensorProto, helper, numpy_helper

VOCABULARY, LONGEST, HEAD, PAGE = 8192, 512, 128, 4096


class Transformer:
    """A model whose weights are pieces of one pool of normal numbers, each from another place, in an external file."""

    def __init__(self, file, width):
        self.file, self.width = file, width
        self.nodes, self.constants, self.data = [], [], open(f"{file}.data", "wb")  # noqa: SIM115: closed by save()
        self.pool = numpy.random.default_rng(1).standard_normal(1 << 22, numpy.float32)

    def node(self, op, *inputs, output=None, **attributes):
        output = output or f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], output, **attributes))
        return output

    def constant(self, values, kind=numpy.float32):
        self.constants.append(numpy_helper.from_array(numpy.asarray(values, kind), f"c_{len(self.constants)}"))
        return self.constants[-1].name

    def ints(self, *values):
        return self.constant(values, numpy.int64)

    def weights(self, dims, deviation):
        count, start = math.prod(dims), len(self.constants) * 7919 % self.pool.size
        self.data.seek(-self.data.tell() % PAGE, 1)
        tensor = TensorProto(name=f"w_{len(self.constants)}", dims=dims, data_type=TensorProto.FLOAT,
                             data_location=TensorProto.EXTERNAL)
        for key, value in (("location", f"{self.file.name}.data"), ("offset", self.data.tell()), ("length", 4 * count)):
            tensor.external_data.add(key=key, value=str(value))
        while count > 0:
            piece = self.pool[start:start + count]
            self.data.write((piece * numpy.float32(deviation)).tobytes())
            count, start = count - piece.size, 0
        self.constants.append(tensor)
        return tensor.name

    def norm(self, x):
        return self.node("LayerNormalization", x, self.constant(numpy.ones(self.width)),
                         self.constant(numpy.zeros(self.width)))

    def linear(self, x, came, to, gain=1.0):
        product = self.node("MatMul", x, self.weights([came, to], gain / math.sqrt(came)))
        return self.node("Add", product, self.constant(numpy.zeros(to)))

    def heads(self, x, *perm):
        split = self.ints(0, 0, self.width // HEAD, HEAD)
        projection = self.linear(x, self.width, self.width)
        return self.node("Transpose", self.node("Reshape", projection, split), perm=perm)

    def attention(self, x, mask):
        query, key, value = self.heads(x, 0, 2, 1, 3), self.heads(x, 0, 2, 3, 1), self.heads(x, 0, 2, 1, 3)
        scores = self.node("Mul", self.node("MatMul", query, key), self.constant(1 / math.sqrt(HEAD)))
        shares = self.node("Softmax", self.node("Add", scores, mask), axis=-1)
        mixed = self.node("Transpose", self.node("MatMul", shares, value), perm=[0, 2, 1, 3])
        joined = self.node("Reshape", mixed, self.ints(0, 0, self.width))
        return self.linear(joined, self.width, self.width, 0.3)

    def gelu(self, x):
        erf = self.node("Erf", self.node("Div", x, self.constant(math.sqrt(2))))
        return self.node("Mul", self.node("Mul", x, self.node("Add", erf, self.constant(1))), self.constant(0.5))

    def save(self, layers):
        length = self.node("Slice", self.node("Shape", "ids"), self.ints(1), self.ints(2))
        # The mask: a triangle of 0 and -1e9, cut to the length of the input.
        triangle = self.constant(numpy.triu(numpy.full([LONGEST, LONGEST], -1e9), 1))
        mask = self.node("Slice", triangle, self.ints(0, 0), self.node("Concat", length, length, axis=0))
        positions = self.node("Slice", self.weights([LONGEST, self.width], 0.1), self.ints(0), length, self.ints(0))
        x = self.node("Add", self.node("Gather", self.weights([VOCABULARY, self.width], 1), "ids"), positions)
        for _ in range(layers):
            x = self.node("Add", x, self.attention(self.norm(x), mask))
            wide = self.gelu(self.linear(self.norm(x), self.width, 4 * self.width))
            x = self.node("Add", x, self.linear(wide, 4 * self.width, self.width, 0.3))
        self.node("MatMul", self.norm(x), self.weights([self.width, VOCABULARY], 1 / math.sqrt(self.width)), output="logits")
        self.data.close()
        ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "sequence"])
        logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "sequence", VOCABULARY])
        graph = helper.make_graph(self.nodes, "large_transformer", [ids], [logits], self.constants)
        self.file.write_bytes(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
                              .SerializeToString())
        numpy.save(f"{self.file}.ids.npy", numpy.random.default_rng(2).integers(0, VOCABULARY, (8, 128)))


def write(file, layers=20, width=1536):
    Transformer(pathlib.Path(file), width).save(layers)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("layers", type=int, nargs="?", default=20)
    parser.add_argument("width", type=int, nargs="?", default=1536)
    given = parser.parse_args()
    write(given.file, given.layers, given.width)


if __name__ == "__main__":
    main()
