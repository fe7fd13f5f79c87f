"""The calibration samples as the peers take them."""

import pathlib

import numpy


def samples(folder):
    """Yields {input: array} of each sample."""
    for path in sorted(pathlib.Path(folder).glob("*.npz")):
        with numpy.load(path) as arrays:
            yield {name: arrays[name] for name in arrays.files}
