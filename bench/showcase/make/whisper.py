"""whisper.py FOLDER MODEL.bin: writes OpenAI's Whisper tiny.en as two ONNX files, from the weights that a package holds in
CTranslate2's format (16-bit floats): encoder.onnx (log-mel of 10 s to the keys and values that the decoder looks at) and
decoder.onnx (a step with its cache). tokens.json has the text of each token as bytes in GPT-2's letters."""

import json
import pathlib
import struct
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, HEADS, LAYERS, VOCABULARY = 384, 6, 4, 51864
FRAMES = 1000  # of 10 ms. Whisper's 30 s cost three times as much, and the clips here are shorter


def weights(path):
    """Returns {name: array}. The file has a version, a name, a revision and a count (strings by length and ending in 0),
    then for each array its name, rank, sizes, type and bytes."""
    content, at = path.read_bytes(), 4
    kinds = {0: "<f4", 1: "i1", 2: "<i2", 3: "<i4", 4: "<f2"}

    def number(form):
        nonlocal at
        (value,) = struct.unpack_from(form, content, at)
        at += struct.calcsize(form)
        return value

    def text():
        nonlocal at
        size = number("<H")
        at += size
        return content[at - size:at - 1].decode()
    text(), number("<I")
    found = {}
    for _ in range(number("<I")):
        name = text()
        sizes = [number("<I") for _ in range(number("B"))]
        kind, size = numpy.dtype(kinds[number("B")]), number("<I")
        found[name] = numpy.frombuffer(content, kind, size // kind.itemsize, at).reshape(sizes)
        at += size
    return {name: array.astype(numpy.float32) for name, array in found.items() if array.ndim}


class Graph:
    def __init__(self, arrays):
        self.arrays, self.nodes, self.tensors, self.count = arrays, [], {}, 0

    def add(self, kind, *inputs, name="", out=None, **attributes):
        self.count += 1
        out = out or f"v{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], name or f"{kind}_{self.count}", **attributes))
        return out

    def constant(self, name, array):
        self.tensors.setdefault(name, numpy_helper.from_array(numpy.array(array, order="C"), name))
        return name

    def shape(self, *sizes):
        return self.constant("shape_" + "_".join(map(str, sizes)), numpy.array(sizes, numpy.int64))

    def number(self, value):
        return self.constant(f"number_{value}", numpy.array(value, numpy.float32))

    def norm(self, x, where):
        parts = [self.constant(f"{where}/{part}", self.arrays[f"{where}/{part}"]) for part in ("gamma", "beta")]
        return self.add("LayerNormalization", x, *parts, name=where, epsilon=1e-5)

    def linear(self, x, where, rows=slice(None), name=""):
        weight, bias = (self.arrays[f"{where}/{part}"][rows] for part in ("weight", "bias"))
        product = self.add("MatMul", x, self.constant(f"{where}{name}/weight", weight.T), name=where + name)
        return self.add("Add", product, self.constant(f"{where}{name}/bias", bias))

    def heads(self, x, turned=(0, 2, 1, 3)):
        return self.add("Transpose", self.add("Reshape", x, self.shape(0, 0, HEADS, WIDTH // HEADS)), perm=turned)

    def attention(self, query, key, value, mask=None):
        query = self.add("Mul", query, self.number((WIDTH // HEADS) ** -.5))
        scores = self.add("MatMul", self.heads(query), self.heads(key, (0, 2, 3, 1)))
        if mask:
            scores = self.add("Add", scores, mask)
        mixed = self.add("MatMul", self.add("Softmax", scores, axis=-1), self.heads(value))
        return self.add("Reshape", self.add("Transpose", mixed, perm=[0, 2, 1, 3]), self.shape(0, 0, WIDTH))

    def gelu(self, x):
        erf = self.add("Erf", self.add("Mul", x, self.number(.5 ** .5)))
        return self.add("Mul", self.add("Mul", x, self.add("Add", erf, self.number(1.))), self.number(.5))

    def mlp(self, x, where):
        inner = self.gelu(self.linear(self.norm(x, f"{where}/layer_norm"), f"{where}/linear_0"))
        return self.add("Add", x, self.linear(inner, f"{where}/linear_1"))

    def three(self, x, where):
        return [self.linear(x, f"{where}/linear_0", slice(WIDTH * i, WIDTH * (i + 1)), name)
                for i, name in enumerate(("_query", "_key", "_value"))]

    def save(self, path, inputs, outputs):
        values = [[helper.make_tensor_value_info(*value) for value in side] for side in (inputs, outputs)]
        graph = helper.make_graph(self.nodes, path.stem, *values, list(self.tensors.values()))
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(made, full_check=True)
        onnx.save(made, path)


def encoder(arrays, path):
    graph, x = Graph(arrays), "mel"
    for number in (1, 2):
        parts = [graph.constant(f"conv{number}/{part}", arrays[f"encoder/conv{number}/{part}"])
                 for part in ("weight", "bias")]
        x = graph.gelu(graph.add("Conv", x, *parts, name=f"encoder/conv{number}", kernel_shape=[3], pads=[1, 1],
                                 strides=[number]))
    places = arrays["encoder/position_encodings/encodings"][:FRAMES // 2]
    x = graph.add("Add", graph.add("Transpose", x, perm=[0, 2, 1]), graph.constant("positions", places))
    for layer in range(LAYERS):
        where = f"encoder/layer_{layer}"
        query, key, value = graph.three(graph.norm(x, f"{where}/self_attention/layer_norm"), f"{where}/self_attention")
        x = graph.add("Add", x, graph.linear(graph.attention(query, key, value), f"{where}/self_attention/linear_1"))
        x = graph.mlp(x, f"{where}/ffn")
    x, outputs = graph.norm(x, "encoder/layer_norm"), []
    for layer in range(LAYERS):
        where = f"decoder/layer_{layer}/attention/linear_1"
        for part, rows in (("key", slice(WIDTH)), ("value", slice(WIDTH, None))):
            outputs.append(f"cross_{part}_{layer}")
            graph.add("Identity", graph.linear(x, where, rows, f"_{part}"), out=outputs[-1])
    graph.save(path, [("mel", TensorProto.FLOAT, ["batch", 80, FRAMES])],
               [(name, TensorProto.FLOAT, ["batch", FRAMES // 2, WIDTH]) for name in outputs])


def decoder(arrays, path):
    """ids [batch, length] stand behind the past ones. The logits are those of the last position."""
    graph = Graph(arrays)
    table = graph.constant("decoder/embeddings", arrays["decoder/embeddings/weight"])
    zero, one = graph.constant("zero", numpy.array(0, numpy.int64)), graph.constant("one", numpy.array(1, numpy.int64))

    def size(name, axis):
        return graph.add("Gather", graph.add("Shape", name), graph.constant(f"axis_{axis}", numpy.array(axis, numpy.int64)))
    past = size("past_key_0", 1)
    whole = graph.add("Add", past, size("ids", 1))
    rows, columns = graph.add("Range", past, whole, one), graph.add("Range", zero, whole, one)
    places = graph.add("Gather", graph.constant("positions", arrays["decoder/position_encodings/encodings"]), rows)
    x = graph.add("Add", graph.add("Gather", table, "ids"), places)
    later = graph.add("Greater", columns, graph.add("Unsqueeze", rows, graph.shape(1)))
    mask = graph.add("Where", later, graph.number(-1e9), graph.number(0.))
    state, other = [], []
    for layer in range(LAYERS):
        where, kept = f"decoder/layer_{layer}", []
        query, *fresh = graph.three(graph.norm(x, f"{where}/self_attention/layer_norm"), f"{where}/self_attention")
        for part, new in zip(("key", "value"), fresh):
            kept.append(graph.add("Concat", f"past_{part}_{layer}", new, axis=1, out=f"{part}_{layer}"))
        mixed = graph.attention(query, *kept, mask)
        x = graph.add("Add", x, graph.linear(mixed, f"{where}/self_attention/linear_1"))
        query = graph.linear(graph.norm(x, f"{where}/attention/layer_norm"), f"{where}/attention/linear_0")
        cross = [f"cross_{part}_{layer}" for part in ("key", "value")]
        x = graph.add("Add", x, graph.linear(graph.attention(query, *cross), f"{where}/attention/linear_2"))
        x = graph.mlp(x, f"{where}/ffn")
        state, other = state + kept, other + cross
    last = graph.add("Gather", graph.norm(x, "decoder/layer_norm"), graph.constant("axis_-1", numpy.array(-1, numpy.int64)),
                     axis=1)
    scores = graph.add("Gemm", last, table, name="decoder/projection", transB=1)
    graph.add("Unsqueeze", scores, graph.shape(1), out="logits")
    floats = TensorProto.FLOAT
    graph.save(path, [("ids", TensorProto.INT64, ["batch", "length"]),
                      *[(name, floats, ["batch", FRAMES // 2, WIDTH]) for name in other],
                      *[(f"past_{name}", floats, ["batch", "past", WIDTH]) for name in state]],
               [("logits", floats, ["batch", 1, VOCABULARY]), *[(name, floats, ["batch", "whole", WIDTH]) for name in state]])


def main():
    folder, packed = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    arrays = weights(packed)
    encoder(arrays, folder / "encoder.onnx")
    decoder(arrays, folder / "decoder.onnx")
    tokens = packed.with_name("vocabulary.txt").read_text(encoding="utf-8").split("\n")
    (folder / "tokens.json").write_text(json.dumps(tokens))


main()
