"""The calibration samples and the model as the peers take them."""

import pathlib

import numpy
import onnx
import onnx.version_converter


def samples(folder):
    """Yields {input: array} of each sample."""
    for path in sorted(pathlib.Path(folder).glob("*.npz")):
        with numpy.load(path) as arrays:
            yield {name: arrays[name] for name in arrays.files}


def raised(model):
    """Returns (the model with opset 13 at least, which scales per channel need; a note if it had less)."""
    opset = next(one.version for one in model.opset_import if one.domain in ("", "ai.onnx"))
    if opset >= 13:
        return model, ""
    return onnx.version_converter.convert_version(onnx.shape_inference.infer_shapes(model), 13), f"opset {opset} raised to 13"
