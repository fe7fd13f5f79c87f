"""Runs the steps of the example for CI as a shell does, on the bundled sample. usage: ci_example_test.py ROOT DETENT"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT, DETENT = map(pathlib.Path, sys.argv[1:])
STEPS = (ROOT / "tests/examples/quantize_in_ci/quantize.yml").read_text(encoding="utf-8")
SAMPLE = ROOT / "datasets/samples/shapes_unet"


def commands():
    """Returns the commands of the steps: one line, a block of lines (|), or folded ones (>)."""
    found = []
    for mark, line, block in re.findall(r"^        run: (?:([|>])|(.+))\n((?:          .*\n)*)", STEPS, re.M):
        text = line or textwrap.dedent(block)
        found.append(text.replace("\n", " ") if mark == ">" else text)
    return found


def run(command, folder):
    paths = f"{DETENT.parent}{os.pathsep}{os.environ['PATH']}"
    command = command.replace("--preprocess imagenet", "--preprocess imagenet,resize=128x128,crop=128")
    return subprocess.run(["bash", "-e", "-c", command], cwd=folder, env={**os.environ, "PATH": paths}, text=True,
                          capture_output=True, check=False)


install, *steps = commands()
assert "pip install ./detent" in install and len(steps) == 3, commands()
with tempfile.TemporaryDirectory() as held:
    folder = pathlib.Path(held)
    for name, target in {"model.onnx": "model_opset13.onnx", "calib": "calib", "eval": "eval/images"}.items():
        (folder / name).symlink_to(SAMPLE / target)
    for step in steps:
        done = run(step, folder)
        assert done.returncode == 0, (step, done.stdout, done.stderr)
    # A verdict that is not good fails the job.
    report = json.loads((folder / "report.json").read_text())
    for verdict in ("doubtful", "broken", "unknown"):
        (folder / "report.json").write_text(json.dumps({**report, "verdict": verdict}))
        assert run(steps[1], folder).returncode == 1, verdict
    (folder / "model.int8.onnx").unlink()
    assert run(steps[2], folder).returncode == 10, "there is no file to lint"
