"""Random networks with pairs as tools of quantization-aware training export them (STYLES; form_test.py compares their
form with that of real exports). A network is built three times from one seed: without activation pairs, to measure
ranges; as the tool writes it; and with a symmetric INT8 pair on every value, as a bound of what a repair may lose."""

import dataclasses

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

EPS = float(numpy.finfo(numpy.float32).eps)  # PyTorch's scale of a channel that is all zero


@dataclasses.dataclass(frozen=True)
class Style:
    opset: int = 13
    ir: int = 7
    producer: str = "pytorch"
    pairs_at: str = "outputs"  # each operator's output; "inputs" of layers; "shared": an Add's inputs share a quantizer
    codes: str = "uint8"  # of activations; "signs": UINT8 behind a Relu, INT8 elsewhere
    symmetric: bool = False
    limits: tuple = (0, 255)  # of the codes of activations
    clip: str = ""  # "upper": a Clip by a Constant; "both": one by initializers, also of weights
    cast: bool = False  # between the halves of a pair
    scale_shape: tuple = ()
    constants: str = "initializer"  # "Constant"; "mixed"
    identities: bool = False  # equal initializers are one, which the others read through Identity
    axis: str = ""  # attribute of pairs with one scale: "1", or "nhwc" as tf2onnx counts
    weights: str = "numbers"  # numbers, codes, grid (float numbers on a grid, without a pair)
    weight_bits: int = 8
    per_channel: bool = True
    norm: str = "keep"  # BatchNormalization: keep, divided (behind a Div by the weight's factors), fold
    bias: str = "float"  # or "int32"
    skip: bool = True  # a quantizer on the shortcut
    closed: bool = False  # a MaxPool reads a pair, too
    tokens: str = "quantized"  # products of attention; "float"
    channels_last: bool = False
    weight_layout: str = ""  # "hwio": a Transpose behind the pair


STYLES = {
    "torch_fx": Style(limits=(0, 127), clip="upper", scale_shape=(1,), identities=True, norm="divided"),
    "torch_fx_qnnpack": Style(scale_shape=(1,), identities=True, norm="divided", per_channel=False),
    "torch_fx_converted": Style(limits=(0, 127), cast=True, constants="mixed", identities=True, weights="codes", norm="fold",
                                bias="int32", tokens="softmax_float"),
    "torch_pt2e": Style(opset=18, ir=10, codes="int8", axis="1", weights="codes", per_channel=False, norm="fold",
                        tokens="softmax_float"),
    "brevitas": Style(pairs_at="shared", codes="signs", symmetric=True, weights="codes", clip="weights", bias="int32",
                      tokens=""),
    "brevitas_4_bits": Style(pairs_at="shared", codes="signs", symmetric=True, limits=(0, 15), weights="codes", weight_bits=4,
                             clip="both", bias="int32", tokens=""),
    "pytorch_quantization": Style(pairs_at="inputs", codes="int8", symmetric=True, constants="Constant", tokens="float"),
    "modelopt": Style(opset=17, ir=8, pairs_at="inputs", codes="int8", symmetric=True, constants="Constant", skip=False,
                      closed=True, tokens="float"),
    "tf2onnx": Style(producer="tf2onnx", axis="nhwc", weights="grid", norm="fold", channels_last=True, tokens=""),
    "tf2onnx_unfolded": Style(producer="tf2onnx", codes="int8", axis="nhwc", channels_last=True, weight_layout="hwio",
                              tokens=""),
}


@dataclasses.dataclass
class Value:
    name: str  # what readers read
    channels: int
    size: int
    group: int = -1  # of pairs with one scale
    positive: bool = False
    float_name: str = ""  # in front of the pair


class Builder:
    """One pass over a network. ranges: of each pair, from the pass without them; None in that pass."""

    def __init__(self, style, seed, ranges=None, everywhere=False):
        self.style, self.seed, self.ranges, self.everywhere = style, seed, ranges, everywhere
        self.random = numpy.random.default_rng(seed)
        self.forms = numpy.random.default_rng([seed, 2])  # choices that only the pass with pairs makes
        self.nodes, self.initializers, self.known = [], [], {}
        self.measured, self.parents = [], []
        self.quantizers = {}
        self.count = 0

    # Names, constants and nodes.

    def fresh(self, kind):
        self.count += 1
        return f"{kind}_{self.count}"

    def initializer(self, array):
        name = self.fresh("constant")
        self.initializers.append(numpy_helper.from_array(numpy.array(array, order="C"), name))
        return name

    def constant(self, array, kind=None):
        """A scale, zero point or bound as the style makes it."""
        array = numpy.asarray(array)
        kind = kind or self.style.constants
        if kind == "Constant":
            return self.op("Constant", [], value=numpy_helper.from_array(array))
        key = (array.dtype.str, array.shape, array.tobytes())
        if self.style.identities and key in self.known and (array.dtype.kind in "iu" or self.style.constants == "mixed"):
            return self.op("Identity", [self.known[key]])
        self.known[key] = self.initializer(array)
        return self.known[key]

    def chosen(self):
        """Returns how the constants of one pair are made."""
        if self.style.constants != "mixed":
            return self.style.constants
        return "Constant" if self.forms.random() < 0.5 else "initializer"

    def op(self, kind, inputs, outputs=1, **attributes):
        names = [self.fresh(kind.lower()) for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, self.fresh(f"/{kind}"), **attributes))
        return names[0]

    # Pairs.

    def group_of(self, index):
        while self.parents[index] != index:
            index = self.parents[index]
        return index

    def share(self, first, second):
        if first >= 0 and second >= 0:
            self.parents[self.group_of(first)] = self.group_of(second)

    def pair(self, name, positive=False, with_group=-1, rank=4):
        """Writes a pair. Returns (what readers read, the pair's number)."""
        index = len(self.measured)
        self.measured.append(name)
        self.parents.append(index)
        self.share(index, with_group)
        if self.ranges is None:
            return name, index
        low, high, factor = self.ranges[index]
        scale, zero, limits, dtype = self.grid(low * factor, high * factor, positive)
        style = self.style
        scale_array = numpy.full(style.scale_shape, scale, numpy.float32)
        zero_array = numpy.full(style.scale_shape, zero, dtype)
        attributes = self.axis_attribute(rank)
        made = self.chosen()
        parameters = [self.constant(scale_array, made), self.constant(zero_array, made)]
        codes = self.op("QuantizeLinear", [name, *parameters], **attributes)
        full = (-128, 127) if dtype == numpy.int8 else (0, 255)
        if style.clip == "upper":
            codes = self.op("Clip", [codes, "", self.constant(numpy.asarray(limits[1], dtype), "Constant")])
        elif style.clip == "both" and limits != full:
            codes = self.op("Clip", [codes, *(self.constant(numpy.asarray(one, dtype)) for one in limits)])
        if style.cast:
            codes = self.op("Cast", [codes], to=TensorProto.UINT8 if dtype == numpy.uint8 else TensorProto.INT8)
            parameters = [self.constant(scale_array, made), self.constant(zero_array, made)]
        return self.op("DequantizeLinear", [codes, *parameters], **attributes), index

    def axis_attribute(self, rank):
        if self.style.axis == "1":
            return {"axis": 1}
        if self.style.axis == "nhwc":
            return {"axis": 2 if rank == 4 else 1}
        return {}

    def grid(self, low, high, positive):
        """Returns (scale, zero point, limits of codes, type) of a range."""
        style = self.style
        low, high = min(low, 0.0), max(high, 0.0)
        most = max(-low, high, 1e-6)
        if self.everywhere:
            return most / 127, 0, (-128, 127), numpy.int8
        bits = style.limits[1] + 1
        if style.codes == "signs":
            if positive:
                return most / (bits - 1), 0, style.limits, numpy.uint8
            return most / (bits / 2), 0, (-bits // 2, bits // 2 - 1), numpy.int8
        if style.symmetric:
            return most / 127, 0, (-128, 127), numpy.int8
        scale = max(high - low, 1e-6) / (style.limits[1] - style.limits[0])
        zero = int(numpy.clip(round(style.limits[0] - low / scale), *style.limits))
        if style.codes == "int8":
            return scale, zero - 128, (style.limits[0] - 128, style.limits[1] - 128), numpy.int8
        return scale, zero, style.limits, numpy.uint8

    def closed(self, value, rank=4, with_group=-1):
        """Closes an operator's output with a pair where the style or the bound wants one."""
        if self.style.pairs_at == "outputs" or self.everywhere:
            value.float_name = value.name
            value.name, value.group = self.pair(value.name, value.positive, with_group, rank)
        return value

    def read(self, value, rank=4):
        """Returns what a layer reads."""
        if self.style.pairs_at == "inputs" and not self.everywhere:
            read, index = self.pair(value.name, value.positive, self.quantizers.get(value.name, -1), rank)
            self.quantizers[value.name] = index  # every reader has a quantizer, and all saw the same values
            return read, index
        return value.name, value.group

    # Weights.

    def weight(self, shape, axis=0):
        fan = int(numpy.prod(shape)) // shape[axis] or 1
        numbers = (self.random.standard_normal(shape) * numpy.sqrt(2 / fan)).astype(numpy.float32)
        if self.random.random() < 0.05:  # a pruned channel
            numpy.moveaxis(numbers, axis, 0)[int(self.random.integers(shape[axis]))] = 0
        return numbers

    def coded(self, numbers, axis=0, per_channel=None):
        """Returns (codes, scales) of a weight."""
        most_code = 2 ** (self.style.weight_bits - 1) - 1
        per_channel = self.style.per_channel if per_channel is None else per_channel
        others = tuple(i for i in range(numbers.ndim) if i != axis) if per_channel else None
        scales = numpy.maximum(numpy.abs(numbers).max(others) / most_code, EPS).astype(numpy.float32)
        shape = [-1 if i == axis else 1 for i in range(numbers.ndim)] if per_channel else []
        codes = numpy.clip(numpy.rint(numbers / scales.reshape(shape)), -most_code, most_code)
        return codes.astype(numpy.int8), scales

    def weight_pair(self, numbers, axis=0, per_channel=None):
        """Writes a weight with its pair. Returns (what a layer reads, its scales)."""
        style = self.style
        per_channel = style.per_channel if per_channel is None else per_channel
        codes, scales = self.coded(numbers, axis, per_channel)
        shape = [-1 if i == axis else 1 for i in range(numbers.ndim)] if per_channel else []
        if style.weights == "grid" or self.everywhere or self.ranges is None:
            return self.initializer(codes.astype(numpy.float32) * scales.reshape(shape)), scales
        permuted = style.weight_layout == "hwio" and numbers.ndim == 4
        order = (2, 3, 1, 0) if permuted else None
        if permuted:
            numbers, codes, axis = numbers.transpose(order), codes.transpose(order), 3
        scale_shape = scales.shape if per_channel else style.scale_shape
        made = "Constant" if style.constants == "mixed" else style.constants
        parameters = [self.constant(one, made) for one in (scales.reshape(scale_shape), numpy.zeros(scale_shape, numpy.int8))]
        attributes = {"axis": axis} if per_channel else self.axis_attribute(4 if style.axis == "nhwc" else 2)
        if style.weights == "numbers":
            name = self.op("QuantizeLinear", [self.initializer(numbers), *parameters], **attributes)
        else:
            name = self.constant(codes, made)
            if style.clip in ("both", "weights"):
                most = 2 ** (style.weight_bits - 1) - 1
                name = self.op("Clip", [name, *(self.constant(numpy.int8(one)) for one in (-most, most))])
        name = self.op("DequantizeLinear", [name, *parameters], **attributes)
        return (self.op("Transpose", [name], perm=[3, 2, 0, 1]) if permuted else name), scales

    def bias(self, numbers, group, scales):
        """Writes a bias. group: of the pair that the layer reads."""
        if self.style.bias != "int32" or self.everywhere or self.ranges is None or group not in self.ranges:
            return self.initializer(numbers)
        scale = self.scales_of_pairs.get(group)
        if scale is None or (self.style.pairs_at == "shared" and self.forms.random() < 0.25):
            return self.initializer(numbers)
        scales = (numpy.float32(scale) * numpy.broadcast_to(scales, numbers.shape)).astype(numpy.float32)
        codes = numpy.clip(numpy.rint(numbers / scales), -2 ** 31 + 1, 2 ** 31 - 1).astype(numpy.int32)
        kind = self.chosen()
        if self.style.cast:  # torch's zero point of a bias
            extent = self.constant(numpy.asarray([len(numbers)], numpy.int64), kind)
            zero = self.op("ConstantOfShape", [extent], value=helper.make_tensor("value", TensorProto.INT32, [1], [0]))
            zero = self.op("Cast", [zero], to=TensorProto.INT32)
        else:
            zero = self.initializer(numpy.zeros(len(numbers), numpy.int32))
        return self.op("DequantizeLinear", [self.constant(codes, kind), self.constant(scales, kind), zero], axis=0)

    # Operators.

    def conv(self, value, channels, kernel=3, stride=1, groups=1, norm=True, act="relu"):
        style = self.style
        numbers = self.weight((channels, value.channels // groups, kernel, kernel))
        bias = (0.1 * self.random.standard_normal(channels)).astype(numpy.float32)
        gamma, variance = self.random.uniform(0.5, 1.5, (2, channels)).astype(numpy.float32)
        beta, mean = (0.2 * self.random.standard_normal((2, channels))).astype(numpy.float32)
        factor = (gamma / numpy.sqrt(variance + 1e-5)).astype(numpy.float32)
        if norm and style.norm != "keep":
            numbers = numbers * factor.reshape(-1, 1, 1, 1)
        if norm and style.norm == "fold":
            bias = beta - mean * factor
        source, group = self.read(value)
        weight, scales = self.weight_pair(numbers)
        inputs = [source, weight]
        if norm and style.norm == "divided":
            inputs.append(self.op("Constant", [], value=numpy_helper.from_array(numpy.zeros(channels, numpy.float32))))
        elif not norm or style.norm == "fold":
            inputs.append(self.bias(bias, group, scales))
        elif style.pairs_at == "shared" and self.random.random() < 0.3:
            inputs.append(self.bias(bias, group, scales))
        pad = kernel // 2
        name = self.op("Conv", inputs, kernel_shape=[kernel] * 2, pads=[pad] * 4, strides=[stride] * 2, group=groups,
                       dilations=[1, 1])
        if norm and style.norm != "fold":
            if style.norm == "divided":
                name = self.op("Div", [name, self.initializer(factor.reshape(1, -1, 1, 1))])
            parameters = [self.initializer(one) for one in (gamma, beta, mean, variance)]
            name = self.op("BatchNormalization", [name, *parameters], epsilon=1e-5)
        out = Value(name, channels, (value.size + 2 * pad - kernel) // stride + 1)
        return self.activated(out, act)

    def activated(self, out, act):
        style = self.style
        torch_pair = style.pairs_at == "outputs" and not style.channels_last and act == "relu6"
        if torch_pair or (self.everywhere and act):  # PyTorch fuses a Relu into the layer, and no Hardtanh
            out = self.closed(out)
        if act == "relu":
            out = Value(self.op("Relu", [out.name]), out.channels, out.size, positive=True, group=out.group)
        elif act == "relu6":
            bounds = [self.constant(numpy.float32(one), "initializer" if style.channels_last or style.opset > 17 else "Constant")
                      for one in (0, 6)]
            out = Value(self.op("Clip", [out.name, *bounds]), out.channels, out.size, positive=True, group=out.group)
        with_group = out.group if torch_pair else -1
        closes = self.random.random() < 0.9  # Brevitas quantizes where the network asks, and some forget it
        if style.pairs_at == "shared" and not self.everywhere:
            if act or closes:
                out.name, out.group = self.pair(out.name, out.positive)
            return out
        return self.closed(out, with_group=with_group)

    def shared(self, values):
        """The inputs of an Add or Concat as the style quantizes them."""
        if self.style.pairs_at != "shared" or self.everywhere:
            return values
        out, group = [], -1
        for value in values:
            name, group = self.pair(value.name, False, group)
            out.append(dataclasses.replace(value, name=name, group=group, positive=False))
        return out

    def add(self, main, skip, relu=True):
        main, skip = self.shared([main, skip])
        if self.style.pairs_at == "inputs" and self.style.skip and not self.everywhere:
            skip = dataclasses.replace(skip, name=self.read(skip)[0])
        out = Value(self.op("Add", [main.name, skip.name]), main.channels, main.size)
        return self.activated(out, "relu" if relu else None)

    def concat(self, values):
        values = self.shared(values)
        out = Value(self.op("Concat", [one.name for one in values], axis=1), sum(one.channels for one in values), values[0].size,
                    positive=all(one.positive for one in values), group=values[0].group)
        if self.style.pairs_at != "outputs" or self.everywhere:
            return self.closed(out)
        torch = self.style.producer == "pytorch"
        if torch:
            for one in values[1:]:
                self.share(one.group, values[0].group)
        return self.closed(out, with_group=values[0].group if torch else -1)

    def pool(self, value):
        name = self.read(value)[0] if self.style.closed else value.name
        name = self.op("MaxPool", [name], kernel_shape=[2, 2], strides=[2, 2], pads=[0] * 4, dilations=[1, 1], ceil_mode=0)
        out = Value(name, value.channels, value.size // 2, value.group, value.positive)
        if self.style.producer == "tf2onnx" and not self.everywhere:
            return out
        return self.closed(out, with_group=value.group)

    def linear(self, value, rank, outputs):
        """A Linear or Dense layer on [N,C] or [N,T,C]."""
        numbers = self.weight((outputs, value.channels))
        bias = (0.1 * self.random.standard_normal(outputs)).astype(numpy.float32)
        source, group = self.read(value, rank)
        if self.style.channels_last:
            weight, _ = self.weight_pair(numbers.T, axis=1, per_channel=False)
            name = self.op("Add", [self.op("MatMul", [source, weight]), self.initializer(bias)])
        elif rank == 2:
            weight, scales = self.weight_pair(numbers)
            name = self.op("Gemm", [source, weight, self.bias(bias, group, scales)], transB=1)
        else:
            weight, scales = self.weight_pair(numbers)
            added = self.bias(bias, group, scales)
            product = self.op("MatMul", [source, self.op("Transpose", [weight], perm=[1, 0])])
            name = self.op("Add", [product, added] if self.style.opset > 17 else [added, product])
        return Value(name, outputs, 1)

    def attention(self, value):
        """Self-attention over the pixels of an image, then the mean over them: [N,C]."""
        quantized = self.style.tokens in ("quantized", "softmax_float")
        channels = value.channels
        end = self.op if quantized else None
        shape = self.rows_shape(value)

        def after(name, positive=False, group=-1, rank=3):
            out = Value(name, channels, 1, positive=positive)
            return self.closed(out, rank, group) if end or self.everywhere else out

        rows = after(self.op("Reshape", [value.name, shape]), value.positive, value.group)
        rows = after(self.op("Transpose", [rows.name], perm=[0, 2, 1]), value.positive, rows.group)
        query, key, content = (self.linear(rows, 3, channels) for _ in range(3))
        query, key, content = (after(one.name) for one in (query, key, content))
        turned = Value(self.op("Transpose", [key.name], perm=[0, 2, 1]), channels, 1, key.group)
        if self.style.opset < 18:
            turned = after(turned.name, False, key.group)
        softmax_float = self.style.tokens == "softmax_float"
        scores = Value(self.op("MatMul", [query.name, turned.name]), channels, 1)
        scores = scores if softmax_float and self.style.cast else after(scores.name)
        scale = self.factor(0.35)
        scaled = Value(self.op("Mul", [scores.name, scale]), channels, 1)
        scaled = scaled if softmax_float and self.style.cast else after(scaled.name, False, scores.group)
        weights = Value(self.op("Softmax", [scaled.name], axis=-1), channels, 1)
        weights = weights if softmax_float else after(weights.name, True)
        mixed = after(self.op("MatMul", [weights.name, content.name]))
        rows = after(self.op("Add", [rows.name, mixed.name]))
        if self.style.opset > 17:
            name = self.op("ReduceMean", [rows.name, self.initializer(numpy.asarray([1], numpy.int64))], keepdims=0)
        else:
            name = self.op("ReduceMean", [rows.name], axes=[1], keepdims=0)
        return after(name, False, rows.group, 2)

    def factor(self, number):
        """Returns a constant factor. PT2E quantizes it."""
        if self.style.opset < 18 or self.ranges is None or self.everywhere:
            return self.op("Constant", [], value=numpy_helper.from_array(numpy.asarray(number, numpy.float32)))
        parameters = [self.constant(numpy.float32(number / 127)), self.constant(numpy.int8(0))]
        return self.op("DequantizeLinear", [self.constant(numpy.int8(127)), *parameters], axis=1)

    def rows_shape(self, value):
        """Returns the shape [N,C,-1], which torch's older exporter computes."""
        if self.style.opset > 17:
            return self.initializer(numpy.asarray([1, value.channels, -1], numpy.int64))
        zero, two, rest = (self.op("Constant", [], value=numpy_helper.from_array(numpy.asarray([one], numpy.int64))) for one in (0, 2, -1))
        extents = self.op("Slice", [self.op("Shape", [value.name]), zero, two, zero])
        return self.op("Concat", [extents, rest], axis=0)

    def flattened(self, value):
        """The head's input from an image: [N,C]."""
        style = self.style
        if style.pairs_at == "shared":
            name = self.op("Flatten", [value.name], axis=1)
            return self.bound_pair(Value(name, value.channels * value.size ** 2, 1, value.group, value.positive))
        name = self.op("GlobalAveragePool", [value.name])
        if style.channels_last:
            name = self.op("Squeeze", [name, self.initializer(numpy.asarray([2, 3], numpy.int64))])
            return self.closed(Value(name, value.channels, 1, positive=value.positive), 2)
        pooled = self.closed(Value(name, value.channels, 1, positive=value.positive), with_group=value.group)
        name = self.op("Flatten", [pooled.name], axis=1)
        return self.closed(Value(name, value.channels, 1, positive=value.positive), 2, pooled.group)

    def bound_pair(self, value):
        return self.closed(value, 2) if self.everywhere else value

    # The network.

    def network(self):
        random, style = self.random, self.style
        size, channels = int(random.choice([8, 12])), int(random.choice([3, 16]))
        open_batch = bool(style.channels_last and random.random() < 0.3)
        shape = [1, size, size, channels] if style.channels_last else [1, channels, size, size]
        self.input_shape, self.open_batch = shape, open_batch
        value = Value("image", channels, size)
        if style.pairs_at == "shared":
            value.name, value.group = self.pair(value.name)
        else:
            value = self.closed(value)
        if style.channels_last:
            value.name = self.op("Transpose", [value.name], perm=[0, 3, 1, 2])
        value = self.conv(value, 16, 3, int(random.choice([1, 2])), norm=random.random() < 0.8, act=str(random.choice(["relu", "relu6"])))
        for _ in range(int(random.integers(1, 5))):
            value = self.block(value)
        ends = ["flatten", "flatten", "attention"] if style.tokens else ["flatten"]
        value = self.attention(value) if random.choice(ends) == "attention" else self.flattened(value)
        out = self.linear(value, 2, 10)
        if style.pairs_at == "outputs":
            out = self.closed(out, 2)
        name = self.op("Softmax", [out.name], axis=-1) if style.channels_last and random.random() < 0.5 else out.name
        self.output = name

    def block(self, value):
        random = self.random
        kinds = ["residual", "residual", "depthwise", "concat", "plain", "plain", "pool", "shortcut"]
        kind = str(random.choice(kinds))
        act = str(random.choice(["relu", "relu", "relu6"]))
        norm = bool(random.random() < 0.8)
        if kind == "residual":
            inner = self.conv(value, value.channels, 3, norm=norm, act=act)
            inner = self.conv(inner, value.channels, int(random.choice([1, 3])), norm=norm, act=None)
            return self.add(inner, value, relu=random.random() < 0.7)
        if kind == "shortcut":
            inner = self.conv(value, 24, 3, 2, norm=norm, act=None)
            side = self.conv(value, 24, 1, 2, norm=norm, act=None)
            return self.add(inner, side)
        if kind == "depthwise":
            inner = self.conv(value, value.channels, 3, groups=value.channels, norm=norm, act=act)
            return self.conv(inner, 16, 1, norm=norm, act=None if random.random() < 0.3 else act)
        if kind == "concat":
            side = self.conv(value, 16, 3, norm=norm and random.random() < 0.5, act=act if random.random() < 0.5 else None)
            joined = self.concat([value, side])
            return self.pool(joined) if random.random() < 0.3 and value.size >= 4 else joined
        if kind == "pool" and value.size >= 4:
            return self.pool(value)
        return self.conv(value, int(random.choice([16, 32])), int(random.choice([1, 3])), norm=norm, act=act)

    def model(self):
        batch = ["N"] if self.open_batch else self.input_shape[:1]
        graph = helper.make_graph(
            self.nodes, "main_graph", [helper.make_tensor_value_info("image", TensorProto.FLOAT, batch + self.input_shape[1:])],
            [helper.make_tensor_value_info(self.output, TensorProto.FLOAT, batch + [10])], self.initializers)
        model = helper.make_model(graph, producer_name=self.style.producer,
                                  opset_imports=[helper.make_opsetid("", self.style.opset)])
        model.ir_version = self.style.ir
        return model


@dataclasses.dataclass
class Network:
    given: onnx.ModelProto  # as the tool writes it
    floats: onnx.ModelProto  # without pairs
    bound: onnx.ModelProto  # a symmetric INT8 pair on every value
    data: numpy.ndarray


def drawn(name, seed):
    """Returns a random file of a style whose ranges are not measured, for its form."""
    style = STYLES[name]
    scales = {index: 1.0 for index in range(1000)}
    return passed(style, seed, {index: (0.0, 1.0, 1.0) for index in scales}, scales=scales).model()


def passed(style, seed, ranges=None, everywhere=False, scales=None):
    builder = Builder(style, seed, ranges, everywhere)
    builder.scales_of_pairs = scales or {}
    builder.network()
    return builder


def ranges_of(style, seed, everywhere, data, run):
    """Returns the range of each pair, the same for those of one group, and the pass without pairs."""
    builder = passed(style, seed, None, everywhere)
    model = builder.model()
    names = list(dict.fromkeys(builder.measured))
    outputs = {one.name for one in model.graph.output}
    wanted = onnx.ModelProto()
    wanted.CopyFrom(model)
    wanted.graph.output.extend(helper.make_tensor_value_info(one, TensorProto.FLOAT, None) for one in names
                               if one not in outputs and one != "image")
    found = dict(run(wanted, data), image=data)
    own = [(float(found[one].min()), float(found[one].max())) for one in builder.measured]
    groups = [builder.group_of(index) for index in range(len(own))]
    factors = numpy.random.default_rng([seed, 3]).uniform(0.75, 1.1, len(own))  # training moves bounds
    ranges = {}
    for index, group in enumerate(groups):
        members = [own[one] for one in range(len(own)) if groups[one] == group]
        ranges[index] = (min(one[0] for one in members), max(one[1] for one in members), float(factors[group]))
    return ranges, model


def make(name, seed, run, samples=8):
    """Returns a random network of a style. run(model, data) -> {output: array}, in an engine."""
    style = STYLES[name]
    shape = passed(style, seed).input_shape
    data = numpy.random.default_rng([seed, 4]).standard_normal([samples, *shape[1:]]).astype(numpy.float32)
    ranges, floats = ranges_of(style, seed, False, data, run)
    scales = {}
    if style.bias == "int32":
        sizes = Builder(style, seed, ranges)
        original = sizes.grid
        order = []

        def noted(*arguments):
            order.append(original(*arguments)[0])
            return original(*arguments)

        sizes.grid, sizes.scales_of_pairs = noted, {}
        sizes.network()
        scales = dict(enumerate(order))
    given = passed(style, seed, ranges, scales=scales).model()
    plain = dataclasses.replace(style, clip="", cast=False, constants="initializer", identities=False, axis="")
    bound = passed(plain, seed, ranges_of(plain, seed, True, data, run)[0], True).model()
    return Network(given, floats, bound, data)
