"""webgpu_judge.py [DETENT_SHARED]: ONNX Runtime's WebGPU plugin judges files of `--target web:webgpu` on a software GPU. For
each network: no QuantizeLinear, every node on the GPU that is there in the float model, no copies but the float model's,
values as on the CPU, and the size that the networks' table promises. The twin with pairs must fail. Times mean nothing here.
Run it with run_test.sh webgpu; exits 77 where SwiftShader is missing. DETENT names the program."""

import collections
import glob
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SWIFTSHADER = pathlib.Path("/usr/lib/chromium/vk_swiftshader_icd.json")  # Debian's chromium-common
if not SWIFTSHADER.exists():
    print(f"SKIPPED webgpu_judge.py: {SWIFTSHADER} is not installed (Debian's chromium-common)")
    sys.exit(77)
os.environ.update(VK_ICD_FILENAMES=str(SWIFTSHADER), VK_DRIVER_FILES=str(SWIFTSHADER), ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER="1")

import numpy  # noqa: E402
import onnxruntime  # noqa: E402

import models  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
DETENT = os.environ.get("DETENT") or str(ROOT / "build/release/detent")
DECIBELS = 60  # INT8 weights are the same numbers on both sides; 116 to 130 measured
DECIBELS_OF_INT4 = 30  # the CPU rounds what it multiplies 4-bit codes with; 34 and 45 measured
SAMPLE = "sample/shapes_unet"
# Network: megabytes of its INT8 file at most. The sample is always here, the others where the shared folder is.
NETWORKS = {SAMPLE: .6, "models/imagenet_mobilenetv2/model_opset12": 4.2, "exports/vit_mini/legacy_opset14": .5,
            "exports/bert_mini/legacy_opset14": .4}


def settings():
    made = onnxruntime.SessionOptions()
    made.log_severity_level = 3
    return made


def feed_of(session):
    generator, feed = numpy.random.default_rng(1), {}
    for value in session.get_inputs():
        shape = [size if isinstance(size, int) and size > 0 else 16 if axis else 1 for axis, size in enumerate(value.shape)]
        feed[value.name] = (generator.integers(0, 60, shape) if "int64" in value.type
                            else generator.standard_normal(shape).astype(numpy.float32))
    return feed


def on_cpu(path):
    session = onnxruntime.InferenceSession(path, settings(), providers=["CPUExecutionProvider"])
    feed = feed_of(session)
    return feed, session.run(None, feed)


class OnGpu:
    """One run of a file on the GPU: its outputs, and operators by where they ran."""

    def __init__(self, path, feed):
        options = settings()
        with tempfile.TemporaryDirectory(prefix="detent-webgpu-") as folder:
            options.enable_profiling, options.profile_file_prefix = True, f"{folder}/profile"
            (device,) = [one for one in onnxruntime.get_ep_devices() if "webgpu" in one.ep_name.lower()][:1]
            options.add_provider_for_devices([device], {})
            session = onnxruntime.InferenceSession(path, options)
            self.outputs = session.run(None, feed)
            events = json.loads(pathlib.Path(session.end_profiling()).read_text())
        self.gpu, self.cpu, self.copies = collections.Counter(), collections.Counter(), 0
        for event in events:
            if event.get("cat") != "Node" or not event["name"].endswith("kernel_time"):
                continue
            operator, provider = event["args"]["op_name"], event["args"]["provider"]
            if operator.startswith("Memcpy"):
                self.copies += 1
            else:
                (self.gpu if "webgpu" in provider.lower() else self.cpu)[operator] += 1


def sqnr(truth, found):
    """dB of the worst float output."""
    worst = 200.0
    for ours, theirs in zip(found, truth):
        if theirs.dtype.kind == "f":
            noise = float(((ours.astype(float) - theirs) ** 2).sum())
            worst = min(worst, 10 * numpy.log10((theirs.astype(float) ** 2).sum() / noise) if noise else 200.0)
    return worst


def faults(path, base, least):
    """Returns (what is wrong with a file, what was found), beside the float model's run."""
    feed, truth = on_cpu(path)
    run = OnGpu(path, feed)
    decibels = sqnr(truth, run.outputs)
    beyond = run.cpu - base.cpu
    wrong = [f"{count} {operator} on the CPU" for operator, count in beyond.items()]
    if run.copies > base.copies:
        wrong.append(f"{run.copies} copies, the float model has {base.copies}")
    if decibels < least:
        wrong.append(f"{decibels:.1f} dB from the CPU, not {least}")
    return wrong, f"{sum(run.gpu.values())} nodes on the GPU, {sum(run.cpu.values())} on the CPU, {run.copies} copies, {decibels:.0f} dB"


def quantize(model, out, target):
    inputs = {value.name: len(value.shape) for value in onnxruntime.InferenceSession(
        str(model.path), settings(), providers=["CPUExecutionProvider"]).get_inputs()}
    words = ["quantize", str(model.path), *model.data(inputs)[0], "--limit=16", "--calibrator=max", "--accuracy=fast",
             "--accept-broken"]
    if target == "int4":
        words, target = ["quantize-weights", str(model.path), "--type=int4"], "web:webgpu"
    subprocess.run([DETENT, *words, f"--target={target}", "-o", out, "--overwrite"], check=True, stdout=subprocess.DEVNULL)


def main():
    home = pathlib.Path(importlib.util.find_spec("onnxruntime_ep_webgpu").origin).parent
    onnxruntime.register_execution_provider_library("webgpu", glob.glob(f"{home}/*providers_webgpu.so")[0])
    found = {model.name: model for model in models.all_models()}
    failed = False

    def check(holds, text):
        nonlocal failed
        failed |= not holds
        print(f"{'ok' if holds else 'FAILED'}: {text}", flush=True)

    with tempfile.TemporaryDirectory(prefix="detent-webgpu-") as folder:
        for name, megabytes in NETWORKS.items():
            if name not in found:
                print(f"skipped: {name} is not here (DETENT_SHARED)")
                continue
            model, out = found[name], f"{folder}/file.onnx"
            base = OnGpu(str(model.path), on_cpu(str(model.path))[0])
            for target, least in ("web:webgpu", DECIBELS), ("int4", DECIBELS_OF_INT4):
                if target == "int4" and not name.startswith("exports"):
                    continue  # few products
                quantize(model, out, target)
                wrong, what = faults(out, base, least)
                size = os.path.getsize(out) / 1e6
                if size > megabytes:
                    wrong.append(f"more than {megabytes} MB")
                check(not wrong, f"{name} {target}: {what}, {size:.2f} MB {'; '.join(wrong)}".rstrip())
            if name == SAMPLE:
                quantize(model, out, "onnxruntime")
                wrong, what = faults(out, base, DECIBELS)
                check(any("QuantizeLinear" in one for one in wrong), f"{name}, the twin with pairs: {'; '.join(wrong)}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
