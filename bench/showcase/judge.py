"""judge.py JOB.json: runs a file of a tool, or the float model, on the test samples in ONNX Runtime, and prints a JSON
line with dB, score and size. The float model's outputs are kept beside the samples: {"model", "samples", "score", "float"}."""

import json
import os
import pathlib
import sys

import numpy
import onnxruntime

import scores


def run(model, folder, threads):
    """Returns [{output: array}] of all test samples. Attention masks are kept with the outputs, for pooling."""
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.log_severity_level = threads, 3
    session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    names, found = [value.name for value in session.get_outputs()], []
    for path in sorted((folder / "test").glob("*.npz")):
        with numpy.load(path) as sample:
            feed = {value.name: sample[value.name] for value in session.get_inputs()}
            found.append(dict(zip(names, session.run(None, feed))))
            found[-1].update({name: sample[name] for name in sample.files if name == "attention_mask"})
    return found


def sqnr(outputs, floats):
    """Returns the dB of the worst float output: its energy in all samples over that of the difference. Padding of token
    ids does not count."""
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


def size_of(model):
    path = pathlib.Path(model)
    beside = [other for other in path.parent.glob(f"{path.name}*") if other != path]
    return sum(other.stat().st_size for other in (path, *beside))


def main():
    job = json.loads(pathlib.Path(sys.argv[1]).read_text())
    folder, kept = pathlib.Path(job["samples"]), pathlib.Path(job["samples"]) / "float.npz"
    outputs = run(job["model"], folder, job["threads"])
    if job["float"] or not kept.exists():
        floats = outputs if job["float"] else run(job["float_model"], folder, job["threads"])
        numpy.savez(kept, **{f"{i:04} {name}": array for i, row in enumerate(floats) for name, array in row.items()})
    else:
        floats = [{} for _ in outputs]
        with numpy.load(kept) as arrays:
            for key in arrays.files:
                number, name = key.split(" ", 1)
                floats[int(number)][name] = arrays[key]
    answer = {"sqnr_db": sqnr(outputs, floats) if job["numbers"] and not job["float"] else None, "size": size_of(job["model"]),
              "test_samples": len(outputs), "engine": f"ONNX Runtime {onnxruntime.__version__}"}
    if job["score"]:
        name, more = job["score"]
        if name == "line_errors":  # a tool's file may lack the metadata
            metadata = onnxruntime.InferenceSession(job["float_model"]).get_modelmeta().custom_metadata_map
            more = {"tokens": ["", *metadata["character"].splitlines(), " "]}
        value = getattr(scores, name)(outputs, floats, json.loads((folder / "truths.json").read_text()), **more)
        answer["score"] = round(float(value), 2)
    print(json.dumps(answer))


os.environ.setdefault("OMP_NUM_THREADS", "1")
main()
