"""timing.py JOB.json: milliseconds of several files in one engine: {"engine", "files": {name: path}, "samples", "threads",
"clock", "seconds", "numbers"}. All files are loaded in one process and run in turn on the same sample, in another order
each time, since a file that follows a larger one finds less of its own in the caches; the answer is the median of the
minima of tenths of the time, which other processes on the machine change little. For OpenVINO there is the dB of its own
outputs, too, against the float model in ONNX Runtime."""

import json
import pathlib
import random
import statistics
import sys
import time

import values


def onnxruntime_runner(path, feed, threads, clock):
    import onnxruntime
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads, settings.log_severity_level = threads, 1, 3
    if clock == "cpu":  # else a thread that waits for work would count
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
    names = {value.name for value in session.get_inputs()}
    given = {name: array for name, array in feed.items() if name in names}
    return lambda: session.run(None, given)


def openvino_runner(path, feed, threads, _):
    import openvino
    core = openvino.Core()
    model = core.read_model(path)
    given = {port.any_name: feed[port.any_name] for port in model.inputs}
    model.reshape({name: list(array.shape) for name, array in given.items()})
    request = core.compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": "1",
                                                "INFERENCE_PRECISION_HINT": "f32"}).create_infer_request()
    request.infer(given)
    return lambda: request.infer(given)


def openvino_sqnr(path, names, folder, threads):
    """Returns the dB of a file in OpenVINO on the test samples, shapes left free as the file has them. Inputs
    and outputs go by their places: compiling may rename them."""
    import openvino
    core = openvino.Core()
    model = core.read_model(path)
    inputs = [port.any_name for port in model.inputs]
    compiled = core.compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"})
    request, outputs = compiled.create_infer_request(), []
    for sample in values.test_samples(folder):
        request.infer({index: sample[name] for index, name in enumerate(inputs)})
        outputs.append({name: request.get_tensor(port).data.copy() for name, port in zip(names, compiled.outputs)})
    return values.sqnr(outputs, values.kept_floats(folder / "float.npz"))


RUNNERS = {"onnxruntime": onnxruntime_runner, "openvino": openvino_runner}


def main():
    job = json.loads(pathlib.Path(sys.argv[1]).read_text())
    folder = pathlib.Path(job["samples"])
    feed = next(values.test_samples(folder))
    runners, answer = {}, {}
    for name, path in job["files"].items():
        try:
            runners[name] = RUNNERS[job["engine"]](path, feed, job["threads"], job["clock"])
            runners[name]()
        except Exception as error:  # noqa: BLE001: each engine has its own errors
            runners.pop(name, None)
            answer[name] = {"error": " ".join(str(error).split())[:300]}
    clock = time.process_time if job["clock"] == "cpu" else time.perf_counter
    minima, order = {name: [] for name in runners}, random.Random(1)
    for _ in range(10):
        best, end = {}, time.perf_counter() + job["seconds"] / 10
        while len(best) < len(runners) or time.perf_counter() < end:
            for name, run in order.sample(list(runners.items()), len(runners)):
                begun = clock()
                run()
                taken = clock() - begun
                best[name] = min(taken, best.get(name, taken))
        for name, taken in best.items():
            minima[name].append(taken)
    answer |= {name: {"ms": round(1000 * statistics.median(taken), 4)} for name, taken in minima.items()}
    if job["engine"] == "openvino" and job["numbers"]:
        import onnx
        names = [value.name for value in onnx.load(job["files"]["float"], load_external_data=False).graph.output]
        for name in minima:
            if name != "float":
                answer[name]["sqnr_db"] = openvino_sqnr(job["files"][name], names, folder, job["threads"])
    print(json.dumps(answer))


main()
