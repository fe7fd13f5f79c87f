"""The models that engines judge: their files, and where their samples come from."""

import os
import pathlib
import sys

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("DETENT_SHARED") or ROOT.parent / "shared")

CIFAR = "mean=.4914/.4822/.4465,std=.2470/.2435/.2616"
IMAGENET = "mean=.485/.456/.406,std=.229/.224/.225"

# Beginning of the name: samples to calibrate with, samples whose first is judged, preprocessing. The first row that
# fits holds; {folder} is the model's, {samples} the network's of scripts/showcase. A model without a row has its data
# beside it (data_beside).
RECIPES = [
    ("sample/shapes_unet", "{folder}/calib", "{folder}/eval/images", f"unit,{IMAGENET}"),
    ("models/shapes_unet", "{folder}/calib", "{folder}/eval/images", f"unit,{IMAGENET}"),
    ("models/occupancy3d", "{folder}/calib", "{folder}/eval/latents.npy", None),
    ("models/cifar10_efficientnet_b0", "{images}/cifar10/calib", "{images}/cifar10/eval", f"unit,resize=64x64,{CIFAR}"),
    ("models/cifar10_", "{images}/cifar10/calib", "{images}/cifar10/eval", f"unit,{CIFAR}"),
    ("models/imagenet_", "{images}/imagenet/calib", "{images}/imagenet/eval", "imagenet"),
    ("models/bccd_", "{images}/bccd/calib", "{images}/bccd/eval", "unit"),
    ("models/coco_yolox_nano", "{images}/coco", "{images}/coco", "yolox"),
    ("models/face_rfb320", "{images}/faces", "{images}/faces", "raw,mean=127/127/127,std=128/128/128"),
    ("models/style_starry_night", "{images}/coco", "{images}/coco", "raw"),
    ("models/text_ppocrv3_det", "{images}/ocr", "{images}/ocr", f"unit,{IMAGENET},resize=320x320"),
    ("showcase/", "{samples}/calib", "{samples}/test", None),
    ("models/chars_gpt", "{folder}/calib_ids.npy", "{folder}/eval_ids.npy", None),
]
RANDOM_SAMPLES = 16


class Model:
    """A float model: name (as in expected.json), path, and the options that name its samples."""

    def __init__(self, name, path, samples=None):
        self.name, self.path, self.samples = name, path, samples

    def data(self, inputs):
        """Returns (options to calibrate with, options whose first sample is judged); inputs: {name: rank}."""
        for start, calibration, judged, preprocess in RECIPES:
            if self.name.startswith(start):
                more = [f"--preprocess={preprocess}"] if preprocess else []
                return tuple([f"--data={source.format(folder=self.path.parent, images=SHARED / 'images', samples=self.samples)}", *more]
                             for source in (calibration, judged))
        return self._data_beside(inputs)

    def _data_beside(self, inputs):
        folder = self.path.parent
        if (folder / "test_data_set_0").is_dir():
            options = [f"--data={folder / 'test_data_set_0'}"]
            return options, options
        if all((folder / f"calib__{name}.npy").exists() for name in inputs):
            calibration, judged = ([f"--data={name}={folder / f'{part}__{name}.npy'}" for name in inputs]
                                   for part in ("calib", "eval"))
            return calibration, judged + self._batch_axes(inputs)
        return tuple([f"--data={name}=random:normal,n={count},seed={seed}" for name in inputs]
                     for count, seed in ((RANDOM_SAMPLES, 1), (1, 2)))

    def _batch_axes(self, inputs):
        """Returns options that say whether axis 0 of each input counts samples. In the whole model the program sees it;
        in the Identity that writes the sample it cannot."""
        def stacked_rank(name):
            with open(self.path.parent / f"eval__{name}.npy", "rb") as file:
                numpy.lib.format.read_magic(file)
                return len(numpy.lib.format.read_array_header_1_0(file)[0])
        return [f"--batch-axis={name}={'none' if stacked_rank(name) > rank else 0}" for name, rank in inputs.items()]


def all_models():
    """Returns every model that is there: the sample and the networks beside this file, then the shared folder's."""
    found = [Model("sample/shapes_unet", ROOT / "datasets/samples/shapes_unet/model_opset13.onnx")]
    places = [("networks", pathlib.Path(__file__).parent / "networks")]
    places += [(kind, SHARED / kind) for kind in ("exports", "zoo", "models")]
    for kind, folder in places:
        for path in sorted(folder.glob("*/*.onnx")):
            found.append(Model(f"{kind}/{path.parent.name}/{path.stem}", path))
    return [model for model in found if model.path.exists()]


def showcase_models(folder):
    """Returns the networks of scripts/showcase, beside those of the shared folder, whose samples a run left in a folder."""
    sys.path.insert(0, str(ROOT / "bench/showcase"))
    import networks  # noqa: PLC0415
    import sources  # noqa: PLC0415
    found = []
    for network in networks.NETWORKS:
        samples = folder / "samples" / network.name
        if network.where[0] != "shared" and samples.is_dir():
            path = sources.fetch(network.where, folder / "downloads", lambda _: sys.executable)
            found.append(Model(f"showcase/{network.name}", pathlib.Path(path), samples))
    return found
