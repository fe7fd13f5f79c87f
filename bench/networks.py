"""Networks for the benches that lay what Detent says beside a truth, or compare targets: each is a model with its
samples, as options of `detent quantize`."""

import argparse
import dataclasses
import json
import pathlib
import sys
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[1]
IMAGENET = "mean=.485/.456/.406,std=.229/.224/.225"
CIFAR = "mean=.4914/.4822/.4465,std=.2470/.2435/.2616"


@dataclasses.dataclass
class Network:
    """options: of `detent quantize`. fitted: the limits of verdicts were fitted to it. judged: classified samples, for
    the noise of labels."""
    options: list
    fitted: bool = False
    judged: int = 0
    detector: bool = False

    @property
    def bounded(self):
        """Tells whether it has labels."""
        return bool({"--labels", "--masks", "--next-token", "--metric-command"} & set(map(str, self.options)))


def labelled(shared, folder):
    """Returns the networks whose score has a truth here, by name. shared: the folder of models and images; folder: for
    what is written."""
    models, images = shared / "models", shared / "images"

    def quarter(file):
        """Writes every fourth sample of a stack and returns the file."""
        part = folder / file.name
        numpy.save(part, numpy.load(file)[::4])
        return part

    def classifier(name, opset, kind, preprocess, calibrated, judged):
        return [models / name / f"model_opset{opset}.onnx", "--data", images / kind / "calib", "--limit", calibrated, "--eval",
                images / kind / "eval", "--eval-limit", judged, "--labels", images / kind / "eval.csv", "--preprocess",
                preprocess]

    unet, gpt, occupancy = (models / name for name in ("shapes_unet", "chars_gpt", "occupancy3d"))
    iou = f"'{sys.executable}' '{ROOT / 'tests/onnxruntime/occupancy_iou.py'}'"
    found = {
        "cifar10_efficientnet_b0": Network(
            classifier("cifar10_efficientnet_b0", 17, "cifar10", f"resize=64x64,div=255,{CIFAR}", 64, 500), True, 500),
        "imagenet_mobilenetv2": Network(
            classifier("imagenet_mobilenetv2", 12, "imagenet", "imagenet-opencv", 32, 200), True, 200),
        "occupancy3d": Network(
            [occupancy / "model_opset13.onnx", "--data", occupancy / "calib", "--limit", 16, "--eval",
             quarter(occupancy / "eval/latents.npy"), "--metric-command",
             f"{iou} '{quarter(occupancy / 'eval/occupancy_bits.npy')}'"], True),
        "cifar10_resnet18": Network(classifier("cifar10_resnet18", 17, "cifar10", f"resize=32x32,div=255,{CIFAR}", 64, 500), judged=500),
        "imagenet_squeezenet1.1": Network(
            classifier("imagenet_squeezenet1.1", 12, "imagenet", "imagenet-opencv", 32, 200), judged=200),
        "shapes_unet": Network(
            [unet / "model_opset13.onnx", "--data", unet / "calib", "--limit", 32, "--eval", unet / "eval/images",
             "--eval-limit", 48, "--masks", unet / "eval/masks", "--preprocess", f"resize=128x128,div=255,{IMAGENET}"]),
        "chars_gpt": Network([gpt / "model_opset17.onnx", "--data", gpt / "calib_ids.npy", "--limit", 32, "--eval",
                              gpt / "eval_ids.npy", "--eval-limit", 16, "--next-token"]),
    }
    for name in ("bccd_dfl", "bccd_nmsfree"):
        found[name] = Network([models / name / "model_opset17.onnx", "--data", images / "bccd/calib", "--eval",
                               images / "bccd/eval", "--labels", images / "bccd/eval_coco.json", "--preprocess", "unit"],
                              detector=True)
    return found


def unlabelled(shared):
    """Returns the networks without labels, by name. Exports have one stored sample, and random weights."""
    found = {name: Network([shared / f"models/{name}/model_opset{opset}.onnx", "--data", shared / "images" / images, "--limit",
                            limit, "--preprocess", preprocess]) for name, opset, images, limit, preprocess in (
        ("coco_yolox_nano", 11, "coco", 16, "yolox"),
        ("face_rfb320", 9, "faces", 8, "raw,mean=127/127/127,std=128/128/128"),
        ("text_ppocrv3_det", 14, "ocr", 4, f"unit,{IMAGENET},resize=320x320"),
        ("style_starry_night", 12, "coco", 2, "raw"))}
    for folder in sorted((shared / "zoo").glob("*")):
        inputs = json.loads((folder / "inputs.json").read_text())["inputs"]
        found[f"zoo/{folder.name}"] = Network(
            [folder / "model.onnx", *(word for option, part in (("--data", "calib"), ("--eval", "eval")) for name in inputs
                                      for word in (option, f"{name}={folder / f'{part}__{name}.npy'}"))])
    for file in sorted((shared / "exports").glob("*/*.onnx")):
        found[f"{file.parent.name}, {file.stem}"] = Network([file, "--data", file.parent / "test_data_set_0"])
    return found


def arguments(text, *more):
    """Returns the arguments DETENT SHARED, those in `more`, and NETWORK..., with what stands behind `--` as
    `options`."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("detent")
    parser.add_argument("shared", type=pathlib.Path)
    for name in more:
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("networks", nargs="*", metavar="NETWORK")
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    given = parser.parse_args(words[:at])
    given.options = words[at + 1:]
    if not (given.shared / "models/chars_gpt").is_dir():
        parser.error(f"no models in {given.shared}")
    return given


def scratch():
    """Returns a folder that is removed at the end of its block."""
    return tempfile.TemporaryDirectory(prefix="detent-bench-")


def print_row(*cells):
    print(f"| {' | '.join(str(cell) for cell in cells)} |", flush=True)


def print_header(*columns):
    print_row(*columns)
    print(f"|{' --- |' * len(columns)}")
