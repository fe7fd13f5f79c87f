"""The models of these tests: their files, how their samples are read, and their scores in FP32 (measured in ONNX
Runtime on the whole evaluation set). `sample` is bundled; the others need the shared folder."""

import csv
import dataclasses
import functools
import json
import os
import pathlib
import sys
import typing

import numpy
from measures import mean_iou, occupancy_iou, top1
from png import read_png
from program import ROOT, fresh_file, listed, saved, sources

SHARED = pathlib.Path(os.environ.get("DETENT_SHARED") or ROOT.parent / "shared").resolve()

IMAGENET = "unit,mean=.485/.456/.406,std=.229/.224/.225"
CIFAR = "mean=.4914/.4822/.4465,std=.2470/.2435/.2616"
CALIBRATORS = ["max", "percentile", "entropy", "mse"]
# The candidates of --calibrator auto.
CANDIDATES = ["max", "entropy", "mse", "percentile:99.9", "percentile:99.99", "percentile:99.999", "samplemax:99",
              "samplemax:95", "samplemax:90", "samplemax:50"]
# Level at which ONNX Runtime judges a file for a target: int8 symmetric models without graph optimizations, because
# from level "basic" on it drops a Clip(0,6) before an int8 QuantizeLinear.
LEVEL_OF = {"tensorrt": "disabled", "onnxruntime": "all"}


@dataclasses.dataclass(frozen=True, eq=False)
class Samples:
    """Samples: the options that name them as --data and, with their labels, as --eval, and their score of outputs."""
    data: list
    judged: list = ()
    score: typing.Callable = None
    labels: list = ()


@dataclasses.dataclass(frozen=True, eq=False)
class Model:
    """A model. evaluation(stride): every stride-th evaluation sample; samples(): the few that tests without scores
    take. bounds: what the score of every calibrator, or of the best, has to reach."""
    name: str
    file: pathlib.Path
    calibration: pathlib.Path = None
    preprocess: str = None
    evaluation: typing.Callable = None
    samples: typing.Callable = None
    metric: str = ""
    fp32: float = None
    at_least: float = None
    best_at_least: float = None
    tolerance: float = 1e-3

    def __str__(self):
        return self.name

    @property
    def missing(self):
        return None if self.file.exists() else f"{self.file} is not there"


def segmentation(folder):
    """Every stride-th image of a folder, with its mask."""
    @functools.cache
    def samples(stride):
        images = sorted((folder / "images").iterdir())[::stride]
        masks, files = folder / "masks", listed(images)
        truth = numpy.stack([read_png(masks / image.name) for image in images])
        return Samples(["--data", files], ["--eval", files, "--masks", masks], lambda output: mean_iou(output, truth))
    return samples


def classification(table):
    """Every stride-th line of a `file,label` list whose files lie in a folder of the list's name."""
    @functools.cache
    def samples(stride):
        with open(table, encoding="utf8", newline="") as file:
            rows = list(csv.reader(file))[1::stride]
        images, labels = [table.with_suffix("") / row[0] for row in rows], [int(row[1]) for row in rows]
        files, written = listed(images), fresh_file("labels.csv")
        written.write_text("file,label\n" + "".join(f'"{image}",{label}\n' for image, label in zip(images, labels)))
        return Samples(["--data", files], ["--eval", files, "--labels", written], lambda output: top1(output, labels))
    return samples


def occupancy(folder):
    """Every stride-th sample of a stack, with its packed bits."""
    @functools.cache
    def samples(stride):
        stack, bits = (numpy.load(folder / name)[::stride] for name in ("latents.npy", "occupancy_bits.npy"))
        path, truth = saved(stack, "latents.npy"), saved(bits, "occupancy_bits.npy")
        script = pathlib.Path(__file__).with_name("occupancy_iou.py")
        return Samples(["--data", path], ["--eval", path, "--metric-command", f"'{sys.executable}' '{script}' '{truth}'"],
                       lambda output: occupancy_iou(output, bits))
    return samples


def _scored(name, file, calibration, preprocess, evaluation, metric, **known):
    return Model(name, file, calibration, preprocess, evaluation, metric=metric, **known)


def _classifier(name, opset, images, preprocess, **known):
    return _scored(name, SHARED / f"models/{name}/model_opset{opset}.onnx", SHARED / f"images/{images}/calib", preprocess,
                   classification(SHARED / f"images/{images}/eval.csv"), "top-1", **known)


_SAMPLE, _UNET, _OCCUPANCY = (ROOT / "datasets/samples/shapes_unet", SHARED / "models/shapes_unet",
                              SHARED / "models/occupancy3d")
MODELS = {model.name: model for model in [
    _scored("sample", _SAMPLE / "model_opset13.onnx", _SAMPLE / "calib", IMAGENET, segmentation(_SAMPLE / "eval"), "mIoU"),
    _scored("shapes_unet", _UNET / "model_opset13.onnx", _UNET / "calib", IMAGENET, segmentation(_UNET / "eval"), "mIoU",
            fp32=0.9934, at_least=0.990),
    _scored("occupancy3d", _OCCUPANCY / "model_opset13.onnx", _OCCUPANCY / "calib", None, occupancy(_OCCUPANCY / "eval"),
            "IoU", fp32=0.9785, at_least=0.975),
    _classifier("cifar10_resnet18", 17, "cifar10", f"unit,{CIFAR}", fp32=0.8920, at_least=0.887),
    # .7890 and not .7900: our preprocessing resizes the 8-bit pixels.
    _classifier("cifar10_efficientnet_b0", 17, "cifar10", f"unit,resize=64x64,{CIFAR}", fp32=0.7890),
    _classifier("imagenet_mobilenetv2", 12, "imagenet", "imagenet-opencv", fp32=0.840, best_at_least=0.82),
    _classifier("imagenet_squeezenet1.1", 12, "imagenet", "imagenet-opencv", fp32=0.6375),
]}


def _first(folder, count):
    return functools.cache(lambda: Samples(["--data", listed(sorted((SHARED / folder).iterdir())[:count])]))


def _part(name, stride, file=None, **more):
    """A model with a score, or another file of the same network, on every stride-th evaluation sample."""
    model = MODELS[name]
    path = SHARED / f"models/{name}/{file}.onnx" if file else model.file
    return Model(f"{name}/{file}" if file else name, path, preprocess=model.preprocess,
                 samples=lambda: model.evaluation(stride), **more)


def _unscored(name, opset, preprocess, images, count):
    return Model(name, SHARED / f"models/{name}/model_opset{opset}.onnx", preprocess=preprocess,
                 samples=_first(f"images/{images}", count))


# Every model of the shared folder as it was exported, with real inputs.
FLOAT_MODELS = [
    _part("shapes_unet", 12),
    _part("shapes_unet", 12, "model_opset20_dynamo"),
    # Every intermediate value is rounded to 11 bits, by each program at other places.
    _part("shapes_unet", 12, "model_fp16_opset17", tolerance=2e-2),
    _part("occupancy3d", 24),
    _part("occupancy3d", 24, "model_opset20_dynamo"),
    _part("cifar10_resnet18", 63),
    _part("cifar10_efficientnet_b0", 63),
    _part("imagenet_mobilenetv2", 20),
    _part("imagenet_squeezenet1.1", 20),
    _unscored("coco_yolox_nano", 11, "yolox", "coco", 8),
    _unscored("face_rfb320", 9, "raw,mean=127/127/127,std=128/128/128", "faces", 8),
    _unscored("text_ppocrv3_det", 14, f"{IMAGENET},resize=640x480", "ocr", 3),
    _unscored("style_starry_night", 12, "raw", "coco", 2),
]


def exported_models():
    """Returns small networks as two exporters write them, with one stored sample each."""
    def samples_of(folder):
        return functools.cache(lambda: Samples(["--data", folder / "test_data_set_0"]))
    return [Model(f"exports/{path.parent.name}/{path.stem}", path, samples=samples_of(path.parent))
            for path in sorted((SHARED / "exports").glob("*/*.onnx"))]


def detector(name):
    calibration, evaluation = (SHARED / "images/bccd" / part for part in ("calib", "eval"))
    return Model(name, SHARED / f"models/{name}/model_opset17.onnx", calibration, "unit",
                 functools.cache(lambda stride: Samples(["--data", evaluation])),
                 functools.cache(lambda: Samples(["--data", calibration])))


@dataclasses.dataclass(frozen=True, eq=False)
class StackedModel(Model):
    """A model with one stack of samples for each input: {input: path}."""
    stacks: dict = None
    evaluation_stacks: dict = None

    @property
    def data(self):
        return sources(self.stacks)


def zoo_models():
    """Returns the networks of the shared folder's zoo."""
    found = []
    for folder in sorted((SHARED / "zoo").glob("*")):
        inputs = json.loads((folder / "inputs.json").read_text())["inputs"]
        calibration, evaluation = ({name: folder / f"{part}__{name}.npy" for name in inputs} for part in ("calib", "eval"))
        found.append(StackedModel(f"zoo/{folder.name}", folder / "model.onnx", stacks=calibration,
                                  evaluation_stacks=evaluation))
    return found


# The GPT of the shared folder, and its cross entropy in FP32 over the whole evaluation set in ONNX Runtime.
CHARS_GPT = Model("chars_gpt", SHARED / "models/chars_gpt/model_opset17.onnx", SHARED / "models/chars_gpt/calib_ids.npy")
KNOWN_NATS = 1.4204


def sequences(stride=1):
    """Returns the GPT's evaluation sequences, and the symbols that follow each of theirs."""
    symbols = numpy.load(SHARED / "models/chars_gpt/eval_ids.npy")[::stride]
    return symbols[:, :-1], symbols[:, 1:]
