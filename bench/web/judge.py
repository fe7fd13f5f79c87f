"""judge.py JOB.json: what ONNX Runtime Web and native ONNX Runtime make of files: {"files": {"float": path, NAME: path},
"samples", "count", "seconds"}. Prints a JSON line {NAME: {"ms", "size", "db_web", "db_native", "db_plain"}}: CPU milliseconds of
one thread, by turns; the worst output's dB in the browser, in native ONNX Runtime and there without graph optimizations, each
against the float model in native ONNX Runtime."""

import base64
import itertools
import json
import os
import pathlib
import subprocess
import sys

import numpy
import onnxruntime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "showcase"))
import values  # noqa: E402


class Web:
    """A Node process with sessions (engine.mjs)."""

    def __init__(self):
        command = ["node", "--max-old-space-size=4096", str(pathlib.Path(__file__).with_name("engine.mjs"))]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline() or '{"error": "Node ended"}')
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def feed(self, sample):
        self.ask(feed=[[name, str(array.dtype), list(array.shape), base64.b64encode(array.tobytes()).decode()]
                       for name, array in sample.items()])

    def run(self, name):
        return {output: numpy.frombuffer(base64.b64decode(text), kind).reshape(sizes)
                for output, kind, sizes, text in self.ask(run=name)["outputs"]}


def native(path, samples, optimized):
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.log_severity_level = 1, 3
    if not optimized:
        settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
    inputs, outputs = ([value.name for value in side] for side in (session.get_inputs(), session.get_outputs()))
    return [dict(zip(outputs, session.run(None, {name: sample[name] for name in inputs}))) for sample in samples]


def main():
    job = json.loads(pathlib.Path(sys.argv[1]).read_text())
    samples = list(itertools.islice(values.test_samples(pathlib.Path(job["samples"])), job["count"]))
    truth = native(job["files"]["float"], samples, True)
    for row, sample in zip(truth, samples):
        row.update({name: sample[name] for name in sample if name == "attention_mask"})
    web, answer = Web(), {}
    for name, path in job["files"].items():
        answer[name] = {"size": os.path.getsize(path)}
        try:
            answer[name]["engine"] = web.ask(load=name, path=path)["version"]
            found = []
            for sample in samples:
                web.feed(sample)
                found.append(web.run(name))
            answer[name]["db_web"] = values.sqnr(found, truth)
            if name != "float":
                answer[name]["db_native"] = values.sqnr(native(path, samples, True), truth)
                answer[name]["db_plain"] = values.sqnr(native(path, samples, False), truth)
        except (RuntimeError, onnxruntime.capi.onnxruntime_pybind11_state.Fail) as error:
            answer[name]["error"] = " ".join(str(error).split())[:300]
    web.feed(samples[0])
    runs = [name for name, one in answer.items() if "error" not in one]
    for name, ms in web.ask(time=runs, seconds=job["seconds"])["ms"].items():
        answer[name]["ms"] = round(ms, 4)
    print(json.dumps({"files": answer, "native": onnxruntime.__version__}))


if __name__ == "__main__":
    main()
