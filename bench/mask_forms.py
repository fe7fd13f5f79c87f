"""mask_forms.py

Prints dB of --target qnn in ONNX Runtime for a block of attention with masks of seven forms times four numbers (H7).
Only rows of content are compared. Needs onnx, onnxruntime and numpy; DETENT names the program."""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

DETENT = os.environ.get("DETENT") or str(pathlib.Path(__file__).resolve().parents[1] / "build/release/detent")
TOKENS, CHANNELS = 16, 32
CALIBRATION, JUDGED = 24, 12
FORMS = ("padding", "causal", "one behind the other", "joined", "where", "where, then padding", "where of padding")


class Network:
    """One block of attention."""

    def __init__(self, form, hidden):
        self.nodes, self.constants = [], []
        self.random = numpy.random.default_rng(3)
        self.hidden = numpy.float32(hidden)
        query, key, value = (self.linear("x") for _ in range(3))
        turned = self.node("Transpose", key, perm=[0, 2, 1])
        scores = self.node("Mul", self.node("MatMul", query, turned), self.constant(numpy.float32(CHANNELS ** -0.5)))
        shown = self.node("Softmax", self.masked(form, scores), axis=-1)
        self.nodes.append(helper.make_node("Identity", [self.linear(self.node("MatMul", shown, value))], ["y"]))

    def constant(self, array):
        self.constants.append(numpy_helper.from_array(numpy.asarray(array), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def node(self, operator, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], name=f"{operator}_{name}", **attributes))
        return name

    def linear(self, x):
        weights = (self.random.standard_normal((CHANNELS, CHANNELS)) * CHANNELS ** -0.5).astype(numpy.float32)
        return self.node("MatMul", x, self.constant(weights))

    def content(self, to):
        wide = self.node("Unsqueeze", "attention_mask", self.constant(numpy.array([1])))
        return self.node("Cast", wide, to=to)

    def padding(self):
        if numpy.isinf(self.hidden):
            return self.node("Where", self.content(TensorProto.BOOL), self.constant(numpy.float32(0)),
                             self.constant(self.hidden))
        inverted = self.node("Sub", self.constant(numpy.float32(1)), self.content(TensorProto.FLOAT))
        return self.node("Mul", inverted, self.constant(self.hidden))

    def masked(self, form, scores):
        future = numpy.triu(numpy.ones((1, TOKENS, TOKENS), bool), 1)
        causal = self.constant(numpy.where(future, self.hidden, numpy.float32(0)).astype(numpy.float32))
        if form == "padding":
            return self.node("Add", scores, self.padding())
        if form == "causal":
            return self.node("Add", scores, causal)
        if form == "one behind the other":
            return self.node("Add", self.node("Add", scores, causal), self.padding())
        if form == "joined":
            return self.node("Add", scores, self.node("Add", causal, self.padding()))
        if form == "where of padding":
            return self.node("Where", self.content(TensorProto.BOOL), scores, self.constant(self.hidden))
        kept = self.node("Where", self.constant(~future), scores, self.constant(self.hidden))
        return kept if form == "where" else self.node("Add", kept, self.padding())

    def save(self, path):
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, TOKENS, CHANNELS]),
                  helper.make_tensor_value_info("attention_mask", TensorProto.INT64, [1, TOKENS])]
        outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, TOKENS, CHANNELS])]
        graph = helper.make_graph(self.nodes, "masks", inputs, outputs, self.constants)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def decibels(folder, form, hidden, values, masks):
    Network(form, hidden).save(folder / "float.onnx")
    done = subprocess.run([DETENT, "quantize", str(folder / "float.onnx"), "--target=qnn", "--overwrite",
                           f"--data=x={folder / 'x.npy'}", f"--data=attention_mask={folder / 'mask.npy'}",
                           "-o", str(folder / "qdq.onnx"), "--accept-broken"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"exit {done.returncode}"
    sessions = [session_of(folder / name) for name in ("float.onnx", "qdq.onnx")]
    signal = noise = 0.0
    for value, mask in zip(values[CALIBRATION:], masks[CALIBRATION:]):
        feed = {"x": value[None], "attention_mask": mask[None]}
        truth, found = (session.run(None, feed)[0][0, :mask.sum()].astype(numpy.float64) for session in sessions)
        signal, noise = signal + (truth ** 2).sum(), noise + ((truth - found) ** 2).sum()
    return f"{10 * numpy.log10(signal / noise):.1f}"


def main():
    random = numpy.random.default_rng(5)
    values = (random.standard_normal((CALIBRATION + JUDGED, TOKENS, CHANNELS)) * 1.5).astype(numpy.float32)
    masks = (numpy.arange(TOKENS) < random.integers(8, TOKENS + 1, (CALIBRATION + JUDGED, 1))).astype(numpy.int64)
    numbers = (-100.0, -1e4, -3.4e38, -numpy.inf)
    with tempfile.TemporaryDirectory(prefix="detent-masks-") as temporary:
        folder = pathlib.Path(temporary)
        numpy.save(folder / "x.npy", values[:CALIBRATION])
        numpy.save(folder / "mask.npy", masks[:CALIBRATION])
        for form in FORMS:
            found = [decibels(folder, form, hidden, values, masks) for hidden in numbers]
            print(f"{form}: " + ", ".join(f"{hidden:g}: {said}" for hidden, said in zip(numbers, found)), flush=True)


if __name__ == "__main__":
    sys.exit(main())
