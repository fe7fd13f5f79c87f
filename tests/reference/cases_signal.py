"""DFT, STFT and window functions."""

import numpy as np

from cases import case


def dft(draw):
    for opset in (17, 20):
        for inverse in (0, 1):
            for complex_input in (1, 2):
                for axis in (1, -2, 2):
                    for length in (None, 4, 9):
                        x = draw.normal(2, 6, 5, complex_input)
                        size = None if length is None else np.array(length)
                        tag = f"dft_{opset}_{inverse}_{complex_input}_{axis}_{length}".replace("-", "m")
                        inputs = [x] + ([size] if length else [])
                        if opset == 20:
                            inputs = [x, size, np.array(axis)]
                            yield case(tag, "DFT", inputs, opset, inverse=inverse)
                        else:
                            yield case(tag, "DFT", inputs, opset, inverse=inverse, axis=axis)
        onesided = draw.normal(2, 7, 1)
        extra = {"axis": 1} if opset == 17 else {}
        inputs = [onesided] if opset == 17 else [onesided, None, np.array(1)]
        yield case(f"dft_{opset}_onesided", "DFT", inputs, opset, onesided=1, **extra)
        yield case(f"dft_{opset}_default_axis", "DFT", [draw.normal(2, 6, 5, 1)], opset)
    for length in (None, 5, 8, 9):
        half = draw.normal(2, 5, 2)
        yield case(f"dft_20_irfft_{length}", "DFT", [half, None if length is None else np.array(length), np.array(1)], 20, onesided=1, inverse=1)
    yield case("dft_double", "DFT", [draw.normal(1, 8, 1, dtype=np.float64), None, np.array(1)], 20)


def stft(draw):
    for onesided in (0, 1):
        for window in (False, True):
            for length in (False, True):
                x = draw.normal(2, 30, 1)
                inputs = [x, np.array(7), draw.uniform(0, 1, 8) if window else None, np.array(8) if length or not window else None]
                while inputs[-1] is None:
                    inputs.pop()
                yield case(f"stft_{onesided}_{window}_{length}", "STFT", inputs, 17, onesided=onesided)
    yield case("stft_complex", "STFT", [draw.normal(1, 20, 2), np.array(4), None, np.array(6)], 17, onesided=0)


def windows():
    for op in ("HannWindow", "HammingWindow", "BlackmanWindow"):
        for periodic in (0, 1):
            for size in (1, 2, 9):
                yield case(f"{op}_{periodic}_{size}", op, [np.array(size)], 17, periodic=periodic)
            yield case(f"{op}_{periodic}_double", op, [np.array(6)], 17, periodic=periodic, output_datatype=11)
    yield case("mel", "MelWeightMatrix", [np.array(8), np.array(32), np.array(8000), np.array(100.0, np.float32), np.array(3900.0, np.float32)], 17)


def cases(draw):
    yield from dft(draw)
    yield from stft(draw)
    yield from windows()
