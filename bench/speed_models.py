"""The models of bench/compare_with_onnxruntime.py and bench/beside_openvino.py, and how both measure our times."""

import dataclasses
import os
import pathlib
import platform
import re
import typing

import large_transformer
import numpy
import resnet50

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("DETENT_SHARED") or ROOT.parent / "shared").resolve()
LARGE = "transformer_2.4GB"  # only by name, because it takes minutes
BASE = "transformer_base"  # only by name, for machines with many cores


@dataclasses.dataclass(frozen=True)
class SpeedModel:
    """A model: its file, or what writes it. inputs: {name: {dims, below or ones}} of a sample, whole numbers from 0 to
    below - 1; dims: those of the only input. batch: that of ONNX Runtime (Detent runs samples one by one, side by
    side). short: samples of the short run; most: bounds their number; bound: the allowed ratio of `run` and
    `calibrate`."""
    name: str
    file: pathlib.Path = None
    make: typing.Callable = None
    dims: list = None
    inputs: dict = None
    batch: int = 1
    short: int = 16  # quantize measures its error on 16, in the short run as in the long one
    most: int = None
    bound: float = 1.0

    def written(self, folder):
        """Returns the path of the model, made in a folder if it is not there."""
        if self.make:
            file = folder / f"{self.name}.onnx"
            self.make(file)
            return file
        return self.file


def _ids(length, below):
    return {"ids": {"dims": [length], "below": below}}


def _shared(name, path, dims=None, **more):
    return SpeedModel(name, SHARED / path, dims=dims, **more)


MODELS = {model.name: model for model in (
    SpeedModel("resnet50", make=resnet50.write, dims=[3, 224, 224], batch=8),
    _shared("mobilenetv2", "models/imagenet_mobilenetv2/model_opset12.onnx", [3, 224, 224]),
    _shared("squeezenet1.1", "models/imagenet_squeezenet1.1/model_opset12.onnx", [3, 224, 224]),
    _shared("efficientnet_b0", "models/cifar10_efficientnet_b0/model_opset17.onnx", [3, 64, 64]),
    _shared("resnet18", "models/cifar10_resnet18/model_opset17.onnx", [3, 32, 32]),
    _shared("shapes_unet", "models/shapes_unet/model_opset13.onnx", [3, 128, 128]),
    _shared("occupancy3d", "models/occupancy3d/model_opset13.onnx", [64, 4, 4, 4], bound=0.7),
    _shared("vit_mini", "exports/vit_mini/legacy_opset14.onnx", [3, 96, 96]),
    _shared("jax_vit", "zoo/jax_vit_fn/model.onnx", [100, 256]),
    _shared("yolo_mini", "exports/yolo_mini/legacy_opset12.onnx", [3, 128, 128]),
    _shared("mobilenetv3_small", "exports/mobilenetv3_small/legacy_opset13.onnx", [3, 224, 224]),
    _shared("chars_gpt", "models/chars_gpt/model_opset17.onnx", inputs=_ids(256, 73)),
    _shared("bert_mini", "exports/bert_mini/legacy_opset14.onnx",
            inputs={"input_ids": {"dims": [32], "below": 300}, "attention_mask": {"dims": [32], "ones": True}}),
    # As large as BERT-mini: 4 layers of width 256. The exported one is fixed at 32 ids.
    SpeedModel("transformer_128", make=lambda file: large_transformer.write(file, 4, 256), inputs=_ids(128, 8192)),
    # As large as ViT-B and BERT-base.
    SpeedModel(BASE, make=lambda file: large_transformer.write(file, 12, 768), inputs=_ids(128, 8192)),
    SpeedModel(LARGE, make=large_transformer.write, inputs=_ids(128, 8192), short=2, most=10),
) if model.make or model.file.exists()}

def stack(count, dims, below=None, ones=False):
    """Returns samples, the same in every run: normal deviates, whole numbers below a bound, or ones."""
    random = numpy.random.default_rng(7)
    if ones:
        return numpy.ones((count, *dims), numpy.int64)
    if below:
        return random.integers(0, below, (count, *dims))
    return random.standard_normal((count, *dims), numpy.float32)


def processor():
    cpus = pathlib.Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*: (.*)$", cpus.read_text(), re.M) if cpus.exists() else []
    return names[0] if names else platform.machine()
