"""large_model_peers.py FOLDER [LAYERS [WIDTH [TOOL...]]]

`quantize` of a large model beside its peers: seconds and the peak of memory over the bytes of the weights. The model is
that of large_transformer.py with external data: 24 layers of 1024 (the default) are as many weights as ViT-L has, 24 of
2048 a language model of 1.2 billion. 16 samples of 128 ids calibrate. FOLDER needs three times the size of the weights.
Tools run in the environments of bench/showcase (tests/engines/install.sh with DETENT_REQUIREMENTS=bench/showcase)."""

import json
import os
import pathlib
import subprocess
import sys
import time

import large_transformer
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[1]
DETENT = str(pathlib.Path(os.environ.get("DETENT") or ROOT / "build/release/detent").resolve())
SAMPLES, LENGTH = 16, 128


def python_of(environment):
    place = {**os.environ, "DETENT_REQUIREMENTS": str(ROOT / "bench/showcase")}
    install = str(ROOT / "tests/engines/install.sh")
    subprocess.run([install, environment], env=place, check=True, stdout=sys.stderr)
    done = subprocess.run([install, "--path", environment], env=place, check=True, capture_output=True, text=True)
    return f"{done.stdout.strip()}/bin/python"


def peer(name, environment):
    return lambda job: [python_of(environment), str(ROOT / f"bench/showcase/tools/{name}.py"), job]


def detent(*words):
    def command(job):
        given = json.loads(pathlib.Path(job).read_text())
        data = [] if "quantize-weights" in words else [f"--data={given['calib']}", "--accept-broken"]
        return [DETENT, words[0], given["model"], "-o", given["out"], "--overwrite", "--quiet", *data, *words[1:]]
    return command


TOOLS = {
    "quantize-weights, INT8": detent("quantize-weights", "--type=int8"),
    "quantize, onnxruntime": detent("quantize", "--target=onnxruntime"),
    "quantize, tensorrt": detent("quantize", "--target=tensorrt"),
    "onnxruntime dynamic": peer("onnxruntime_dynamic", "judge"),
    "onnxruntime static": peer("onnxruntime_static", "judge"),
    "NNCF": peer("nncf_onnx", "nncf"),
}


def measured(command, said_in):
    """Returns (seconds, the highest resident bytes, what went wrong) of a process that prints to a file."""
    begun = time.monotonic()
    with open(said_in, "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=said_in.parent)  # NNCF leaves files
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    said = said_in.read_text().strip().splitlines()
    wrong = "" if process.returncode in (0, 1) and "Traceback" not in "".join(said) else (said or ["ended"])[-1][:120]
    return time.monotonic() - begun, used.ru_maxrss * 1024, wrong or ("killed" if process.returncode < 0 else "")


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve() / "large_model"
    layers, width = (int(word) for word in (sys.argv[2:4] + ["24", "1024"][len(sys.argv[2:4]):]))
    calib = folder / "calib"
    calib.mkdir(parents=True, exist_ok=True)
    model = folder / "model.onnx"
    large_transformer.write(model, layers, width)
    ids = numpy.random.default_rng(3).integers(0, large_transformer.VOCABULARY, (SAMPLES, 1, LENGTH))
    for number, sample in enumerate(ids):
        numpy.savez(calib / f"{number:02}.npz", ids=sample)
    weights = (folder / "model.onnx.data").stat().st_size
    print(f"{layers} layers of {width}, {weights / 1e9:.2f} GB of weights, {SAMPLES} samples\n")
    print("| tool | s | peak, GB | peak / weights | file, GB | |\n| --- | ---: | ---: | ---: | ---: | --- |")
    for name in sys.argv[4:] or TOOLS:
        out = folder / "out" / "model.onnx"
        out.parent.mkdir(exist_ok=True)
        job = folder / "job.json"
        job.write_text(json.dumps({"model": str(model), "calib": str(calib), "out": str(out), "kind": "language model",
                                   "threads": 2, "words": []}))
        seconds, peak, wrong = measured(TOOLS[name](str(job)), folder / "log")
        size = sum(file.stat().st_size for file in out.parent.iterdir())
        for file in out.parent.iterdir():
            file.unlink()
        print(f"| {name} | {seconds:.1f} | {peak / 1e9:.2f} | {peak / weights:.2f} | {size / 1e9:.2f} | {wrong} |", flush=True)


if __name__ == "__main__":
    main()
