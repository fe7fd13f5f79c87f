"""The bundled sample, and noise to feed it."""

import pathlib
import sys

try:
    import numpy
except ImportError:
    print(f"{sys.argv[0]} SKIPPED: python3-numpy is not installed")
    sys.exit(77)

SOURCE = pathlib.Path(sys.argv.pop(1))
SAMPLE = SOURCE / "datasets/samples/shapes_unet"
MODEL = SAMPLE / "model_opset13.onnx"
PREPROCESS = "imagenet,resize=128x128,crop=128"


def noise(samples=4, seed=1):
    return numpy.random.default_rng(seed).normal(size=(samples, 3, 128, 128)).astype(numpy.float32)
