"""Post-training quantization of ONNX models, from Python.

    import detent
    report = detent.quantize("model.onnx", "model.int8.onnx", data=images)      # a numpy array [N, 3, H, W]
    print(report["verdict"], detent.lint("model.int8.onnx")["findings"])

Each command is a function with the command's options; `help(detent.quantize)` lists them. Reports are the documents of
the command's --json. `data` and `eval` take the command's sources ("folder", "INPUT=folder", a list of these), a numpy
array for a model of one input, or a dict of arrays by input name. Axis 0 of an array counts samples, or the input's
batch axis, such as 1 for states [layers, batch, hidden]; `batch_axis={"h0": 1}` sets it, None means no batch axis.
`progress(task, done, total)` reports progress; total 0 means unknown. `max_memory` and `allow_external` hold for the
process from then on.
"""

import inspect as _inspect
import json as _json
import os as _os
import warnings as _warnings

from . import _detent
from ._detent import Error

version = _detent.version
__version__ = version()


def _is_array(data):
    return hasattr(data, "__array_interface__") or hasattr(data, "__array__")


def _plain(data, name):
    """Returns the array C-contiguous, aligned and in this machine's byte order, without a copy if possible."""
    import numpy

    if numpy.ma.is_masked(data):
        raise ValueError(f"{name}: masked elements have no value; give the array's filled()")
    array = numpy.asarray(data)
    return numpy.require(array, array.dtype.newbyteorder("="), ["C_CONTIGUOUS", "ALIGNED"])


def _data(data, model):
    """Returns a list of sources, or a tuple of arrays in the order of the model's inputs."""
    if isinstance(data, (str, _os.PathLike)):
        return [_os.fspath(data)]
    if _is_array(data):
        return (_plain(data, "data"),)
    if not isinstance(data, dict):
        return [_os.fspath(source) for source in data]
    names = [value["name"] for value in globals()["inspect"](model)["inputs"]]
    missing = [name for name in names if name not in data]
    unknown = [name for name in data if name not in names]
    if missing or unknown:
        raise ValueError(f"data: the model's inputs are {names}; missing {missing}, unknown {unknown}")
    return tuple(_plain(data[name], name) for name in names)


def _signature(options):
    """Returns the signature: arguments, required options and `data` by position, `eval` and all others by name."""
    by_position = [name for name, _, required, _ in options if required and name != "eval"]
    if "output" in by_position and any(name == "data" for name, *_ in options) and "data" not in by_position:
        by_position.append("data")
    parameters = []
    for name, annotation, required, _ in sorted(options, key=lambda option: option[0] not in by_position):
        kind = _inspect.Parameter.POSITIONAL_OR_KEYWORD if name in by_position else _inspect.Parameter.KEYWORD_ONLY
        default = _inspect.Parameter.empty if required and name != "eval" else None
        parameters.append(_inspect.Parameter(name, kind, default=default, annotation=annotation))
    return _inspect.Signature(parameters)


def _function(name, summary, options):
    run, signature = getattr(_detent, name), _signature(options)

    def command(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        for use in ("data", "eval"):
            if given.get(use) is not None:
                given[use] = _data(given[use], given["model"])
        text, warnings = run(**given)
        for warning in warnings:
            _warnings.warn(warning, stacklevel=2)
        return _json.loads(text)

    command.__name__ = command.__qualname__ = name
    command.__signature__ = signature
    command.__doc__ = f"{summary}.\n\n" + "\n".join(f"{option}: {text}" for option, _, _, text in options)
    return command


for _name, _command in _detent.commands.items():
    globals()[_name] = _function(_name, *_command)

__all__ = ["Error", "version", *_detent.commands]
