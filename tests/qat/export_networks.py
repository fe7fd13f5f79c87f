"""export_networks.py [--check] [STYLE...]

Trains one small network for a moment in each tool of quantization-aware training, exports it to ONNX as the tool's
manual says, and writes the form of the file (form.py) to forms.json. A style whose packages are missing keeps what
forms.json has. No weights are kept: only the form goes into the repository. --check compares instead: exit 1 if a form
differs, 77 if no package is there.

The packages, in two environments since their dependencies exclude each other (CPython 3.11):

    pip install torch==2.6.0 onnx==1.17.0 onnxscript==0.5.4 onnx_ir==0.1.9 \\
      brevitas==0.12.0 onnxoptimizer==0.3.13 nvidia-modelopt==0.27.1 pulp torchprofile torchvision==0.21.0
    pip install --no-deps pytorch-quantization==2.1.3 absl-py prettytable wcwidth pyyaml
    pip install tensorflow-cpu==2.15.1 tf_keras==2.15.1 tensorflow-model-optimization==0.8.0 tf2onnx==1.16.1 onnx==1.16.2
"""

import copy
import json
import operator
import os
import pathlib
import sys
import tempfile
import warnings

try:
    import form
except ImportError as absent:
    print(f"qat.exports SKIPPED: {absent.name} is not installed")
    sys.exit(77)

SIZE = 16  # of an image


def torch_network(skip=None):
    """Conv+BN+ReLU, depthwise with ReLU6, a residual Add, Concat, pooling, attention, Linear. skip: on the shortcut."""
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU())
            self.deep = nn.Sequential(nn.Conv2d(8, 8, 3, 1, 1, groups=8, bias=False), nn.BatchNorm2d(8), nn.ReLU6())
            self.point = nn.Sequential(nn.Conv2d(8, 8, 1, bias=False), nn.BatchNorm2d(8))
            self.relu = nn.ReLU()
            self.skip = skip or nn.Identity()
            self.side = nn.Conv2d(8, 8, 3, 1, 1)
            self.pool = nn.MaxPool2d(2)
            self.join = nn.Conv2d(16, 8, 1)
            self.query, self.key, self.value = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
            self.head = nn.Linear(8, 10)

        def forward(self, x):
            x = self.stem(x)
            x = self.relu(self.point(self.deep(x)) + self.skip(x))
            x = self.join(self.pool(torch.cat([x, self.side(x)], 1)))
            rows = x.flatten(2).transpose(1, 2)
            scores = torch.matmul(self.query(rows), self.key(rows).transpose(1, 2)) * 0.3535
            rows = rows + torch.matmul(scores.softmax(-1), self.value(rows))
            return self.head(rows.mean(1))

    torch.manual_seed(1)
    network = Network()
    with torch.no_grad():
        for batch in range(4):  # so that running means and variances are none of the first ones
            network.train()(images(batch))
    return network


def images(seed, count=8):
    import torch

    return torch.randn(count, 3, SIZE, SIZE, generator=torch.Generator().manual_seed(seed))


def train(network, steps=4):
    import torch

    parameters = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(parameters, lr=1e-2)
    for step in range(steps):
        optimizer.zero_grad()
        network(images(step)).square().mean().backward()
        optimizer.step()


def export(network, path, opset=13, **more):
    import torch

    with torch.no_grad():
        torch.onnx.export(network, images(0, 1), path, opset_version=opset, **more)


def fx_prepared(backend, without=()):
    import torch
    from torch.ao.quantization import QConfigMapping, default_qat_qconfig, get_default_qat_qconfig_mapping
    from torch.ao.quantization.quantize_fx import prepare_qat_fx

    mapping = get_default_qat_qconfig_mapping(backend, version=0)  # version 0: FakeQuantize, which ONNX export knows
    for kind in without:
        mapping.set_object_type(kind, None)
    network = prepare_qat_fx(torch_network().train(), mapping, (images(0, 1),))
    train(network)
    network.apply(torch.ao.quantization.disable_observer)
    return network.eval()


def torch_fx(path):
    """Observers of the backend fbgemm: activations of 7 bits, written as QuantizeLinear, Clip, DequantizeLinear."""
    export(fx_prepared("fbgemm"), path)


def torch_fx_qnnpack(path):
    """Observers of the backend qnnpack: 8 bits, weights with one scale."""
    export(fx_prepared("qnnpack"), path)


def torch_fx_converted(path):
    """convert_fx: quantized operators, which the exporter writes as operators between pairs."""
    import torch
    from torch.ao.quantization.quantize_fx import convert_fx

    without = [torch.matmul, operator.mul]  # ONNX's exporter cannot write them
    export(convert_fx(fx_prepared("fbgemm", without)), path)


def torch_pt2e(path):
    import torch
    from torch.ao.quantization.quantize_pt2e import convert_pt2e, prepare_qat_pt2e
    from torch.ao.quantization.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=False, is_qat=True))
    example = (images(0, 1),)
    network = prepare_qat_pt2e(torch.export.export_for_training(torch_network(), example).module(), quantizer)
    for step in range(4):
        network(images(step, 1))
    torch.ao.quantization.move_exported_model_to_eval(network)
    network = convert_pt2e(network)
    program = torch.export.export(network, example)
    torch.onnx.export(program, example, dynamo=True, optimize=True).save(path)


def brevitas(bits):
    def make(path):
        import brevitas.nn as qnn
        import torch
        from brevitas.export import export_onnx_qcdq
        from brevitas.quant import Int8ActPerTensorFloat, Int8WeightPerChannelFloat, Int32Bias, Uint8ActPerTensorFloat
        from torch import nn

        class Network(nn.Module):
            def __init__(self):
                super().__init__()
                given = {"weight_quant": Int8WeightPerChannelFloat, "weight_bit_width": bits}
                self.quant = qnn.QuantIdentity(act_quant=Int8ActPerTensorFloat, bit_width=bits, return_quant_tensor=True)
                self.stem = nn.Sequential(qnn.QuantConv2d(3, 8, 3, 2, 1, bias=True, bias_quant=Int32Bias, **given),
                                          qnn.QuantReLU(act_quant=Uint8ActPerTensorFloat, bit_width=bits, return_quant_tensor=True))
                self.deep = qnn.QuantConv2d(8, 8, 3, 1, 1, groups=8, bias=False, **given)
                self.norm = nn.BatchNorm2d(8)
                self.relu = qnn.QuantReLU(act_quant=Uint8ActPerTensorFloat, bit_width=bits, return_quant_tensor=True)
                self.point = qnn.QuantConv2d(8, 8, 1, bias=True, bias_quant=None, **given)
                self.shared = qnn.QuantIdentity(act_quant=Int8ActPerTensorFloat, bit_width=bits, return_quant_tensor=True)
                self.after = qnn.QuantReLU(act_quant=Uint8ActPerTensorFloat, bit_width=bits, return_quant_tensor=True)
                self.pool = nn.MaxPool2d(2)
                self.head = qnn.QuantLinear(8 * 16, 10, bias=True, bias_quant=Int32Bias, **given)

            def forward(self, x):
                x = self.stem(self.quant(x))
                y = self.relu(self.norm(self.deep(x)))
                y = self.after(self.shared(self.point(y)) + self.shared(x))
                y = self.pool(y)
                return self.head(y.flatten(1))

        torch.manual_seed(1)
        network = Network()
        train(network)
        export_onnx_qcdq(network.eval(), images(0, 1), path, opset_version=13)

    return make


def pytorch_quantization(path):
    from pytorch_quantization import nn as quant_nn
    from pytorch_quantization import quant_modules
    from pytorch_quantization.nn import TensorQuantizer

    quant_modules.initialize()
    try:
        # The shortcut has a quantizer, as in NVIDIA's example of ResNet.
        network = torch_network(TensorQuantizer(quant_nn.QuantConv2d.default_quant_desc_input))
    finally:
        quant_modules.deactivate()
    quantizers = [module for module in network.modules() if isinstance(module, TensorQuantizer)]
    for quantizer in quantizers:
        quantizer.disable_quant()
        quantizer.enable_calib()
    for step in range(4):
        network(images(step))
    for quantizer in quantizers:
        quantizer.load_calib_amax()
        quantizer.enable_quant()
        quantizer.disable_calib()
    TensorQuantizer.use_fb_fake_quant = True
    train(network)
    export(network.eval(), path)


def modelopt(path):
    import modelopt.torch.quantization as mtq

    def calibrate(network):
        for step in range(4):
            network(images(step))

    network = mtq.quantize(torch_network(), copy.deepcopy(mtq.INT8_DEFAULT_CFG), calibrate)
    train(network)
    export(network.eval(), path, opset=17)


def tf2onnx(path):
    import numpy
    import tensorflow
    import tensorflow_model_optimization
    import tf2onnx as converter

    layers = tensorflow.keras.layers
    tensorflow.keras.utils.set_random_seed(1)
    image = layers.Input((SIZE, SIZE, 3))
    x = layers.ReLU(6.0)(layers.BatchNormalization()(layers.Conv2D(8, 3, 2, "same", use_bias=False)(image)))
    y = layers.ReLU(6.0)(layers.BatchNormalization()(layers.DepthwiseConv2D(3, 1, "same", use_bias=False)(x)))
    y = layers.BatchNormalization()(layers.Conv2D(8, 1, use_bias=False)(y))
    x = layers.Add()([x, y])
    x = layers.Concatenate()([x, layers.Conv2D(8, 3, 1, "same", activation="relu")(x)])
    x = layers.Conv2D(8, 3, 1, "same", activation="relu")(layers.MaxPooling2D(2)(x))
    x = layers.Dense(10)(layers.GlobalAveragePooling2D()(x))
    network = tensorflow_model_optimization.quantization.keras.quantize_model(
        tensorflow.keras.Model(image, layers.Softmax()(x)))
    data = numpy.random.default_rng(1).normal(size=(32, SIZE, SIZE, 3)).astype("float32")
    network.compile("sgd", "mse")
    network.fit(data, numpy.full((32, 10), 0.1, "float32"), verbose=0)
    signature = [tensorflow.TensorSpec((None, SIZE, SIZE, 3), tensorflow.float32, "image")]
    converter.convert.from_keras(network, signature, opset=13, output_path=path)


STYLES = {
    "torch_fx": torch_fx,
    "torch_fx_qnnpack": torch_fx_qnnpack,
    "torch_fx_converted": torch_fx_converted,
    "torch_pt2e": torch_pt2e,
    "brevitas": brevitas(8),
    "brevitas_4_bits": brevitas(4),
    "pytorch_quantization": pytorch_quantization,
    "modelopt": modelopt,
    "tf2onnx": tf2onnx,
}

STORED = pathlib.Path(__file__).with_name("forms.json")


def main():
    warnings.filterwarnings("ignore")
    check = "--check" in sys.argv
    kept = os.environ.get("DETENT_QAT_FILES")  # a folder to keep the files in, to look at them
    forms = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    made, differ = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for name in [one for one in sys.argv[1:] if one != "--check"] or STYLES:
            path = os.path.join(kept or folder, f"{name}.onnx")
            try:
                STYLES[name](path)
            except ImportError as missing:
                print(f"{name}: SKIPPED, {missing.name or missing} is not installed")
                continue
            made += 1
            found = form.describe_file(path)
            if found != forms.get(name):
                differ.append(name)
            forms[name] = found
            print(f"{name}: {len(found['pairs'])} forms of pairs{', not those that are stored' if name in differ else ''}")
    if check:
        return 1 if differ else 0 if made else 77
    STORED.write_text(json.dumps(dict(sorted(forms.items())), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
