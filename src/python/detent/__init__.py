"""Post-training quantization of ONNX models, from Python.

    import detent
    report = detent.quantize("model.onnx", "model.int8.onnx", data=loader, progress=True)
    print(report.verdict, detent.lint("model.int8.onnx").findings)

Each command is a function with the command's options; `help(detent.quantize)` lists them.

Data. `data` and `eval` take
* the command's sources: "folder", "INPUT=folder", or a list of these;
* a numpy array for a model of one input, or a dict of arrays by input name. They are not copied. Axis 0 counts samples,
  or the input's batch axis, such as 1 for states [layers, batch, hidden]; `batch_axis={"h0": 1}` sets it, None means no
  batch axis;
* any other iterable: a list, a generator, a DataLoader of torch. An item is one sample or a batch: an array or tensor, a
  dict by input name, or a tuple in the order of the inputs. A tuple may have one part more, the labels: those of `eval`
  score a classifier (top-1) if they are class numbers, one for each sample, and `labels` or another metric is not given;
  others are not read. Detent goes over the data several times, so it reads an iterable once, into a temporary folder
  (TMPDIR), and not into memory. It stops at `limit`, so that an iterable may be endless. A generator serves for one call.

Models. `model` is a path, the bytes of a file, or a ModelProto of onnx; one beyond 2 GB has to be a file.

Calibrators. `calibrator`, and an item of `calibrators`, may be a function of yours: `calibrator(counts, edges)` gets the
histogram of a value as numpy.histogram returns it, and returns amax, or the pair (smallest, largest). It is asked for each
value that is not all zero, and known by its name, which the report and the file then have.

Judging. `evaluate(outputs, index)` scores one sample, for `max_drop` and `compare`: `outputs` has the arrays of a
model's outputs by name, without the batch axis, and `index` counts the samples of `eval` from 0 on. An output whose
shape differs among samples, such as boxes, is as the model gives it, and a sequence is a list.

Reports are the documents of the command's --json, whose members are attributes too: report.verdict, report["verdict"].
`print(report)` prints the text of the command. In a notebook reports are shown as the page of --html;
`report.to_html()` returns it. A check that the command line exits 1
for raises nothing: it is a warning and the text in `report.failure`, and `report.raise_for_failure()` raises it.

Options about printed text and about files of the report (--json, --html, --all, --top) have no counterpart. With
`stop_after` quantize returns the plan, or None for the other stages.

`progress=True` draws bars with tqdm, or prints lines without it; `progress(task, done, total)` is called with progress; total 0 means unknown.
`max_memory` and `allow_external` hold for the process from then on.
"""

import contextlib as _contextlib
import functools as _functools
import inspect as _inspect
import json as _json
import os as _os
import tempfile as _tempfile
import warnings as _warnings

from . import _detent
from ._data import in_words as _in_words, prepare as _prepare, stored_model as _stored_model
from ._detent import Error
from ._progress import shown as _shown
from ._report import Report, with_pages as _with_pages
from ._words import in_python as _in_python

version = _detent.version
__version__ = version()


def _metric(evaluate):
    """Returns a function of the files of a model's outputs: the mean of evaluate(outputs, index)."""
    import numpy

    def samples_of(path):
        if not _os.path.isdir(path):
            return numpy.load(path, mmap_mode="r")
        samples = {}
        for name in sorted(_os.listdir(path)):  # 000012.npy, or 000012_0.npy and so on of a sequence
            number, _, element = name.removesuffix(".npy").partition("_")
            array = numpy.load(_os.path.join(path, name))
            samples.setdefault(number, []).append(array) if element else samples.update({number: array})
        return list(samples.values())

    def judge(files):
        outputs = {name: samples_of(path) for name, path in files.items()}
        count = max(len(samples) for samples in outputs.values())
        scores = (
            float(evaluate({name: samples[i * len(samples) // count] for name, samples in outputs.items()}, i))
            for i in range(count)
        )
        return sum(scores) / count

    return judge


def _own_calibrators(given):
    """Replaces functions in `calibrator` and `calibrators` by their names; returns them by name."""
    own = {}

    def name_of(one):
        if not callable(one):
            return one
        name = getattr(one, "__name__", type(one).__name__).strip("<>")
        while own.setdefault(name, one) is not one:
            name += "_"
        return name

    if callable(given.get("calibrator")):
        given["calibrator"] = name_of(given["calibrator"])
    if isinstance(given.get("calibrators"), (list, tuple)):
        given["calibrators"] = [name_of(one) for one in given["calibrators"]]
    return own


def _raise_in_words(error):
    """Raises the error with arguments of Python in place of options, and with its hint in its text."""
    error.hint = _in_python(error.hint)
    text = _in_python(_in_words(str(error)))
    error.args = (f"{text}\nhint: {error.hint}" if error.hint else text,)
    raise error


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


_MODELS = {"model", "file"}  # arguments that are models; `file` is that of inspect
# Options that say what a score is.
_METRICS = {"labels", "masks", "next_token", "transcripts", "metric_command", "evaluate"}


def _classifies(model, labels):
    """Returns True where one output of the model has a score for each class of the labels."""
    outputs = globals()["inspect"](model)["outputs"]
    shapes = [[size for at, size in enumerate(value["shape"] or []) if at < 2 or size != 1] for value in outputs]
    return any(len(shape) == 2 and (shape[1] < 0 or shape[1] > labels.largest) for shape in shapes)


def _function(name, summary, options):
    run, signature = getattr(_detent, name), _signature(options)

    def command(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        with _contextlib.ExitStack() as held:
            if isinstance(given.get("progress"), bool):
                given["progress"] = held.enter_context(_contextlib.closing(_shown())) if given["progress"] else None
            folder = _functools.cache(lambda: held.enter_context(_tempfile.TemporaryDirectory(prefix="detent-")))
            inputs = _functools.cache(lambda: globals()["inspect"](given.get("pipeline") or given["model"])["inputs"])
            for name in _MODELS & given.keys():
                given[name] = _stored_model(given[name], folder)
            for use in ("data", "eval"):
                if given.get(use) is not None:
                    given[use], labels = _prepare(given[use], use, inputs, folder, dict(given), given.get("progress"))
                    if labels and use == "eval" and "labels" in signature.parameters and not _METRICS & given.keys():
                        given["labels"] = labels if _classifies(given["model"], labels) else None
            if given.get("evaluate") is not None:
                if given.get("eval_limit") is not None or given.get("skip_bad_data"):
                    raise ValueError("evaluate counts the samples of eval: it goes with neither eval_limit nor skip_bad_data")
                given["evaluate"] = _metric(given["evaluate"])
            try:
                given["own_calibrators"] = _own_calibrators(given)
                document, text, warnings, failed, pages = run(**given)
            except Error as error:
                _raise_in_words(error)
        failed = failed and tuple(map(_in_python, failed))
        for warning in [*map(_in_python, warnings), *(failed or ())[:1]]:
            _warnings.warn(warning, stacklevel=2)
        report = _json.loads(document, object_hook=Report)
        return report and _with_pages(report, failed, pages, text)

    command.__name__ = command.__qualname__ = name
    command.__signature__ = signature
    command.__doc__ = f"{summary}.\n\n" + "\n".join(f"{option}: {text}" for option, _, _, text in options)
    return command


for _name, _command in _detent.commands.items():
    globals()[_name] = _function(_name, *_command)

__all__ = ["Error", "Report", "version", *_detent.commands]
