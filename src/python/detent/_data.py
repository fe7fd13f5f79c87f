"""Samples from Python: arrays as they are, and any other iterable through files that last as long as the call."""

import operator as _operator
import os as _os
import pathlib as _pathlib
import re as _re
import shutil as _shutil
from collections.abc import Iterable as _Iterable, Mapping as _Mapping

# The part of the temporary folder's free space that samples of iterables may take.
_DISK_SHARE = 0.9


def is_array(data):
    return any(hasattr(data, name) for name in ("__array_interface__", "__array__", "__dlpack__"))


def plain(data, name):
    """Returns the array C-contiguous, aligned and in this machine's byte order, without a copy if possible."""
    import numpy

    if numpy.ma.is_masked(data):
        raise ValueError(f"{name}: masked elements have no value; give the array's filled()")
    if hasattr(data, "detach"):  # a tensor of torch that a gradient is computed for
        data = data.detach()
    if hasattr(data, "__dlpack__") and not hasattr(data, "__array__"):
        data = numpy.from_dlpack(data)
    array = numpy.asarray(data)
    if array.dtype.kind not in "biufcV":
        raise TypeError(f"{name}: {type(data).__name__} is no array of numbers")
    return numpy.require(array, array.dtype.newbyteorder("="), ["C_CONTIGUOUS", "ALIGNED"])


def _by_input(data, names, where):
    """Returns the arrays of a dict in the order of the model's inputs."""
    missing = [name for name in names if name not in data]
    unknown = [name for name in data if name not in names]
    if missing or unknown:
        raise ValueError(f"{where}: the model's inputs are {names}; missing {missing}, unknown {unknown}")
    return [plain(data[name], where) for name in names]


def _arrays_of(item, names, where):
    """Returns the arrays of an item of an iterable in the order of the model's inputs."""
    if isinstance(item, _Mapping):
        return _by_input(item, names, where)
    if isinstance(item, (tuple, list)) and item and all(is_array(part) for part in item):
        # An item (images, labels) of a training set: labels are not read.
        if len(item) not in (len(names), len(names) + 1):
            raise ValueError(f"{where} holds {len(item)} arrays, the model's inputs are {names}")
        return [plain(part, where) for part in item[: len(names)]]
    if len(names) != 1:
        raise ValueError(f"{where} is one array, the model's inputs are {names}: give a tuple or a dict")
    return [plain(item, where)]


class _Labels(str):
    """The path of a file of labels, and the largest of them."""

    largest = 0


def _labels_of(item, names, count):
    """Returns the class numbers behind the inputs of an item, one for each sample; None without them."""
    import numpy

    if not isinstance(item, (tuple, list)) or len(item) != len(names) + 1 or not all(is_array(one) for one in item):
        return None
    labels = numpy.asarray(item[-1].detach() if hasattr(item[-1], "detach") else item[-1])
    plain_numbers = labels.dtype.kind in "iu" and labels.size == count and labels.ndim <= 1
    return labels.reshape(-1).tolist() if plain_numbers and labels.min() >= 0 else None


def _write_labels(rows, path):
    """Writes --labels of [(file, row of the file or None, label)]; returns None where samples lack one."""
    if not rows or any(label is None for *_, label in rows):
        return None
    lines = [f"{file}{'' if row is None else f'[{row}]'},{label}\n" for file, row, label in rows]
    path.write_text("file,label\n" + "".join(lines))
    written = _Labels(path)
    written.largest = max(label for *_, label in rows)
    return written


def _count(array, spec, batch_axis):
    """Returns how many samples an array surely holds."""
    axis = batch_axis.get(spec["name"], 0)
    shape = spec["shape"]
    if axis is None or shape is None or array.ndim != len(shape) or not 0 <= axis < array.ndim or shape[axis] > 1:
        return 1
    return array.shape[axis]


def _read_inputs(item, inputs, given):
    """Returns the inputs that the samples hold. A state feeds the others, so a dict may leave these out."""
    if not (given.get("state") or given.get("pipeline")) or not isinstance(item, _Mapping):
        return inputs
    known = [value for value in inputs if value["name"] in item]
    return known if len(known) == len(item) > 0 else inputs


def _sources(items, use, inputs, folder, given, tell):
    """Writes the items of an iterable below the folder, a file for each item and input; returns the sources, and the path
    of their labels or None."""
    import numpy

    names, folders = [], []
    total = _operator.length_hint(items)
    # Other choices of samples need all of them first.
    wanted = given.get("limit") if use == "data" and given.get("shuffle") is None else None
    left = _shutil.disk_usage(folder).free * _DISK_SHARE
    samples, labelled = 0, []
    for number, item in enumerate(items, 1):
        if not folders:
            inputs = _read_inputs(item, inputs, given)
            names = [value["name"] for value in inputs]
            folders = [_pathlib.Path(folder, use, str(i)) for i in range(len(names))]
            for one in folders:
                one.mkdir(parents=True)
        arrays = _arrays_of(item, names, f"{use}, item {number}")
        left -= sum(array.nbytes for array in arrays)
        if left < 0:
            raise OSError(
                f"{use}: after {samples} samples the folder for temporary files is almost full: set limit, "
                "or the environment variable TMPDIR to a folder with more space"
            )
        for array, one in zip(arrays, folders):
            numpy.save(one / f"item {number}.npy", array, allow_pickle=False)
        count = _count(arrays[0], inputs[0], given.get("batch_axis") or {})
        samples += count
        for row, label in enumerate(_labels_of(item, names, count) or [None]):
            labelled.append((f"item {number}.npy", row if count > 1 else None, label))
        if tell:
            tell(f"reading {use}", number, total)
        if wanted is not None and samples >= wanted:
            break
    if samples == 0:
        raise ValueError(
            f"{use} gave no sample. A generator can be read once: make it anew for each call and each use, or give "
            "what can be read again, such as a list or a DataLoader"
        )
    sources = [f"{name}={one}" for name, one in zip(names, folders)]
    return sources, _write_labels(labelled, _pathlib.Path(folder, f"{use} labels.csv"))


def stored_model(model, folder):
    """Returns the path of a model, which is written below the folder if it is bytes or a ModelProto."""
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if not isinstance(model, (bytes, bytearray, memoryview)):
        return model
    path = _pathlib.Path(folder(), "model.onnx")
    path.write_bytes(model)
    return path


def in_words(text):
    """Returns a text with "data, item 3" in place of that item's file."""
    return _re.sub(r"\S*/(data|eval)/\d+/(item \d+)\.npy", r"\1, \2", text)


def prepare(data, use, inputs_of, folder, given, tell):
    """Returns a list of sources, or a tuple of arrays in the order of the model's inputs; and the path of labels, or None.

    use        "data" or "eval"
    inputs_of  returns the inputs of the model
    folder     returns a folder for files that are needed until the end of the call
    given      the call's options
    tell       progress function, or None
    """
    if isinstance(data, (str, _os.PathLike)):
        return [_os.fspath(data)], None
    if is_array(data):
        return (plain(data, use),), None
    if isinstance(data, _Mapping):
        if len(_read_inputs(data, inputs_of(), given)) < len(inputs_of()):
            return _sources([data], use, inputs_of(), folder(), given, tell)
        return tuple(_by_input(data, [value["name"] for value in inputs_of()], use)), None
    if isinstance(data, (list, tuple)) and data and all(isinstance(one, (str, _os.PathLike)) for one in data):
        return [_os.fspath(source) for source in data], None
    if not isinstance(data, _Iterable) and not hasattr(data, "__getitem__"):
        raise TypeError(f"{use}: {type(data).__name__} is neither a source, an array, a dict of arrays nor iterable")
    return _sources(data, use, inputs_of(), folder(), given, tell)
