"""beside_nncf.py MODEL...   e.g. models/shapes_unet/model_opset13

Quantizes models of tests/engines/models.py with the program and with NNCF, on the same 64 samples, and prints the median
milliseconds of the float model and of both files in OpenVINO (one process, two threads, one inference of each in turn
for 20 s), their ratio, and dB against FP32. Needs nncf and openvino from PyPI, and onnx. DETENT and DETENT_SHARED as in
tests/engines."""

import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import nncf
import numpy
import onnx
import openvino

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/engines"))
import models  # noqa: E402

DETENT = os.environ.get("DETENT") or str(ROOT / "build/release/detent")
SAMPLES, JUDGED, SECONDS = 64, 16, 20
SETTINGS = {"INFERENCE_NUM_THREADS": 2, "NUM_STREAMS": "1",
            "INFERENCE_PRECISION_HINT": os.environ.get("PRECISION", "f32")}


def detent(*arguments):
    done = subprocess.run([DETENT, *arguments, "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"detent {arguments[0]}: {done.stderr.strip()}")


def samples_of(value, options, folder):
    """Returns the samples as the program preprocesses them, each with its batch axis."""
    node = onnx.helper.make_node("Identity", [value.name], ["copy"])
    graph = onnx.helper.make_graph([node], "copy", [value], [onnx.ValueInfoProto(name="copy", type=value.type)])
    opset = [onnx.helper.make_opsetid("", 13)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opset, ir_version=8), folder / "copy.onnx")
    detent("run", str(folder / "copy.onnx"), "-o", str(folder / "samples"), f"--limit={SAMPLES}", *options)
    array = numpy.load(folder / "samples/copy.npy")
    return [array[i:i + 1] for i in range(len(array))]


def first_output(request, sample):
    return list(request.infer([sample]).values())[0].astype(numpy.float64)


def compare(model, folder):
    graph = onnx.load(model.path).graph
    constants = {tensor.name for tensor in graph.initializer}
    value = next(value for value in graph.input if value.name not in constants)
    options, _ = model.data({value.name: len(value.type.tensor_type.shape.dim)})
    samples = samples_of(value, options, folder)
    shape = list(samples[0].shape)
    core = openvino.Core()
    floats = core.read_model(str(model.path))
    floats.reshape({value.name: shape})
    detent("quantize", str(model.path), "--target=openvino", "-o", str(folder / "qdq.onnx"), f"--limit={SAMPLES}",
           "--accept-broken", *options)
    ours = core.read_model(str(folder / "qdq.onnx"))
    ours.reshape({ours.inputs[0].any_name: shape})
    files = {"float": floats, "nncf": nncf.quantize(floats, nncf.Dataset(samples), subset_size=SAMPLES), "detent": ours}
    requests = {name: core.compile_model(file, "CPU", SETTINGS).create_infer_request() for name, file in files.items()}
    truth = [first_output(requests["float"], sample) for sample in samples[:JUDGED]]
    signal = sum((output ** 2).sum() for output in truth)
    decibels = {}
    for name in ("nncf", "detent"):
        noise = sum(((first_output(requests[name], sample) - output) ** 2).sum()
                    for sample, output in zip(samples, truth))
        decibels[name] = round(float(10 * numpy.log10(signal / noise)), 1)
    times = {name: [] for name in requests}
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for name, request in requests.items():
            begun = time.perf_counter()
            request.infer([samples[0]])
            times[name].append(time.perf_counter() - begun)
    medians = {name: round(1000 * float(numpy.median(taken)), 3) for name, taken in times.items()}
    print(f"{model.name}: ms {medians}, detent/nncf {medians['detent'] / medians['nncf']:.2f}, dB {decibels}", flush=True)


nncf.set_log_level(logging.ERROR)
for chosen in models.all_models():
    if chosen.name in sys.argv[1:]:
        with tempfile.TemporaryDirectory(prefix="detent-nncf-") as temporary:
            compare(chosen, pathlib.Path(temporary))
