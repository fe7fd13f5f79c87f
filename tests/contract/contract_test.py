"""contract_test.py [SEED | FIRST-LAST] [--combination TEXT] [--only CHECK] [--keep FOLDER] [--qnn]

A file that Detent writes is a contract: random networks, quantized for every target with its types, and for each file

    loads    ONNX Runtime takes it; OpenVINO too where it is for OpenVINO; with --qnn Qualcomm's emulator too
    claim    the SQNR of each output in the engine is the one in the report
    lint     finds neither error nor warning, and counts the layers that the report counts
    repair   for the same target changes nothing: the same bytes, exit 0
    cast     of the file loads
    table    calibrate and quantize --table give the bytes of quantize --data
    threads  one thread and two give the same bytes

The seed chooses the network (write_networks()) and the combination of
options. Prints for each failure the network, the combination and the commands that show it. Exits 1 if there is one."""

import argparse
import collections
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "qat"), str(HERE.parent / "onnxruntime")]
PROGRAM = os.environ.get("DETENT") or HERE.parents[1] / "build/release/detent"
LEVEL = onnxruntime.GraphOptimizationLevel

# Target: options that it takes, each a combination. A space parts options, so that '' is none.
COMBINATIONS = {
    "tensorrt:10.13": ["", "--float-type fp16", "--float-type bf16", "--type fp8", "--type fp8 --float-type fp16",
                       "--policy attention=int8,small-layers=quantize"],
    "tensorrt:11": ["", "--float-type fp32", "--float-type bf16", "--type fp8", "--policy small-layers=quantize"],
    "tensorrt:8.6": ["", "--float-type fp16"],
    "tensorrt-rtx": ["", "--type fp8", "--float-type fp32"],
    "tensorrt:dla": [""],
    "onnxruntime": ["", "--activation int8", "--activation dynamic", "--activation int16", "--activation uint16",
                    "--float-type fp16", "--float-type bf16", "--policy attention=int8,quantize-outputs=on", "--cpu vnni"],
    "openvino": ["", "--activation int8", "--activation int16", "--float-type fp16", "--policy attention=int8"],
    "openvino:gpu": ["", "--float-type fp16"],
    "openvino:npu": ["", "--activation int8"],
    "qnn": ["", "--activation int8", "--activation int16", "--activation uint16"],
    "web": [""],
}
# Combinations (a regular expression), checks that do not hold for them, and why.
EXCEPTIONS = (
    ("^tensorrt:dla", ("claim", "lint", "repair"), "the file is the float model, and TensorRT reads the scales beside it"),
    ("dynamic", ("repair", "cast"), "both move pairs alone, and refuse integer operators (exit 10)"),
    ("vnni", ("claim", "lint", "repair"), "the user answers for the CPU: others saturate, and lint says so"),
    ("^onnxruntime --activation int8", ("lint", "repair"), "O10: with INT8 activations shared pairs and activations that "
     "are not absorbed cost layers, which lint names"),
    ("^onnxruntime --activation u?int16", ("claim",), "ONNX Runtime 1.32 makes MatMulNBits of a product of INT8 weights "
     "and floats, which rounds the floats to 8 bits"),
    ("^openvino --activation int16", ("claim", "lint", "repair"), "its CPU plugin computes in float, some pairs away, which "
     "quantize and lint warn of"),
    ("^tensorrt-rtx --float-type fp32", ("lint", "repair"), "a Cast of the model's own between a Conv and a pair, which "
     "lint names"),
    ("^onnxruntime --float-type", ("lint", "repair"), "lint does not see that O9 leaves layers between 16-bit floats float"),
)
# Operators whose outputs jump: an argument rounded to 16 bits in another order may decide otherwise.
JUMPS = {"ArgMax", "ArgMin", "TopK", "Greater", "Less", "Equal", "Cast", "CastLike", "If", "Round", "Floor"}
SAME = 1.0  # dB between the claim and the engine
# dB: beyond it both are roundings of floats, in another order. FP16 rounds by 2^-11 (66 dB), BF16 by 2^-8 (48 dB), and
# the errors of 16 nodes in a row are 12 dB larger.
EXACT = {"fp32": 90.0, "fp16": 54.0, "bf16": 36.0}


def combinations():
    """All of them, one of each target after the other."""
    longest = max(len(options) for options in COMBINATIONS.values())
    return [f"{target} {options[turn]}".strip() for turn in range(longest)
            for target, options in COMBINATIONS.items() if turn < len(options)]


def combination_of(seed):
    """Returns the combination of a seed. Every combination meets every kind of network."""
    every = combinations()
    return every[(seed // 3) % len(every)]


class Failed(Exception):
    pass


def require(holds, message):
    if not holds:
        raise Failed(message)


def session(path, level, fp8=False):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level, options.intra_op_num_threads, options.log_severity_level = level, 1, 4
    if fp8:  # its rules for pairs do not know FP8 (issue 22269 of ONNX Runtime)
        options.add_session_config_entry("session.disable_quant_qdq", "1")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def run_onnxruntime(path, data, level=LEVEL.ORT_DISABLE_ALL, fp8=False):
    """Returns {output: array} over all samples."""
    made = session(path, level, fp8)
    names, given = [one.name for one in made.get_outputs()], made.get_inputs()[0].name
    rows = [made.run(None, {given: data[i:i + 1]}) for i in range(len(data))]
    return {name: numpy.stack([row[k] for row in rows]) for k, name in enumerate(names)}


def run_openvino(path, data):
    import openvino  # pylint: disable=import-outside-toplevel # other targets need none
    core = openvino.Core()
    model = core.read_model(path)
    compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": "1"})
    names = [one.name for one in onnx.load(path).graph.output]
    rows = [compiled([data[i:i + 1]]) for i in range(len(data))]
    return {name: numpy.stack([row[compiled.output(k)] for row in rows]) for k, name in enumerate(names)}


# A process for each file: its provider is registered once, and a fault ends the process.
IN_QNN = """import sys, numpy, qnn_engine
path, data, out = sys.argv[1:]
made, data = qnn_engine._session(path), numpy.load(data)
names, given = [one.name for one in made.get_outputs()], made.get_inputs()[0].name
rows = [made.run(None, {given: data[i:i + 1]}) for i in range(len(data))]
numpy.savez(out, **{name: numpy.stack([row[k] for row in rows]) for k, name in enumerate(names)})"""


def run_qnn(path, samples, out):
    done = subprocess.run([sys.executable, "-c", IN_QNN, path, samples, out], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(HERE.parent / "engines")}, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr[-400:]}")
    return dict(numpy.load(out))


def sqnr(reference, found):
    reference, found = reference.astype(numpy.float64), found.astype(numpy.float64)
    error = numpy.square(reference - found).sum()
    return numpy.inf if error == 0 else 10 * numpy.log10(numpy.square(reference).sum() / error)


class Case:
    """One network with one combination."""

    def __init__(self, seed, combination, folder, qnn):
        self.seed, self.combination, self.folder, self.qnn = seed, combination, folder, qnn
        self.model, self.samples = str(folder / "model.onnx"), str(folder / "data.npy")
        self.target, *self.options = combination.split(" ")
        self.commands = []
        # A third of the networks is quantized as users do, the rest by the calibrator that tables have, too.
        self.default = seed % 3 == 0

    def path(self, name):
        return str(self.folder / name)

    def detent(self, *arguments, codes=(0,)):
        command = [str(PROGRAM), *arguments, "--quiet"]
        self.commands.append(shlex.join(command))
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        said = " ".join((done.stderr.strip() or done.stdout.strip()[-300:]).split())[:400]
        require(done.returncode in codes, f"exit {done.returncode}: {said}")
        return done.stdout

    def quantize(self, name, *more, by=("--calibrator", "mse", "--accuracy", "fast"), data=True):
        given = ["--data", self.samples] if data else []
        return self.detent("quantize", self.model, *given, "--target", self.target, *self.options, *by, *more,
                           "-o", self.path(name), "--accept-broken", "--overwrite", "--json")

    def check_quantize(self):
        by = () if self.default else ("--calibrator", "mse", "--accuracy", "fast")
        self.is_half = self.splits = False
        self.report = json.loads(self.quantize("out.onnx", "--threads", "1", by=by))
        self.by, self.out = by, self.path("out.onnx")
        file = onnx.load(self.out)
        self.jumps = any(node.op_type in JUMPS for node in onnx.load(self.model).graph.node)
        given = onnx.load(self.model).graph
        # HTP takes neither open extents nor control flow: lint has errors, and the report notes.
        is_open = any(not one.dim_value for value in given.input for one in value.type.tensor_type.shape.dim)
        self.splits = self.target == "qnn" and (is_open or any(node.op_type in ("If", "Loop") for node in given.node))
        halves = (onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)
        self.is_half = any(one.data_type in halves for one in given.initializer) or any(
            node.op_type == "Cast" and node.attribute[0].i in halves for node in given.node) or any(
            value.type.tensor_type.elem_type in halves for value in given.input)
        # The FP32 form of a 16-bit network whose outputs jump is not taken for the same network.
        self.splits |= self.target == "qnn" and self.is_half and self.jumps
        # An Erf that is no part of a GELU has no kernel there, which lint warns of.
        self.splits |= self.target == "qnn" and any(node.op_type == "Erf" for node in file.graph.node)
        self.has_pairs = any(node.op_type == "DequantizeLinear" for node in file.graph.node)
        types = {one.data_type for one in file.graph.initializer}
        self.exact = min(dB for name, dB in EXACT.items() if name == "fp32" or getattr(onnx.TensorProto, {
            "fp16": "FLOAT16", "bf16": "BFLOAT16"}[name]) in types)

    def same_bytes(self, name, what):
        mine, other = (pathlib.Path(self.path(one)).read_bytes() for one in ("out.onnx", name))
        require(mine == other, f"{what} {difference(self.out, self.path(name))}")

    def check_threads(self):
        self.quantize("threads.onnx", "--threads", "2", by=self.by)
        self.same_bytes("threads.onnx", "two threads give another file:")

    def check_table(self):
        if self.default:
            self.quantize("out.onnx")
        calibrating = [self.target]
        for option, value in zip(self.options[::2], self.options[1::2]):
            if option != "--activation" and option != "--cpu":
                calibrating += [option, value]
        self.detent("calibrate", self.model, "--data", self.samples, "--target", *calibrating, "-o", self.path("table.dct"),
                    "--overwrite")
        table = ("--table", self.path("table.dct"))
        try:
            self.quantize("table.onnx", *table)
            self.same_bytes("table.onnx", "--table --data gives another file than --data:")
            self.quantize("table.onnx", *table, data=False)
            self.same_bytes("table.onnx", "--table gives another file than --data:")
        finally:
            if self.default:
                self.check_quantize()

    def check_lint(self):
        report = json.loads(self.detent("lint", self.out, "--target", self.target, "--json"))
        wrong = [f"{one['level']} {one['id']} at '{one['node']}': {one['message']}" for one in report["findings"]
                 if one["level"] in ("error", "warning")]
        require(not wrong, f"lint: {wrong[:3]}")
        mine, its = ({key: one["coverage"][key] for key in ("layers", "int8_layers", "int8_macs")}
                     for one in (self.report, report))
        require(mine == its, f"lint counts {its}, the report {mine}")
        text = json.dumps(report["findings"])
        require("undefined" not in text, f"a text of lint: {text[:300]}")

    def check_repair(self):
        if not self.has_pairs:
            return
        self.detent("repair", self.out, "--target", self.target, "-o", self.path("repaired.onnx"), "--overwrite")
        self.same_bytes("repaired.onnx", "repair changes the file:")

    def check_cast(self):
        self.detent("cast", self.out, "--data", self.samples, "--float-type", "fp16", "-o", self.path("cast.onnx"),
                    "--overwrite")
        self.load(self.path("cast.onnx"))

    def load(self, path):
        try:
            return session(path, LEVEL.ORT_DISABLE_ALL, "fp8" in self.combination)
        except Exception as error:  # pylint: disable=broad-except # the engine has many
            require("Could not find an implementation for" in str(error), f"ONNX Runtime refuses {path}: {str(error)[:300]}")
        return None

    def measured(self, data):
        """Returns the outputs in the engine that the file is for; where it is not here, of the file as it is written.
        None: the engine has no kernel for it."""
        fp8 = "fp8" in self.combination
        try:
            if self.target == "openvino":
                return run_openvino(self.out, data)
            if self.target == "qnn" and self.qnn:
                return run_qnn(self.out, self.samples, self.path("qnn.npz"))
            level = LEVEL.ORT_ENABLE_ALL if self.target == "onnxruntime" else LEVEL.ORT_DISABLE_ALL
            return run_onnxruntime(self.out, data, level, fp8)
        except Exception as error:  # pylint: disable=broad-except # the engine has many
            excused = "Could not find an implementation for" in str(error) or self.refuses_float_model(data)
            excused |= "src_prc: boolean" in str(error)  # OpenVINO merges a Cast of BOOL into a kernel that takes none
            require(excused, f"the engine refuses the file: {str(error)[:400]}")
        return None

    def refuses_float_model(self, data):
        """True where OpenVINO does not run the network without pairs either."""
        try:
            if self.target == "openvino":
                run_openvino(self.model, data)
        except Exception:  # pylint: disable=broad-except # the engine has many
            return True
        return False

    def check_loads(self):
        self.load(self.out)
        data = numpy.load(self.samples)
        self.found = self.measured(data)

    def check_claim(self):
        if self.found is None or (self.exact < EXACT["fp32"] and self.jumps):
            return
        wanted = run_onnxruntime(self.model, numpy.load(self.samples))
        for output in self.report["error"]["outputs"]:
            name, claim = output["name"], output["sqnr_db"]
            if claim is None or wanted[name].dtype.kind != "f":
                continue
            real = sqnr(wanted[name], self.found[name])
            # With 16-bit floats, in OpenVINO and on HTP a rounding in another order flips codes. Both are then errors
            # of n independent codes, whose sums of squares differ by sqrt(4 / n), three times that by chance.
            other_order = self.exact < EXACT["fp32"] or self.target in ("openvino", "qnn")
            by_chance = 13 * numpy.sqrt(4 / wanted[name].size) if other_order else 0
            require(min(real, claim) > self.exact or abs(real - claim) <= SAME + by_chance,
                    f"'{name}' has {real:.2f} dB in the engine, {claim:.2f} dB in the report")


def difference(first, second):
    """Says where two files differ."""
    a, b = (onnx.load(path) for path in (first, second))
    if len(a.graph.node) != len(b.graph.node):
        return f"{len(a.graph.node)} nodes became {len(b.graph.node)}"
    nodes = [one.name for one, other in zip(a.graph.node, b.graph.node) if one != other]
    theirs = {one.name: one for one in b.graph.initializer}
    numbers = [one.name for one in a.graph.initializer if theirs.get(one.name) != one]
    notes = {one.key: one.value for one in b.metadata_props}
    props = [f"{one.key}: {one.value[:80]} / {notes.get(one.key, '-')[:80]}" for one in a.metadata_props
             if notes.get(one.key) != one.value]
    return f"nodes {nodes[:4]}, initializers {numbers[:4]}, metadata {props[:4]}"


SAMPLES = 6
CHECKS = ("quantize", "loads", "claim", "lint", "repair", "cast", "threads", "table")


def write_networks(folder, seeds):
    """Writes SEED.onnx and SEED.npy: every third network is one of ../qat without its pairs, the others are the random
    networks of ../onnxruntime. Even seeds of these: layers and what exporters put around them; odd seeds: many types,
    graphs inside, functions. A few seeds make no node."""
    import fuzz_test  # pylint: disable=import-outside-toplevel
    import graphs  # pylint: disable=import-outside-toplevel
    import graph_parts  # pylint: disable=import-outside-toplevel
    import random_graphs  # pylint: disable=import-outside-toplevel
    import random_types  # pylint: disable=import-outside-toplevel
    styles = list(graphs.STYLES)
    for seed in seeds:
        if seed % 3 == 2:
            network = graphs.make(styles[seed // 3 % len(styles)], seed, fuzz_test.run, samples=SAMPLES)
            onnx.save(network.floats, str(folder / f"{seed}.onnx"))
            numpy.save(folder / f"{seed}.npy", network.data)
        elif seed % 2 == 0:
            model, dims = random_graphs.random_graph(seed)
            onnx.save(model, str(folder / f"{seed}.onnx"))
            numpy.save(folder / f"{seed}.npy", graph_parts.random([SAMPLES, *dims[1:]], 2, seed + 1))
        elif graph := random_types.random_graph(seed):
            model, samples = graph
            onnx.save(model, str(folder / f"{seed}.onnx"))
            numpy.save(folder / f"{seed}.npy", samples(SAMPLES))


def judge(case, only):
    """Returns [(check, message)] of what fails."""
    faults = []
    for check in CHECKS:
        if (only and check not in (only, "quantize", "loads")) or any(
                re.search(pattern, case.combination) and check in checks for pattern, checks, _ in EXCEPTIONS) or (
                    check in ("lint", "repair", "table") and case.splits):
            continue
        case.commands = []
        try:
            getattr(case, f"check_{check}")()
        except Failed as failure:
            faults.append((check, str(failure), case.commands[-2:]))
            if check in ("quantize", "loads"):
                break
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", nargs="?", default="0-59")
    parser.add_argument("--combination", help="options instead of those of the seed: 'qnn --activation int16'; 'all'")
    parser.add_argument("--only", choices=CHECKS)
    parser.add_argument("--keep", help="folder of the files of failures (default: a new one)")
    parser.add_argument("--qnn", action="store_true", help="run files for qnn in its emulator")
    given = parser.parse_args()
    first, _, last = given.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    kept = pathlib.Path(given.keep or tempfile.mkdtemp(prefix="contract-"))
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        networks = pathlib.Path(scratch)
        write_networks(networks, seeds)
        for seed in seeds:
            # Not yet: HTP's compiler ends with QNN_COMMON_ERROR_MEM_ALLOC at some networks of many types.
            if not (networks / f"{seed}.onnx").exists() or (given.qnn and seed % 2 == 1 and seed % 3 != 2):
                continue
            wanted = combinations() if given.combination == "all" else [given.combination or combination_of(seed)]
            for combination in wanted:
                folder = kept / re.sub(r"[^\w.=-]+", "_", f"{seed} {combination}")
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copy(networks / f"{seed}.onnx", folder / "model.onnx")
                shutil.copy(networks / f"{seed}.npy", folder / "data.npy")
                faults = judge(Case(seed, combination, folder, given.qnn), given.only)
                counts["files"] += 1
                if not faults:
                    shutil.rmtree(folder)
                for check, message, commands in faults:
                    counts[check] += 1
                    print(f"FAILED seed {seed}, {combination}, {check}: {message}\n    network {folder}/model.onnx; again: "
                          f"{HERE.name}/contract_test.py {seed} --combination '{combination}'")
                    for command in commands:
                        print(f"    {command}")
    failures = sum(count for name, count in counts.items() if name != "files")
    print(f"{counts['files']} files of {len(seeds)} seeds, {failures} failures" +
          "".join(f", {name} {counts[name]}" for name in CHECKS if counts[name]))
    if not failures:
        shutil.rmtree(kept, ignore_errors=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
