"""judge.py JOB.json: runs a file of a tool, or the float model, on the test samples in ONNX Runtime, and prints a JSON
line with dB, score and size. The float model's outputs are kept beside the samples: {"model", "samples", "score", "float"}."""

import json
import os
import pathlib
import sys

import onnxruntime

import scores
import values


def run(model, folder, threads):
    """Returns [{output: array}] of all test samples. Attention masks are kept with the outputs, for pooling."""
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.log_severity_level = threads, 3
    session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    names, found = [value.name for value in session.get_outputs()], []
    for sample in values.test_samples(folder):
        feed = {value.name: sample[value.name] for value in session.get_inputs()}
        found.append(dict(zip(names, session.run(None, feed))))
        found[-1].update({name: sample[name] for name in sample if name == "attention_mask"})
    return found


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
        values.keep_floats(kept, floats)
    else:
        floats = values.kept_floats(kept)
    answer = {"sqnr_db": values.sqnr(outputs, floats) if job["numbers"] and not job["float"] else None, "size": size_of(job["model"]),
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
