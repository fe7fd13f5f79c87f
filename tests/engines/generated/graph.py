"""A builder of small networks with random weights."""

import numpy
import onnx

FLOAT = onnx.TensorProto.FLOAT
IR_VERSION = {True: 8, False: 10}  # opsets below 21 and from it on


class Graph:
    """A network in the making. `graph.Relu(x)` adds a node and returns the name of its output; numbers and arrays among
    the inputs become constants, None an input that is left out, `outputs=2` gives a list of two names."""

    def __init__(self, opset, seed):
        self.opset, self.random = opset, numpy.random.default_rng(seed)
        self._nodes, self._constants, self._inputs, self._shapes, self._told = [], {}, [], {}, []

    def __getattr__(self, op):
        if not op[0].isupper():
            raise AttributeError(op)
        return lambda *inputs, **attributes: self.add(op, inputs, **attributes)

    def add(self, op, inputs, outputs=1, domain="", **attributes):
        name = f"{op}_{len(self._nodes)}"
        names = [name + (f":{index}" if index else "") for index in range(outputs)]
        inputs = [self._name(value) for value in inputs]
        self._nodes.append(onnx.helper.make_node(op, inputs, names, name, domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def _name(self, value):
        if value is None or isinstance(value, str):
            return value or ""
        array = numpy.asarray(value)
        if array.dtype == numpy.float64:
            array = array.astype(numpy.float32)
        name = f"constant_{len(self._constants)}"
        self._constants[name] = onnx.numpy_helper.from_array(array, name)
        return name

    def input(self, name, shape, kind=FLOAT):
        self._inputs.append(onnx.helper.make_tensor_value_info(name, kind, shape))
        return name

    def shape(self, value):
        """Returns the extents of a value, by ONNX's inference."""
        if value not in self._shapes:
            inferred = onnx.shape_inference.infer_shapes(self.model([]), data_prop=True).graph
            for info in [*inferred.input, *inferred.value_info, *inferred.output]:
                self._shapes[info.name] = [extent.dim_value for extent in info.type.tensor_type.shape.dim]
        return self._shapes[value]

    def of_shape(self, extents, value):
        """Returns the value, whose extents ONNX's inference does not find."""
        self._told.append(onnx.helper.make_tensor_value_info(value, FLOAT, extents))
        return value

    def normal(self, *shape, scale=1.0, mean=0.0):
        return self.random.normal(mean, scale, shape).astype(numpy.float32)

    def uniform(self, low, high, *shape):
        return self.random.uniform(low, high, shape).astype(numpy.float32)

    # Layers, with weights that keep the variance of a ReLU network.

    def conv(self, x, channels, kernel=3, stride=1, group=1, dilation=1, pads=None):
        inputs, axes = self.shape(x)[1] // group, len(self.shape(x)) - 2
        kernel = [kernel] * axes if isinstance(kernel, int) else kernel
        before = [extent // 2 * dilation for extent in kernel]
        weight = self.normal(channels, inputs, *kernel, scale=(2 / (inputs * numpy.prod(kernel))) ** 0.5)
        return self.Conv(x, weight, self.normal(channels, scale=0.1), kernel_shape=kernel, group=group,
                         strides=[stride] * axes, dilations=[dilation] * axes, pads=pads or before + before)

    def deconv(self, x, channels, kernel=2, stride=2):
        inputs, axes = self.shape(x)[1], len(self.shape(x)) - 2
        weight = self.normal(inputs, channels, *[kernel] * axes, scale=(2 / inputs) ** 0.5)
        return self.ConvTranspose(x, weight, self.normal(channels, scale=0.1), kernel_shape=[kernel] * axes,
                                  strides=[stride] * axes)

    def linear(self, x, width, bias=True):
        inputs = self.shape(x)[-1]
        y = self.MatMul(x, self.normal(inputs, width, scale=inputs ** -0.5))
        return self.Add(y, self.normal(width, scale=0.1)) if bias else y

    def gemm(self, x, width):
        inputs = self.shape(x)[-1]
        return self.Gemm(x, self.normal(width, inputs, scale=inputs ** -0.5), self.normal(width, scale=0.1), transB=1)

    # Parts of networks, as exporters write them.

    def silu(self, x):
        return self.Mul(x, self.Sigmoid(x))

    def gelu(self, x):
        return self.Mul(self.Mul(x, self.Add(self.Erf(self.Div(x, 2 ** 0.5)), 1.0)), 0.5)

    def layer_norm(self, x):
        width = self.shape(x)[-1]
        return self.LayerNormalization(x, self.uniform(0.5, 1.5, width), self.normal(width, scale=0.1), axis=-1)

    def batch_norm(self, x):
        channels = self.shape(x)[1]
        return self.BatchNormalization(x, self.uniform(0.5, 1.5, channels), self.normal(channels, scale=0.1),
                                       self.normal(channels, scale=0.1), self.uniform(0.5, 1.5, channels))

    def reshape(self, x, *shape):
        return self.Reshape(x, list(shape))

    def transpose(self, x, *perm):
        return self.Transpose(x, perm=perm)

    def slice(self, x, start, end, axis, step=1):
        return self.Slice(x, [start], [end], [axis], [step])

    def split(self, x, parts, axis):
        return self.Split(x, [self.shape(x)[axis] // parts] * parts, axis=axis, outputs=parts)

    def reduce(self, kind, x, *axes, keepdims=1):
        """Adds Reduce{kind}: its axes are an attribute up to opset 17, except for sums."""
        if self.opset < 18 and kind != "Sum":
            return self.add(f"Reduce{kind}", [x], axes=axes, keepdims=keepdims)
        return self.add(f"Reduce{kind}", [x, list(axes)], keepdims=keepdims)

    def global_mean(self, x):
        return self.GlobalAveragePool(x)

    def attention(self, q, k, v, mask=None):
        """Adds attention over the last two axes of [..., tokens, width]."""
        axes = list(range(len(self.shape(q))))
        turned = self.transpose(k, *axes[:-2], axes[-1], axes[-2])
        scores = self.Mul(self.MatMul(q, turned), self.shape(q)[-1] ** -0.5)
        return self.MatMul(self.Softmax(scores if mask is None else self.Add(scores, mask), axis=-1), v)

    def heads(self, x, count):
        """Returns [N, count, T, C / count] of [N, T, C]."""
        batch, tokens, width = self.shape(x)
        return self.transpose(self.reshape(x, batch, tokens, count, width // count), 0, 2, 1, 3)

    def joined(self, x):
        """Returns [N, T, C] of [N, heads, T, C / heads]."""
        batch, heads, tokens, width = self.shape(x)
        return self.reshape(self.transpose(x, 0, 2, 1, 3), batch, tokens, heads * width)

    def model(self, outputs):
        outputs = [onnx.helper.make_tensor_value_info(name, FLOAT, self._shapes.get(name)) for name in outputs]
        graph = onnx.helper.make_graph(self._nodes, "generated", self._inputs, outputs, list(self._constants.values()),
                                       value_info=self._told)
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", self.opset)])
        model.ir_version = IR_VERSION[self.opset < 21]
        return model
