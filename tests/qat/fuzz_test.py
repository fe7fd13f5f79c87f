"""fuzz_test.py [FIRST-LAST] [--style NAME] [--target NAME] [--keep FOLDER]

Random networks with pairs as tools of quantization-aware training write them (graphs.py), through `lint`, `repair` for
each target, `cast` and `run` of the program (environment DETENT). For every network:

    run     gives what ONNX Runtime computes from the file
    cast    writes a file that ONNX Runtime runs
    repair  ONNX Runtime runs the file; lint finds no error in it; a second repair changes nothing; every trained range
            is in the file, or the report names the reason; the outputs differ from those of the given file by no more
            than the bound below

The bound. y: outputs of the given file, f: of the network without pairs, r: of the repaired file. By the triangle
inequality |r - y| <= |y - f| + |r - f|. Whatever placement repair chooses, no value carries more than one pair, and no
pair is coarser than a symmetric INT8 pair over the same range: so the network with such a pair on every value, b, is the
worst of them, and |r - f| is expected below |b - f|. Twice that (6 dB) covers chance: the errors of both are sums over
the same few hundred outputs. Where scales are shared, or a Clip of codes narrows a range, y itself has that error.

Prints a line for each failure, and how often lint warns of a repaired file. Exits 1 if there is a failure. --keep writes
the model, the data and the messages of each."""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import graphs
import numpy
import onnx
import onnxruntime

PROGRAM = os.environ.get("DETENT") or pathlib.Path(__file__).resolve().parents[2] / "build/release/detent"
TARGETS = ("tensorrt", "onnxruntime", "openvino", "qnn")
LEVEL = onnxruntime.GraphOptimizationLevel
EVERY_OPTIMIZATION = {"tensorrt": LEVEL.ORT_ENABLE_BASIC}  # its files are for another engine


def run(model, data, level=LEVEL.ORT_DISABLE_ALL):
    """Returns {output: array} of ONNX Runtime, one sample at a time."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    given = model if isinstance(model, str) else model.SerializeToString()
    session = onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    samples = [session.run(None, {"image": data[i:i + 1]}) for i in range(len(data))]
    return {name: numpy.concatenate([one[k] for one in samples]) for k, name in enumerate(names)}


def loads(model, level):
    """True if ONNX Runtime takes the file."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = level, 4
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception:  # pylint: disable=broad-except # the engine has many
        return False
    return True


def only(outputs):
    return next(iter(outputs.values())).astype(numpy.float64)


def rms(values):
    return float(numpy.sqrt(numpy.square(values).mean()))


def detent(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


class Failed(Exception):
    pass


def require(holds, message):
    if not holds:
        raise Failed(message)


def expect(codes, *arguments):
    """Runs the program; its exit code must be one of `codes`. Returns stdout."""
    code, out, err = detent(*arguments)
    require(code in codes, f"exit {code}: {' '.join((err.strip() or out.strip()[-300:]).split())[:400]}")
    return out


@dataclasses.dataclass(frozen=True)
class Pair:
    low: float
    high: float
    step: float


class Pairs:
    """The activation pairs of a file by the value that they quantize, and the number of coded weights."""

    def __init__(self, model):
        self.model = model
        self.constants = {one.name: onnx.numpy_helper.to_array(one) for one in model.graph.initializer}
        self.producer = {name: node for node in model.graph.node for name in node.output}
        for node in model.graph.node:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                self.constants[node.output[0]] = onnx.numpy_helper.to_array(node.attribute[0].t)
            if node.op_type == "Identity" and node.input[0] in self.constants:
                self.constants[node.output[0]] = self.constants[node.input[0]]
        self.ranges, self.weights, self.outputs = {}, 0, {}
        for node in model.graph.node:
            if node.op_type == "DequantizeLinear":
                self.add(node)

    def before(self, node):
        """Returns what wrote the codes that a DequantizeLinear reads, and their limits."""
        zero = self.constants.get(node.input[2], numpy.zeros((), numpy.int32))
        limits = (-128, 127) if zero.dtype == numpy.int8 else (0, 255)
        before = self.producer.get(node.input[0])
        while before is not None and before.op_type in ("Clip", "Cast"):
            if before.op_type == "Clip":
                bounds = [self.constants[one] if one else limits[k] for k, one in enumerate(before.input[1:])]
                limits = (max(limits[0], int(bounds[0])), min(limits[1], int(bounds[1])))
            before = self.producer.get(before.input[0])
        return before, limits, zero

    def source(self, name):
        """Returns the value that a pair quantizes: one behind another pair has the same."""
        node = self.producer.get(name)
        if node is not None and node.op_type == "DequantizeLinear":
            before = self.before(node)[0]
            if before is not None and before.op_type == "QuantizeLinear":
                return self.source(before.input[0])
        return name

    def add(self, node):
        before, limits, zero = self.before(node)
        if before is None or before.op_type != "QuantizeLinear" or before.input[0] in self.constants:
            codes = self.constants.get(node.input[0])  # of one element: a factor, which PT2E quantizes, too
            self.weights += zero.dtype != numpy.int32 and (codes is None or codes.size > 1)
            return
        step, point = float(self.constants[node.input[1]].ravel()[0]), int(zero.ravel()[0])
        found = Pair((limits[0] - point) * step, (limits[1] - point) * step, step)
        source = self.source(before.input[0])
        self.ranges.setdefault(source, []).append(found)
        if node.output[0] in {one.name for one in self.model.graph.output}:
            self.outputs[source] = node.output[0]  # repair lets the value write the output, under its name

    def bounds(self, name):
        """Returns the bounds of what operators write, also behind pairs, copies, means and a Concat."""
        node = self.producer.get(name)
        if node is not None and node.op_type == "DequantizeLinear":
            node = self.producer.get(self.source(name))
        if node is None:
            return -numpy.inf, numpy.inf
        if node.op_type in ("MaxPool", "GlobalAveragePool", "ReduceMean", "Reshape", "Transpose", "Flatten", "Squeeze"):
            return self.bounds(node.input[0])
        if node.op_type == "Concat":
            parts = [self.bounds(one) for one in node.input]
            return min(one[0] for one in parts), max(one[1] for one in parts)
        if node.op_type == "Clip":
            return tuple(float(self.constants[one]) for one in node.input[1:])
        return {"Relu": (0.0, numpy.inf), "Softmax": (0.0, 1.0)}.get(node.op_type, (-numpy.inf, numpy.inf))


def is_same(was, now, bounds):
    """True if a range is the trained one: its step, its width on either side of 0, or its ends, which may be cut to what
    the values can have."""
    near = 1.01 * max(was.step, now.step)
    if abs(was.step - now.step) <= 1e-6 * was.step:
        return True
    if abs(max(-was.low, was.high) - max(-now.low, now.high)) <= near:
        return True
    lows, highs = (was.low, max(was.low, bounds[0])), (was.high, min(was.high, bounds[1]))
    return any(abs(low - now.low) <= near for low in lows) and any(abs(high - now.high) <= near for high in highs)


def check_ranges(given, repaired, report):
    """Every trained range is in the repaired file, or the report names the reason."""
    if not report["changed"]:
        return
    fates = {}
    for pair in report["pairs"]:
        for value in {pair["value"], pair["moved_from"]} - {""}:
            fates.setdefault(value, []).append(pair)
    for value, trained in given.ranges.items():
        said = fates.get(value, []) + fates.get(given.outputs.get(value), [])
        require(said, f"the pair of '{value}' is neither kept, moved nor removed in the report")
        require(all(pair["reason"] for pair in said), f"no reason for the pair of '{value}'")
        kept = [pair for pair in said if pair["action"] in ("kept", "moved")]
        now = repaired.ranges.get(value)
        if not kept or now is None or any("scale" in pair["reason"] for pair in kept):
            continue  # the reason says why another; None: it moved to a copy of the value
        bounds = given.bounds(value)
        require(any(is_same(one, other, bounds) for one in trained for other in now),
                f"the trained range of '{value}', {trained}, became {now}: {kept[0]['reason']}")


def check_weights(given, repaired, report):
    """Every layer with trained weights has them in codes, too."""
    layers = sum(node.op_type in ("Conv", "MatMul", "Gemm") and given.producer.get(node.input[1], node).op_type !=
                 "Softmax" for node in given.model.graph.node)
    before = given.weights or layers  # tf2onnx: on a grid, without a pair
    coverage = report["coverage"]
    require(repaired.weights >= before, f"{before} weights were trained, {repaired.weights} have codes in the repaired file "
                                        f"({coverage['int8_layers']} of {coverage['layers']} layers INT8)")


class Case:
    def __init__(self, seed, style, folder):
        self.seed, self.style = seed, style
        self.network = graphs.make(style, seed, run)
        self.pairs = Pairs(self.network.given)
        self.given, self.data = str(folder / "given.onnx"), str(folder / "data.npy")
        onnx.save(self.network.given, self.given)
        numpy.save(self.data, self.network.data)
        self.folder, self.warnings = folder, []
        self.expected = only(run(self.network.given, self.network.data))
        floats, bound = (only(run(one, self.network.data)) for one in (self.network.floats, self.network.bound))
        self.error, self.coarsest = rms(self.expected - floats), rms(bound - floats)

    def check_run(self):
        found = self.detent_run(self.given, "run")
        # Sums in another order flip codes at ties by a step. The file's error is half a step of every code.
        require(rms(found - self.expected) <= self.error,
                f"differs from ONNX Runtime by {rms(found - self.expected):.3g}, the file's error is {self.error:.3g}")

    def detent_run(self, path, name):
        out = self.folder / name
        expect([0], "run", path, "--data", self.data, "-o", str(out), "--quiet")
        return numpy.load(next(out.glob("*.npy"))).reshape(self.expected.shape).astype(numpy.float64)

    def check_cast(self):
        out = str(self.folder / "cast.onnx")
        expect([0], "cast", self.given, "--data", self.data, "-o", out, "--quiet")
        # The pairs stay, also those that the engine's optimizer refuses in the given file: scales of shape [1] at an
        # Add, two pairs in a row.
        levels = [level for level in (LEVEL.ORT_DISABLE_ALL, LEVEL.ORT_ENABLE_ALL) if loads(self.network.given, level)]
        require(all(loads(onnx.load(out), level) for level in levels), "ONNX Runtime refuses the file")
        # The program computes it: ONNX Runtime 1.24 rounds FP16 numbers towards 0 in QuantizeLinear, 1.30 does not.
        self.check_distance(self.detent_run(out, "cast"))

    def check_distance(self, found):
        limit = self.error + 2 * self.coarsest
        require(rms(found - self.expected) <= limit,
                f"outputs differ by {rms(found - self.expected):.3g}, more than {self.error:.3g} + 2 * {self.coarsest:.3g}")

    def check_outputs(self, path, what, level):
        try:
            found = only(run(path, self.network.data))
            if level != LEVEL.ORT_DISABLE_ALL:
                require(numpy.isfinite(only(run(path, self.network.data, level))).all(), f"{what}: the optimized file gives NaN")
        except Failed:
            raise
        except Exception as error:  # pylint: disable=broad-except # the engine has many
            raise Failed(f"ONNX Runtime refuses the file: {str(error)[:300]}") from error
        self.check_distance(found)

    def check_repair(self, target):
        expect([0], "lint", self.given, "--target", target)
        out, again = (str(self.folder / f"{name}_{target}.onnx") for name in ("repaired", "again"))
        open_shape = target == "qnn" and not self.network.given.graph.input[0].type.tensor_type.shape.dim[0].dim_value
        said = expect([0, 1], "repair", self.given, "--target", target, "--data", self.data, "-o", out, "--quiet", "--json")
        report = json.loads(said)
        allowed = {"htp-open-shape", "htp-float-unit"} if open_shape else set()
        errors = [f"{one['id']} at {one['node']}: {one['message']}" for one in report["findings"]
                  if one["level"] == "error" and one["id"] not in allowed]
        require(not errors, f"lint of the repaired file: {len(errors)} errors, {errors[:2]}")
        findings = json.loads(expect([0], "lint", out, "--target", target, "--json"))["findings"]
        levels = [one["level"] for one in findings if one["id"] not in allowed]
        require("error" not in levels, f"lint of the repaired file: {findings[:2]}")
        self.check_outputs(out, "repair", EVERY_OPTIMIZATION.get(target, LEVEL.ORT_ENABLE_ALL))
        repaired = onnx.load(out)
        check_ranges(self.pairs, Pairs(repaired), report)
        check_weights(self.pairs, Pairs(repaired), report)
        second = json.loads(expect([0, 1], "repair", out, "--target", target, "--data", self.data, "-o", again, "--quiet", "--json"))
        require(not second["changed"], "a second repair changes the file: " + str([
            f"{one['action']} {one['value']}" for one in second["pairs"] if one["action"] != "kept"][:3] + second["weights_anew"][:2]))
        self.warnings += [f"{target}: {one['id']}" for one in findings if one["level"] == "warning"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", nargs="?", default="0-59")
    parser.add_argument("--style", choices=graphs.STYLES)
    parser.add_argument("--target", action="append", choices=TARGETS)
    parser.add_argument("--keep", type=pathlib.Path)
    given = parser.parse_args()
    first, last = (int(one) for one in given.seeds.split("-"))
    failures, warnings = 0, collections.Counter()
    for seed in range(first, last + 1):
        style = given.style or list(graphs.STYLES)[seed % len(graphs.STYLES)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            case = Case(seed, style, folder)
            checks = {"run": case.check_run, "cast": case.check_cast}
            for target in given.target or TARGETS:
                checks[target] = lambda target=target: case.check_repair(target)
            for what, check in checks.items():
                try:
                    check()
                except Failed as failure:
                    failures += 1
                    print(f"FAILED {style} {seed} {what}: {failure}", flush=True)
                    if given.keep:
                        kept = given.keep / f"{style}_{seed}_{what}"
                        shutil.copytree(folder, kept, dirs_exist_ok=True)
                        (kept / "failure.txt").write_text(str(failure) + "\n", encoding="utf-8")
            warnings.update(set(case.warnings))
    for warning, count in sorted(warnings.items()):
        print(f"{count} networks with a warning of lint: {warning}")
    print(f"{last - first + 1} networks, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
