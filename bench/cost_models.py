"""The models of compare_cost and sensitivity_cost."""

import atexit
import collections
import os
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
IMAGENET = "unit,mean=.485/.456/.406,std=.229/.224/.225"
CIFAR = "mean=.4914/.4822/.4465,std=.2470/.2435/.2616"

CostModel = collections.namedtuple("CostModel", "name file calibration evaluation preprocess judge")


def models_of():
    """Returns the bundled sample and, with the shared folder, more models."""
    shared = pathlib.Path(os.environ.get("DETENT_SHARED") or ROOT.parent / "shared")
    cifar = shared / "images/cifar10"

    def unet(name, folder):
        return CostModel(name, folder / "model_opset13.onnx", folder / "calib", folder / "eval/images", IMAGENET,
                         ["--masks", folder / "eval/masks"])

    def classifier(name, preprocess, judge):
        return CostModel(name, shared / f"models/{name}/model_opset17.onnx", cifar / "calib", cifar / "eval", preprocess, judge)
    found = [unet("sample", ROOT / "datasets/samples/shapes_unet"), unet("shapes_unet", shared / "models/shapes_unet"),
             classifier("cifar10_resnet18", f"unit,{CIFAR}", ["--labels", cifar / "eval.csv"]),
             classifier("cifar10_efficientnet_b0", f"unit,resize=64x64,{CIFAR}", [])]
    return [model for model in found if model.file.exists()]


def program_and_folder(text):
    """Returns the program of the command line, and a folder that is removed in the end."""
    if len(sys.argv) > 2:
        sys.exit(text)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="detent-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return (sys.argv[1:] or [ROOT / "build/release/detent"])[0], folder
