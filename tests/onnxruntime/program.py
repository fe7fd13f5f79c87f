"""Runs the program under test (environment DETENT, else the release build) and returns what it makes."""

import atexit
import functools
import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
import time

import graph_parts
import numpy
import onnx

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("DETENT") or str(ROOT / "build/release/detent")
WORK = pathlib.Path(tempfile.mkdtemp(prefix="detent-onnxruntime-"))
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
_folders = itertools.count()
_costs = {}


class Failed(Exception):
    """A command that failed: its exit code and all that it printed."""


def fresh_folder():
    folder = WORK / str(next(_folders))
    folder.mkdir()
    return folder


def fresh_file(name):
    return fresh_folder() / name


def execute(*command):
    """Returns what a command prints on its standard output."""
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{' '.join(command[:13])} ... exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def detent(*arguments):
    return execute(PROGRAM, *arguments)


def answer(*arguments):
    """Returns the JSON that a command prints."""
    return json.loads(detent(*arguments, "--json"))


def lint(file, target="onnxruntime"):
    return answer("lint", file, "--target", target)


def plan(model, target, *more):
    return answer("plan", model.file, "--target", target, *more)


def listed(files):
    """Returns a list on disk that names these files."""
    path = fresh_file("files.txt")
    path.write_text("".join(f"{file}\n" for file in files))
    return path


def saved(array, name="stack.npy"):
    """Returns the path of an array on disk."""
    path = fresh_file(name)
    numpy.save(path, array)
    return path


def arrays(paths):
    return {name: numpy.load(path) for name, path in paths.items()}


def sources(paths, option="--data"):
    """Returns the options that name one stack for each input."""
    return [word for name, path in paths.items() for word in (option, f"{name}={path}")]


def in_file(name):
    """Returns the name that `detent run` gives an output's file."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)


def outputs_in(folder, file):
    """Returns {output: array} of what `detent run` of a file wrote."""
    paths = {output.name: folder / f"{in_file(output.name)}.npy" for output in graph_parts.read(file).graph.output}
    return arrays({name: path for name, path in paths.items() if path.exists()})


def run(file, paths, *more):
    """Returns {output: stack} of `detent run` over one stack for each input."""
    out = fresh_file("out")
    detent("run", file, "-o", out, "--quiet", *sources(paths), *more)
    return outputs_in(out, file)


@functools.cache
def write_inputs(model, samples, *more):
    """Writes samples, preprocessed for the model, as one stack for each input: `detent run` of an Identity model does
    it. Returns {input: path}."""
    inputs = graph_parts.inputs_of(graph_parts.read(model.file))
    folder = fresh_folder()
    onnx.save(graph_parts.identity_of(inputs), folder / "identity.onnx")
    detent("run", folder / "identity.onnx", "-o", folder / "out", "--quiet", *samples.data, *preprocessing(model), *more)
    return {value.name: folder / "out" / f"samples_{index}.npy" for index, value in enumerate(inputs)}


def preprocessing(model):
    return ["--preprocess", model.preprocess] if model.preprocess else []


def calibration_of(model):
    """Returns the options of a model's calibration data, or of its few samples."""
    return [*(["--data", model.calibration] if model.calibration else model.samples().data), *preprocessing(model)]


def report_path(file):
    return f"{file}.json"


def report_of(file):
    return json.loads(pathlib.Path(report_path(file)).read_text())


def cost_of(file):
    """Returns the seconds that making a quantized file took: (by the clock, of all its threads)."""
    return _costs[file]


def quantize(path, target, *more, command="quantize"):
    """Returns the path of a written file; report_of() has its report."""
    file = fresh_file("model.int8.onnx")
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    detent(command, path, "-o", file, "--quiet", "--accept-broken", "--target", target, f"--json={report_path(file)}", *more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    _costs[file] = (time.perf_counter() - begun,
                    after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return file


def named(calibrator):
    return ["--calibrator", calibrator] if calibrator else []


@functools.cache
def quantized_from_data(model, target, calibrator="", *more):
    """Returns the path of the model quantized from its calibration data."""
    return quantize(model.file, target, *named(calibrator), *calibration_of(model), *more)


@functools.cache
def table_of(model):
    """Returns the calibration table for every target, calibrator and policy."""
    file = fresh_file("table.dct")
    detent("calibrate", model.file, "-o", file, "--quiet", *calibration_of(model))
    return file


@functools.cache
def quantized(model, target, calibrator="entropy", *more):
    """Returns the same file made from its table, with the same bytes (agreement_test.py)."""
    return quantize(model.file, target, *named(calibrator), "--table", table_of(model), *more)


@functools.cache
def cast_to(model, kind):
    """Returns the path of the model cast to a 16-bit type, without pairs."""
    file = fresh_file(f"model.{kind}.onnx")
    detent("cast", model.file, "-o", file, "--quiet", "--float-type", kind, *calibration_of(model))
    return file


def compared(model, samples, target, calibrators, *more):
    """Returns the report of `detent compare` on an evaluation set."""
    report = fresh_file("report.json")
    detent("compare", model.file, "--data", model.calibration, *preprocessing(model), *samples.judged, "--target", target,
           "--calibrators", ",".join(calibrators), "--json", report, "--quiet", *more)
    return json.loads(report.read_text())


def verify(folders, *options):
    """Returns (closing line, all text) of `detent verify` over folders of backend tests."""
    try:
        text = detent("verify", *folders, *options)
    except Failed as error:
        text = str(error)
    closing = re.search(r"^.*\d+ passed, \d+ failed, \d+ unsupported.*$", text, re.M)
    return closing.group() if closing else "", text
