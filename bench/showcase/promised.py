"""What Detent's report says of a file beside what the engine makes of it, network by network.

    bench/showcase/promised.py FOLDER [NETWORK...]

Networks, packages and samples are those of the showcase, whose FOLDER this may be. Each network is quantized for each
engine with one half of its samples and judged with the other: "claimed" is the dB of the report, "engine" that of the
engine's outputs on the same samples against the float model in ONNX Runtime, both of the output where they differ most; for a
detector, whose report has the dB of shown boxes, it is that of `detent run`. Layers are those that the report and the
engine count as INT8. Prints a table, and exits 1 if a claim is beyond --within dB."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime

import networks
import showcase
import sources

sys.path.insert(0, str(showcase.ROOT / "tests/engines"))
import measures  # noqa: E402

INTEGER = re.compile(r"QLinear(Conv|MatMul)|QGemm|MatMulInteger(ToFloat)?|ConvInteger|DynamicQuantize(MatMul|LSTM)|QAttention|MatMulNBits")


def feeds(folder, names):
    for name in names:
        with numpy.load(folder / re.sub(r"\[\d+\]$", "", name)) as arrays:
            yield {key: arrays[key] for key in arrays.files}


class OnnxRuntime:
    """The default session. Layers: nodes of the optimized graph that compute with codes."""

    def __init__(self, path, threads):
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads, settings.log_severity_level = threads, 3
        optimized = path.with_suffix(".optimized.onnx")
        settings.optimized_model_filepath = str(optimized)
        self.session = onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
        self.int8 = 0
        if path.name != "float.onnx" and optimized.exists():
            self.int8 = sum(bool(INTEGER.fullmatch(node.op_type)) for node in onnx.load(optimized, load_external_data=False).graph.node)
        optimized.unlink(missing_ok=True)

    def run(self, feed):
        wanted = {value.name for value in self.session.get_inputs()}
        return self.session.run(None, {name: array for name, array in feed.items() if name in wanted})


class OpenVino:
    """The CPU plugin in FP32, recompiled where shapes change. Layers: products of its runtime model in INT8."""

    def __init__(self, path, _):
        import openvino_engine
        self.engine, self.path, self.int8 = openvino_engine, str(path), 0
        self.shapes, self.request = None, None

    def run(self, feed):
        shapes = {name: array.shape for name, array in feed.items()}
        if shapes != self.shapes:
            compiled = self.engine._compile(self.path, feed)
            self.shapes, self.request, self.outputs = shapes, compiled.create_infer_request(), len(compiled.outputs)
            kinds = [(self.engine._text(op, "layerType"), self.engine._text(op, "runtimePrecision"))
                     for op in compiled.get_runtime_model().get_ops()]
            self.int8 = sum(layer in self.engine.LAYER_TYPES and kind in ("i8", "u8") for layer, kind in kinds)
        self.request.infer(feed)
        return [self.request.get_output_tensor(index).data.copy() for index in range(self.outputs)]


ENGINES = {"onnxruntime": OnnxRuntime, "openvino": OpenVino}


def db_by_output(truths, told, names, compared):
    """Returns {output: dB} over all samples."""
    found = {}
    for index, name in enumerate(names):
        if name in compared and truths[0][index].dtype.kind == "f":
            found[name] = measures.sqnr(numpy.concatenate([row[index].ravel() for row in truths]),
                                        numpy.concatenate([row[index].ravel() for row in told]))
    return found


def simulated(file, folder, names, outputs):
    """Returns the outputs of `detent run` for those samples."""
    with tempfile.TemporaryDirectory(prefix="detent-showcase-") as temporary:
        work = pathlib.Path(temporary)
        (work / "in").mkdir()
        for name in names:
            shutil.copy(folder / name, work / "in")
        subprocess.run([os.environ["DETENT"], "run", file, f"--data={work / 'in'}", "-o", work / "out", "--quiet"], check=True)
        stacks = [numpy.load(work / f"out/{name}.npy") for name in outputs]
    return [[stack[index:index + 1] for stack in stacks] for index in range(len(names))]


def one(case, network, model, engine, options):
    """Returns a row of the table."""
    samples, out = case.folder / "samples" / network.name, case.folder / "promised" / network.name / f"{engine}.onnx"
    out.parent.mkdir(parents=True, exist_ok=True)
    report = out.with_suffix(".json")
    done = subprocess.run([os.environ["DETENT"], "quantize", model, f"--data={samples / 'calib'}", f"--eval={samples / 'test'}",
                           "--min-sqnr=0.01", f"--target={engine}", "-o", out, "--json", report, "--overwrite", "--accept-broken",
                           f"--threads={options.threads}", "--quiet", *options.word], capture_output=True, text=True)
    if not report.exists():
        return {"failed": done.stderr.strip().splitlines()[0][:200]}
    said = json.loads(report.read_text())
    error, coverage = said["error"], said["coverage"]
    names = [row["sample"] for row in error["by_sample"]]
    inputs = list(feeds(samples / "test", names))
    truth, runner = OnnxRuntime(pathlib.Path(model), options.threads), ENGINES[engine](out, options.threads)
    outputs = [value.name for value in truth.session.get_outputs()]
    truths, told = [truth.run(feed) for feed in inputs], [runner.run(feed) for feed in inputs]
    claims = {row["name"]: row["sqnr_db"] for row in error["outputs"] if row.get("sqnr_db") is not None}
    if any(row.get("kind") == "detections" for row in error["outputs"]):  # the report's dB is that of the shown boxes
        claims = db_by_output(truths, simulated(out, samples / "test", names, outputs), outputs, claims)
    reached = db_by_output(truths, told, outputs, claims)
    gaps = {name: reached[name] - claims[name] for name in reached}
    name = min(gaps, key=lambda key: gaps[key]) if gaps else None
    return {"claimed": claims.get(name), "engine": reached.get(name), "gap": gaps.get(name), "samples": len(names),
            "layers": coverage["layers"], "claimed_int8": coverage["int8_layers"], "run_int8": runner.int8,
            "verdict": said["verdict"]["quality"] if isinstance(said["verdict"], dict) else said["verdict"]}


def line(network, engine, row):
    if "failed" in row:
        return f"| {network} | {engine} | {row['failed']} | | | | |"
    if row["gap"] is None:
        return f"| {network} | {engine} | no float output | | | {row['claimed_int8']} of {row['layers']} / {row['run_int8']} | |"
    return (f"| {network} | {engine} | {row['claimed']:.2f} | {row['engine']:.2f} | {row['gap']:+.2f} | "
            f"{row['claimed_int8']} of {row['layers']} / {row['run_int8']} | {row['samples']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("network", nargs="*")
    parser.add_argument("--engine", action="append", choices=list(ENGINES))
    parser.add_argument("--samples", type=int, default=32)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--within", type=float, default=1.0, metavar="DB")
    parser.add_argument("--word", action="append", default=[], help="a further word of quantize")
    options = parser.parse_args()
    os.environ["DETENT"] = os.environ.get("DETENT") or str(showcase.ROOT / "build/release/detent")
    case = showcase.Showcase(showcase.parser().parse_args([
        str(options.folder), f"--calibration={options.samples}", f"--samples={options.samples}"]), interpreter=lambda _: sys.executable)
    print("| network | engine | claimed dB | engine dB | difference | INT8 layers: claimed / run | samples |")
    print("| --- | --- | ---: | ---: | ---: | --- | ---: |")
    far = 0
    for network in networks.NETWORKS:
        if options.network and network.name not in options.network:
            continue
        case.spent = 0.0
        try:
            model = sources.fetch(network.where, case.folder / "downloads", case.python)
            made = case.result(f"{network.name}.samples", lambda: case.make_samples(network, model))
            if "error" in made:
                raise sources.Missing(made["error"])
        except sources.Missing as error:
            print(f"| {network.name} | | not had: {str(error)[:120]} | | | | |", flush=True)
            continue
        for engine in options.engine or list(ENGINES):
            try:
                row = one(case, network, model, engine, options)
            except Exception as error:  # an engine's refusal is a row, too
                row = {"failed": f"{type(error).__name__}: {str(error).splitlines()[0][:160]}"}
            far += "failed" in row or (row["gap"] is not None and abs(row["gap"]) > options.within)
            print(line(network.name, engine, row), flush=True)
    sys.exit(1 if far else 0)


if __name__ == "__main__":
    main()
