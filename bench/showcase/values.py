"""dB of outputs on the test samples: what judge.py (ONNX Runtime) and timing.py (OpenVINO) share."""

import numpy


def test_samples(folder):
    """Yields {input: array} of each test sample."""
    for path in sorted((folder / "test").glob("*.npz")):
        with numpy.load(path) as sample:
            yield {name: sample[name] for name in sample.files}


def keep_floats(path, outputs):
    numpy.savez(path, **{f"{i:04} {name}": array for i, row in enumerate(outputs) for name, array in row.items()})


def kept_floats(path):
    """Returns [{output: array}] of the float model, attention masks with them."""
    floats = []
    with numpy.load(path) as arrays:
        for key in sorted(arrays.files):
            number, name = key.split(" ", 1)
            if int(number) == len(floats):
                floats.append({})
            floats[-1][name] = arrays[key]
    return floats


def sqnr(outputs, floats):
    """Returns the dB of the worst float output: its energy in all samples over that of the difference. Padding of token
    ids does not count. None without a float output."""
    worst = None
    for name, array in floats[0].items():
        if array.dtype.kind != "f":
            continue
        signal = noise = 0.0
        for ours, theirs in zip(outputs, floats):
            truth, told = (side[name].astype(numpy.float64) for side in (theirs, ours))
            mask = theirs.get("attention_mask")
            if mask is not None and truth.ndim == 3 and truth.shape[:2] == mask.shape:
                truth, told = truth[mask > 0], told[mask > 0]
            signal, noise = signal + (truth ** 2).sum(), noise + ((told - truth) ** 2).sum()
        decibels = 10 * numpy.log10(signal / noise) if signal > 0 and noise > 0 else 200.0  # equal bits
        worst = decibels if worst is None else min(worst, decibels)
    return None if worst is None else round(float(worst), 2)
