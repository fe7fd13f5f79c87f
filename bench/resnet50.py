"""resnet50.py OUT.onnx

Writes a network of the shape of ResNet-50 (He et al. 2015, BatchNormalization folded, opset 13) with random weights,
102 MB: for speed and memory, not for accuracy."""

import math
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


class Network:
    """Nodes and weights, which are the same every time."""

    def __init__(self):
        self.nodes, self.weights, self.random = [], [], numpy.random.default_rng(1)

    def node(self, op, *inputs, output=None, **attributes):
        output = output or f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], output, **attributes))
        return output

    def normal(self, dims, deviation):
        data = self.random.standard_normal(dims, numpy.float32) * numpy.float32(deviation)
        self.weights.append(numpy_helper.from_array(data, f"w_{len(self.weights)}"))
        return self.weights[-1].name

    def conv(self, source, channels, kernel, stride, gain=1.0):
        """gain: keeps the branch that is added to the residual stream small; otherwise values would double with every
        block."""
        came, to = channels
        weight = self.normal([to, came, kernel, kernel], gain * math.sqrt(2 / (came * kernel * kernel)))
        return self.node("Conv", source, weight, self.normal([to], 0.1), kernel_shape=[kernel, kernel],
                         strides=[stride, stride], pads=[kernel // 2] * 4)

    def relu(self, source):
        return self.node("Relu", source)

    def bottleneck(self, source, came, inner, stride):
        reduced = self.relu(self.conv(source, (came, inner), 1, 1))
        spatial = self.relu(self.conv(reduced, (inner, inner), 3, stride))
        branch = self.conv(spatial, (inner, inner * 4), 1, 1, 0.3)
        shortcut = source if came == inner * 4 else self.conv(source, (came, inner * 4), 1, stride, 0.7)
        return self.relu(self.node("Add", branch, shortcut))


def write(file):
    net = Network()
    value = net.relu(net.conv("image", (3, 64), 7, 2))
    value, channels = net.node("MaxPool", value, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]), 64
    for inner, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            value, channels = net.bottleneck(value, channels, inner, stride if block == 0 else 1), inner * 4
    value = net.node("Flatten", net.node("GlobalAveragePool", value))
    net.node("Gemm", value, net.normal([1000, 2048], 0.02), net.normal([1000], 0.1), output="logits", transB=1)
    image, logits = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *dims])
                     for name, dims in (("image", [3, 224, 224]), ("logits", [1000])))
    graph = helper.make_graph(net.nodes, "resnet50", [image], [logits], net.weights)
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)]), file)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(sys.argv[1])
