#!/usr/bin/env python3
"""Compares --preprocess with Pillow and torchvision's arithmetic, pixel by pixel. Needs Pillow, NumPy and onnx.

  python3 bench/preprocess_vs_pillow.py DETENT FOLDER...

Prints for each preprocessing the share of equal pixels, of pixels within one level, and the mean difference in levels,
over the photographs of the folders, over made pictures of 3840x2160, and over JPEGs of 12 megapixels made of the first
photographs with grain. Exits 1 where less than 99.9 % of the pixels lie within one level.
"""
import glob
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper
from PIL import Image, ImageOps


def torchvision_image(image, side, crop, kernel):
    """transforms.Resize(side) and CenterCrop(crop)."""
    width, height = image.size
    longer = int(side * max(width, height) / min(width, height))
    image = image.resize((side, longer) if width <= height else (longer, side), kernel)
    top, left = (round((length - crop) / 2.0) for length in (image.size[1], image.size[0]))
    return image.crop((left, top, left + crop, top + crop))


PLAIN = ",div=1,mean=0,std=1"
CASES = {
    "imagenet": ("imagenet" + PLAIN, (224, 224), lambda image: torchvision_image(image, 256, 224, Image.BILINEAR)),
    "timm": ("timm" + PLAIN, (224, 224), lambda image: torchvision_image(image, 256, 224, Image.BICUBIC)),
    "raw,resize=160x192,interp=pil-bilinear": ("raw,resize=160x192,interp=pil-bilinear", (160, 192),
                                               lambda image: image.resize((192, 160), Image.BILINEAR)),
}
# OpenCV on the same images, for comparison; without a bound.
OPENCV = {"imagenet-opencv": ("imagenet-opencv" + PLAIN, (224, 224), CASES["imagenet"][2])}


def identity(file, size):
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 3, *size]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "identity", values[:1], values[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), file)


def made_pictures(folder, photographs):
    """Writes pictures of 4K and of 12 megapixels; returns their files."""
    random = np.random.default_rng(1)
    y, x = np.mgrid[0:2160, 0:3840]
    waves = np.stack([127 + 127 * np.sin(x * y / 9e4), 127 + 127 * np.cos((x - 1000) ** 2 / 8e4), (x * 3 + y * 7) % 256], -1)
    noisy = waves + random.normal(0, 12, waves.shape)
    Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(f"{folder}/waves.png", compress_level=1)
    large = []
    for i, file in enumerate(photographs[:6]):
        image = Image.open(file).convert("RGB").resize((4032, 3024) if i % 2 else (3024, 4032), Image.BICUBIC)
        grain = np.asarray(image, np.float32) + random.normal(0, 6, (image.size[1], image.size[0], 3))
        large.append(f"{folder}/large_{i}.jpg")
        Image.fromarray(grain.clip(0, 255).astype(np.uint8)).save(large[-1], quality=92)
    return [f"{folder}/waves.png"], large


def compare(detent, files, work, spec, size, wanted):
    """Returns the shares of equal pixels and of those within a level, and the mean difference."""
    identity(f"{work}/identity.onnx", size)
    with open(f"{work}/list.txt", "w") as out:
        out.writelines(os.path.abspath(file) + "\n" for file in files)
    subprocess.run([detent, "run", f"{work}/identity.onnx", "--data", f"{work}/list.txt", "--preprocess", spec, "-o",
                    f"{work}/out", "--quiet", "--overwrite"], check=True, stdout=subprocess.DEVNULL)
    got = np.load(f"{work}/out/y.npy")
    differences = []
    for found, file in zip(got, files):
        image = ImageOps.exif_transpose(Image.open(file)).convert("RGB")
        differences.append(np.abs(found - np.asarray(wanted(image), np.float32).transpose(2, 0, 1)))
    all_of = np.stack(differences)
    return (all_of == 0).mean(), (all_of <= 1).mean(), all_of.mean()


def main():
    detent, folders = sys.argv[1], sys.argv[2:]
    photographs = sorted(file for folder in folders for file in glob.glob(f"{folder}/**/*", recursive=True)
                         if file.lower().endswith((".jpg", ".jpeg", ".png")))
    failed = False
    print("| preprocessing | pictures | equal | within one level | mean difference |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as work:
        waves, large = made_pictures(work, photographs)
        for kind, files in ((f"{len(photographs)} photographs", photographs), ("4K", waves), ("12-megapixel JPEGs", large)):
            for name, case in (CASES | OPENCV).items():
                equal, near, mean = compare(detent, files, work, *case)
                print(f"| {name} | {kind} | {100 * equal:.3f} % | {100 * near:.4f} % | {mean:.3f} |", flush=True)
                failed |= name in CASES and near < 0.999
    sys.exit(int(failed))


main()
