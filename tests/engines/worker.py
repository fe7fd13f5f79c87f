"""worker.py ENGINE FLOAT.onnx QDQ.onnx FEED.npz LAYERS.json OUT.json

Runs one file in one engine, in a process that may crash or hang, and writes what it found."""

import importlib
import json
import pathlib
import sys

import measures
import numpy
import reference


def judge(engine_name, float_path, path, feed, layers):
    """Returns {failed, outputs, share, figures that the engine names} of one file."""
    engine = importlib.import_module(f"{engine_name}_engine")
    found = {"failed": {}, "outputs": [], "share": None}
    try:
        names, truth = reference.run(float_path, feed)
        _, simulated = reference.run(path, feed)
    except Exception as error:  # noqa: BLE001: any failure is the finding
        found["failed"]["reference"] = message_of(error)
        return found
    try:
        (outputs,), ran, left, *figures = engine.run(path, [feed], layers)
    except Exception as error:  # noqa: BLE001
        found["failed"]["loads"] = message_of(error)
        return found
    found["outputs"], found["failed"] = measures.check_outputs(names, truth, simulated, outputs,
                                                                getattr(engine, "LOSS_DB", measures.LOSS_DB))
    found["share"], more = measures.check_layers(layers, set(ran))
    found["failed"] |= more
    for more in figures:
        found |= more
    if left:
        found["failed"]["whole"] = "left to the CPU: " + ", ".join(left)
    return found


def message_of(error):
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 330 else f"{text[:160]} ... {text[-160:]}"  # the cause stands at either end


if __name__ == "__main__":
    _, engine_, float_, file_, feed_, layers_, out_ = sys.argv
    with numpy.load(feed_) as arrays:
        result = judge(engine_, float_, file_, dict(arrays.items()), json.loads(pathlib.Path(layers_).read_text()))
    pathlib.Path(out_).write_text(json.dumps(result))
