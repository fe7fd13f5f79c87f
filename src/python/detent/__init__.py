"""Post-training quantization of ONNX models, from Python.

    import detent
    report = detent.quantize("model.onnx", "model.int8.onnx", data=images)      # a numpy array [N, 3, H, W]
    print(report["verdict"], detent.lint("model.int8.onnx")["findings"])

Reports are the documents of the command's --json. `data` and `eval` are what the command takes ("folder", "INPUT=folder", a list of
these), a numpy array for a model of one input, or a dict of arrays by input name. Arrays are held against the model's shape as those of
.npy files are: axis 0 counts samples, or the input's batch axis, such as 1 for states [layers, batch, hidden]; `batch_axis={"h0": 1}`
names it where the model does not tell, None where there is none.
"""

import json as _json
import os as _os
import warnings as _warnings

from . import _detent
from ._detent import Error

__all__ = ["Error", "calibrate", "compare", "inspect", "lint", "quantize", "version"]

version = _detent.version
__version__ = version()


def _is_array(data):
    return hasattr(data, "__array_interface__") or hasattr(data, "__array__")


def _plain(data, name):
    """The array C-contiguous, aligned and in this machine's byte order; the same one where it is."""
    import numpy

    if numpy.ma.is_masked(data):
        raise ValueError(f"{name}: masked elements have no value; give the array's filled()")
    array = numpy.asarray(data)
    return numpy.require(array, array.dtype.newbyteorder("="), ["C_CONTIGUOUS", "ALIGNED"])


def _arrays(data, model):
    """Arrays in the order of the model's inputs, beside each other."""
    if _is_array(data):
        return [_plain(data, "data")]
    names = [value["name"] for value in inspect(model)["inputs"]]
    missing = [name for name in names if name not in data]
    unknown = [name for name in data if name not in names]
    if missing or unknown:
        raise ValueError(f"data: the model's inputs are {names}; missing {missing}, unknown {unknown}")
    return [_plain(data[name], name) for name in names]


def _data(data, model, preprocess=None, limit=None, shuffle=None, batch_axis=None):
    form = {name: value for name, value in (("preprocess", preprocess), ("limit", limit), ("shuffle", shuffle)) if value is not None}
    if batch_axis is not None:
        form["batch_axes"] = [f"{name}={'none' if axis is None else axis}" for name, axis in batch_axis.items()]
    if data is None:
        return form  # refused where it cannot apply to anything
    if isinstance(data, (str, _os.PathLike)):
        form["sources"] = [_os.fspath(data)]
    elif _is_array(data) or isinstance(data, dict):
        form["arrays"] = _arrays(data, model)
    else:
        form["sources"] = [_os.fspath(source) for source in data]
    return form


def _report(answer):
    text, warnings = answer
    for warning in warnings:
        _warnings.warn(warning, stacklevel=3)
    return _json.loads(text)


def quantize(
    model, output, data=None, *, preprocess=None, limit=None, shuffle=None, batch_axis=None, eval=None, eval_limit=None, **options
):
    """Calibrates `model` and writes it with Q/DQ pairs to `output`.

    Options, named as on the command line: table, calibrator, override, target, type, accuracy, outliers, equalize, bias_correction,
    max_drop, min_sqnr, labels, masks, next_token, include, exclude, include_op, exclude_op, float_type, cpu, overwrite, threads, progress.
    `progress(task, done, total)` is called now and then; total 0 is not known.
    """
    return _report(
        _detent.quantize(
            model,
            output,
            data=_data(data, model, preprocess, limit, shuffle, batch_axis),
            eval=_data(eval, model, preprocess, eval_limit, batch_axis=batch_axis),
            **options,
        )
    )


def calibrate(model, output, data, *, preprocess=None, limit=None, shuffle=None, batch_axis=None, **options):
    """Measures `model` over `data` and keeps the histograms as a table at `output`, from which quantize(table=...) takes ranges.

    Options: targets, type, equalize, include, exclude, include_op, exclude_op, resume, overwrite, threads, progress.
    """
    return _report(_detent.calibrate(model, output, data=_data(data, model, preprocess, limit, shuffle, batch_axis), **options))


def compare(model, data, *, preprocess=None, limit=None, shuffle=None, batch_axis=None, eval=None, eval_limit=None, **options):
    """Quantizes `model` with several calibrators and judges them on `eval`; without it on `data`.

    Options: calibrators, target, type, outliers, equalize, labels, masks, next_token, include, exclude, include_op, exclude_op, cpu, threads,
    progress.
    """
    return _report(
        _detent.compare(
            model,
            data=_data(data, model, preprocess, limit, shuffle, batch_axis),
            eval=_data(eval, model, preprocess, eval_limit, batch_axis=batch_axis),
            **options,
        )
    )


def lint(model, *, target="tensorrt", data=None, preprocess=None, batch_axis=None, **options):
    """Says what of a Q/DQ model runs in INT8, what does not, and why. Options: shapes, threads, progress."""
    return _report(_detent.lint(model, target=target, data=_data(data, model, preprocess, batch_axis=batch_axis), **options))


def inspect(file):
    """What a model or a calibration table holds."""
    return _json.loads(_detent.inspect(file))
