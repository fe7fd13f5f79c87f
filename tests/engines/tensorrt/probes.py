"""probes.py FOLDER [BEGINNING | --open]: writes a network for each row of kernels.csv, for run.py, with the Q/DQ file,
the float file and list.json. BEGINNING: of a row, as "Conv,3". --open: rows without `runs`: no engine was asked yet.

The layer under test is called `probe`. A Conv stands in front of it, except where `stem` says that it reads the
network's input; `behind` says what reads it: an INT8 Conv (int8), a pair in front of the output (pair), the output,
a float Conv (float), or a LayerNormalization, with a pair in front of it or not (pair norm, norm).

report.py FOLDER --kernels writes what the engine did into the columns `runs` and `speed`: int8, int8 to float (INT8
in, floats out), float, fails; milliseconds in FP16 over those in INT8, of the whole small network."""

import csv
import json
import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

KERNELS = pathlib.Path(__file__).with_name("kernels.csv")
SCALE = numpy.float32(4 / 127)
SIZES = {1: (16, (512,)), 2: (16, (56, 56)), 3: (2, (8, 28, 28))}  # spatial axes: batch, extents
FRONT, BEHIND = 32, 32  # channels of the network's input, and of the Conv behind


def name_of(row):
    return "_".join(row[key] for key in ("op", "axes", "in", "out", "kernel", "stride", "groups", "dilation",
                                         "activation", "behind", "stem")).replace(" ", "-")


class Network:
    """Nodes and constants of a network, with pairs or without."""

    def __init__(self, pairs):
        self.pairs, self.nodes, self.constants = pairs, [], []
        self.random = numpy.random.default_rng(0)

    def constant(self, values):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(numpy.asarray(values), name))
        return name

    def add(self, op, *inputs, name=None, **attributes):
        output = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], name=name or f"{op}_{output}", **attributes))
        return output

    def pair(self, value):
        if not self.pairs:
            return value
        scale, zero = self.constant(SCALE), self.constant(numpy.int8(0))
        return self.add("DequantizeLinear", self.add("QuantizeLinear", value, scale, zero), scale, zero)

    def weight(self, shape, axis, quantized=True):
        values = (self.random.normal(size=shape) / numpy.sqrt(numpy.prod(shape[1:]))).astype(numpy.float32)
        if not (self.pairs and quantized):
            return self.constant(values)
        others = tuple(i for i in range(values.ndim) if i != axis)
        scales = (numpy.abs(values).max(axis=others) / 127).astype(numpy.float32)
        along = [-1 if i == axis else 1 for i in range(values.ndim)]
        codes = numpy.clip(numpy.round(values / scales.reshape(along)), -127, 127).astype(numpy.int8)
        return self.add("DequantizeLinear", self.constant(codes), self.constant(scales),
                        self.constant(numpy.zeros(len(scales), numpy.int8)), axis=axis)

    def conv(self, value, channels, out, kernel, name, stride=1, groups=1, dilation=1, quantized=True):
        pads = [dilation * (extent - 1) // 2 for extent in kernel] * 2
        return self.add("Conv", value, self.weight((out, channels // groups, *kernel), 0, quantized),
                        self.constant(numpy.zeros(out, numpy.float32)), name=name, pads=pads, group=groups,
                        kernel_shape=kernel, strides=[stride] * len(kernel), dilations=[dilation] * len(kernel))

    def deconvolution(self, value, channels, out, kernel, name, stride, groups):
        rest = [extent - stride for extent in kernel]
        pads = [max(0, extent) // 2 for extent in rest]
        more = [max(0, 2 * pad - extent) + extent % 2 for pad, extent in zip(pads, rest)]
        return self.add("ConvTranspose", value, self.weight((channels, out // groups, *kernel), 1 if groups == 1 else 0),
                        self.constant(numpy.zeros(out, numpy.float32)), name=name, pads=pads * 2, group=groups,
                        kernel_shape=kernel, strides=[stride] * len(kernel),
                        output_padding=[min(extent, stride - 1) for extent in more])


def number(network, value):
    return network.constant(numpy.float32(value))


ACTIVATIONS = {
    "none": lambda n, x, shape: x,
    "relu": lambda n, x, shape: n.add("Relu", x),
    "leaky": lambda n, x, shape: n.add("LeakyRelu", x, alpha=0.1),
    "clip6": lambda n, x, shape: n.add("Clip", x, number(n, 0), number(n, 6)),
    "sigmoid": lambda n, x, shape: n.add("Sigmoid", x),
    "tanh": lambda n, x, shape: n.add("Tanh", x),
    "elu": lambda n, x, shape: n.add("Elu", x),
    "softplus": lambda n, x, shape: n.add("Softplus", x),
    "hardswish": lambda n, x, shape: n.add("HardSwish", x),
    "hardsigmoid": lambda n, x, shape: n.add("HardSigmoid", x),
    "silu": lambda n, x, shape: n.add("Mul", x, n.add("Sigmoid", x)),
    "quickgelu": lambda n, x, shape: n.add("Mul", x, n.add("Sigmoid", n.add("Mul", x, number(n, 1.702)))),
    "mish": lambda n, x, shape: n.add("Mul", x, n.add("Tanh", n.add("Softplus", x))),
    "hardsigmoid_mul": lambda n, x, shape: n.add("Mul", x, n.add("HardSigmoid", x, alpha=1 / 6, beta=0.5)),
    "clip_mul": lambda n, x, shape: n.add("Div", n.add("Mul", x, n.add("Clip", n.add("Add", x, number(n, 3)),
                                                                      number(n, 0), number(n, 6))), number(n, 6)),
    "gelu": lambda n, x, shape: n.add("Mul", n.add("Mul", x, n.add("Add", n.add("Erf", n.add(
        "Div", x, number(n, 2 ** 0.5))), number(n, 1))), number(n, 0.5)),
    "prelu": lambda n, x, shape: n.add("PRelu", x, n.constant(numpy.full(shape, 0.2, numpy.float32))),
}


def write_behind(network, value, behind, channels, axes):
    """Adds what reads the layer. Returns the network's output."""
    ones = [1] * axes
    if behind == "int8":
        return network.conv(network.pair(value), channels, BEHIND, ones, "behind")
    if behind == "pair":
        return network.pair(value)
    if behind == "float":
        return network.conv(value, channels, BEHIND, ones, "behind", quantized=False)
    if behind.endswith("norm"):
        value = network.pair(value) if behind == "pair norm" else value
        value = network.add("Transpose", value, perm=[0, *range(2, axes + 2), 1])
        value = network.add("LayerNormalization", value, network.constant(numpy.ones(channels, numpy.float32)),
                            network.constant(numpy.zeros(channels, numpy.float32)), axis=-1)
        return network.add("MatMul", network.pair(value), network.weight((channels, 64), 1), name="behind")
    return value


def write(row, pairs, path):
    axes, channels, out = int(row["axes"]), int(row["in"]), int(row["out"])
    kernel = [int(extent) for extent in row["kernel"].split("x")]
    kernel = kernel * axes if len(kernel) == 1 else kernel
    stride, groups = int(row["stride"]), int(row["groups"])
    batch, extents = SIZES[axes]
    network = Network(pairs)
    value = network.pair("x")
    if row["stem"] == "no":
        front = network.conv(value, FRONT, channels, [3 if axes < 3 else 1] * axes, "front")
        value = network.pair(network.add("Relu", front))
    if row["op"] == "Conv":
        value = network.conv(value, channels, out, kernel, "probe", stride, groups, int(row["dilation"]))
    else:
        value = network.deconvolution(value, channels, out, kernel, "probe", stride, groups)
    value = ACTIVATIONS[row["activation"]](network, value, (out, *[1] * axes))
    output = write_behind(network, value, row["behind"], out, axes)
    first = channels if row["stem"] == "yes" else FRONT
    graph = helper.make_graph(network.nodes, "probe",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, first, *extents])],
                              [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)], network.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(onnx.shape_inference.infer_shapes(model), path)


def read_rows():
    with open(KERNELS, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main():
    folder, which = pathlib.Path(sys.argv[1]), (sys.argv[2:] or [""])[0]
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for row in read_rows():
        chosen = not row["runs"] if which == "--open" else ",".join(row.values()).startswith(which)
        if not chosen:
            continue
        name = name_of(row)
        write(row, True, folder / f"{name}.onnx")
        write(row, False, folder / f"{name}.float.onnx")
        entries.append({"name": name, "int8": f"{name}.onnx", "float": f"{name}.float.onnx", "outputs": False,
                        "flags": {"int8": ["INT8", "FP16"], "float": ["FP16"]}})
    (folder / "list.json").write_text(json.dumps(entries), encoding="utf-8")
    print(f"{len(entries)} probes in {folder}")


if __name__ == "__main__":
    main()
