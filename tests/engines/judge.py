"""judge.py ENGINE [--slice] [--update] [--showcase FOLDER] [--results FILE] [MODEL...]

Quantizes float models with the program (environment DETENT) for an engine, openvino, qnn or rknn, runs the files there
and compares what it finds with expected.json. Prints a table; exits 1 if a model does other than expected. A model is
judged once for each content of program, model and judge: FILE (default: build/engines/ENGINE.jsonl) keeps a line for
each, so that a run that was interrupted goes on. An unexpected refusal is judged again.

  --slice   the models of slice.txt; without it all of the checkout and of the shared folder (DETENT_SHARED)
  --update  write what was found into expected.json
  --showcase FOLDER  the networks of scripts/showcase, too, whose samples are in FOLDER: they have no row in expected.json
  MODEL     beginnings of names in the table: exports/yolo"""

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import expected
import measures
import models
import numpy
import onnx
import own_process
from own_process import last_line

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = pathlib.Path(os.environ.get("DETENT") or models.ROOT / "build/release/detent")
CALIBRATION_SAMPLES = 16
LIMIT_SECONDS = 300
LIMIT_BYTES = {"qnn": 8 << 30}  # of address space; its compiler may take all memory of a machine
IR_VERSION = 10  # the newest that ONNX Runtime beside rknn-toolkit2 reads
STATIC_SHAPES = ("qnn", "rknn")  # engines that need them: users fix the extents before they quantize


def cpu_kind(engine):
    """Returns the kind of CPU, which decides the kernels of OpenVINO: vnni or avx2. QNN's emulator does not depend on
    it: htp; nor does Rockchip's simulator: npu."""
    if engine in ("qnn", "rknn"):
        return "htp" if engine == "qnn" else "npu"
    flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    return "vnni" if "avx512_vnni" in flags or "avx_vnni" in flags else "avx2"


def detent(*arguments):
    """Runs the program; returns (exit code, stdout, stderr)."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def graph_inputs(graph):
    constants = {value.name for value in graph.initializer}
    return [value for value in graph.input if value.name not in constants]


def write_feed(inputs, options, folder):
    """Writes the first sample, as the program decodes and preprocesses it: the output of an Identity of each input."""
    nodes = [onnx.helper.make_node("Identity", [value.name], [f"copy_{i}"]) for i, value in enumerate(inputs)]
    copies = [onnx.ValueInfoProto(name=f"copy_{i}", type=value.type) for i, value in enumerate(inputs)]
    graph = onnx.helper.make_graph(nodes, "identity", inputs, copies)
    opset = [onnx.helper.make_opsetid("", 13)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opset, ir_version=8), folder / "identity.onnx")
    code, _, said = detent("run", str(folder / "identity.onnx"), "-o", str(folder / "feed"), "--limit=1", "--quiet",
                           *options)
    if code != 0:
        raise RuntimeError(f"detent run: {last_line(said)}")
    feed = {value.name: numpy.load(folder / "feed" / f"copy_{i}.npy") for i, value in enumerate(inputs)}
    for value in inputs:  # an input without a batch axis comes back with one
        rank = len(value.type.tensor_type.shape.dim)
        if feed[value.name].ndim == rank + 1 and feed[value.name].shape[0] == 1:
            feed[value.name] = feed[value.name][0]
    numpy.savez(folder / "feed.npz", **feed)
    return feed


def write_static(model, feed, path):
    """Writes the model with the feed's shapes; shapes of other values are left to be inferred anew. Every node gets
    the name that the program calls it, because QNN's plugin tells nodes by their names alone."""
    for index, node in enumerate(model.graph.node):
        node.name = node.name or f"{node.op_type}_{index}"
    for value in graph_inputs(model.graph):
        del value.type.tensor_type.shape.dim[:]
        for extent in feed[value.name].shape:
            value.type.tensor_type.shape.dim.add().dim_value = extent
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    model.ir_version = min(model.ir_version, IR_VERSION)
    onnx.save(model, path)


def with_shapes(options, feed, folder):
    """Returns the options with a folder of .npz samples, such as sentences of any length, cut or filled with zeros to the
    shapes of the feed, which the file has. Other options stay."""
    return [f"--data={fitted(pathlib.Path(one.removeprefix('--data=')), feed, folder / 'fitted')}"
            if one.startswith("--data=/") and list(pathlib.Path(one.removeprefix("--data=")).glob("*.npz")) else one
            for one in options]


def fitted(samples, feed, folder):
    folder.mkdir()
    for path in sorted(samples.glob("*.npz")):
        with numpy.load(path) as arrays:
            numpy.savez(folder / path.name, **{name: fit(arrays[name], feed[name].shape) for name in feed})
    return folder


def fit(array, shape):
    """Returns an array with these extents: it loses what is beyond them, and zeros follow where it is short."""
    if array.ndim != len(shape):
        return array
    cut = array[tuple(slice(extent) for extent in shape)]
    return numpy.pad(cut, [(0, extent - had) for extent, had in zip(shape, cut.shape)])


def weight_of(node, producers, constants):
    """Returns the name of the constant that a node multiplies by, behind its pair; "" if it has none."""
    for name in reversed(node.input[:2]):
        while name in producers and producers[name].op_type in ("DequantizeLinear", "Transpose", "Reshape"):
            name = producers[name].input[0]
        if name in constants:
            return name
    return ""


def data_of(node, producers, constants):
    """Returns the name of the value that a node multiplies, in front of its pair; "" if it has none."""
    for name in node.input[:2]:
        while name in producers and producers[name].op_type in ("DequantizeLinear", "QuantizeLinear"):
            name = producers[name].input[0]
        if name not in constants:
            return name
    return ""


def weighted_layers(path, engine, feed):
    """Returns the layers of `detent lint`, each with its first output, its weight and the value that it multiplies."""
    graph = onnx.load(path, load_external_data=False).graph
    open_inputs = [value for value in graph_inputs(graph)
                   if not all(extent.dim_value for extent in value.type.tensor_type.shape.dim)]
    shapes = [f"--shape={value.name}={','.join(map(str, feed[value.name].shape))}" for value in open_inputs]
    code, text, said = detent("lint", str(path), f"--target={engine}", "--json", *shapes)
    if code not in (0, 1):
        raise RuntimeError(f"detent lint: {last_line(said)}")
    producers = {name: node for node in graph.node for name in node.output}
    constants = {value.name for value in graph.initializer}
    nodes = {node.name or f"{node.op_type}_{index}": node for index, node in enumerate(graph.node)}
    return [{"name": layer["name"], "int8": layer["int8"], "macs": layer["macs"],
             "output": nodes[layer["name"]].output[0], "data": data_of(nodes[layer["name"]], producers, constants),
             "weight": weight_of(nodes[layer["name"]], producers, constants)} for layer in json.loads(text)["layers"]]


def run_worker(engine, float_path, path, folder):
    """Runs worker.py under the limits of its engine. Returns what it found."""
    out = folder / "found.json"
    command = [sys.executable, HERE / "worker.py", engine, float_path, path, folder / "feed.npz",
               folder / "layers.json", out]
    found, why = own_process.found_by(command, out, LIMIT_SECONDS, LIMIT_BYTES.get(engine))
    return found or {"failed": {"loads": why}}


def judge(engine, model, folder):
    """Quantizes and judges one model. Returns {failed, outputs, share}."""
    proto = onnx.load(model.path)
    inputs = graph_inputs(proto.graph)
    calibration, judged = model.data({value.name: len(value.type.tensor_type.shape.dim) for value in inputs})
    feed = write_feed(inputs, judged, folder)
    float_path, path = model.path, folder / "qdq.onnx"
    if engine in STATIC_SHAPES:
        float_path = folder / "static.onnx"
        write_static(proto, feed, float_path)
        calibration = with_shapes(calibration, feed, folder)
    code, report, said = detent("quantize", str(float_path), f"--target={engine}", "-o", str(path), "--quiet", "--json",
                                f"--limit={CALIBRATION_SAMPLES}", *calibration)
    if not path.exists():  # exit 1 with a file: broken by its verdict, which is no concern of the engine
        return {"failed": {"quantized": f"exit {code}: {last_line(said)}"}}
    layers = weighted_layers(path, engine, feed)
    (folder / "layers.json").write_text(json.dumps(layers), encoding="utf-8")
    found = run_worker(engine, float_path, path, folder)
    found["failed"] |= measures.check_report(json.loads(report)["coverage"], layers)
    return found


def digest_of(paths):
    state = hashlib.sha256()
    for path in paths:
        state.update(pathlib.Path(path).read_bytes())
    return state.hexdigest()[:16]


def read_rows(results):
    """Returns {(model, digest): row}. Removes a last line that an interrupted run left incomplete."""
    text = results.read_text(encoding="utf-8") if results.exists() else ""
    whole = text[:text.rfind("\n") + 1]
    if whole != text:
        results.write_text(whole, encoding="utf-8")
    return {(row["model"], row["digest"]): row for row in map(json.loads, whole.splitlines())}


def judge_all(engine, chosen, results):
    """Judges the models whose line is not there yet. Returns a row for each."""
    sources = [PROGRAM, *sorted(HERE.glob("*.py")), HERE / f"requirements-{engine}.txt"]
    tools = digest_of([source for source in sources if source.name not in ("expected.py", "judge_test.py")])
    results.parent.mkdir(parents=True, exist_ok=True)
    known = read_rows(results)
    rows = []
    for model in chosen:
        key = f"{tools}-{digest_of(sorted(model.path.parent.glob(model.path.name + '*')))}"
        row = known.get((model.name, key))
        # A busy machine may be the reason of a refusal that is not expected.
        if row is None or ("loads" in row["failed"] and expected.compare(row)):
            begun = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="detent-engines-") as folder:
                try:
                    found = judge(engine, model, pathlib.Path(folder))
                except RuntimeError as error:
                    found = {"failed": {"quantized": str(error)}}
            row = {"engine": engine, "model": model.name, "kind": cpu_kind(engine), "digest": key,
                   "seconds": round(time.monotonic() - begun, 1), **found}
            with open(results, "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        print(expected.table_line(row), flush=True)
        rows.append(row)
    return rows


def choose(names, only_slice, showcase=None):
    """Returns the models that are named, or of the slice; a name that fits none is an error."""
    found = models.all_models() + (models.showcase_models(showcase) if showcase else [])
    if only_slice:
        names = (HERE / "slice.txt").read_text(encoding="utf-8").split()
        for name in names:
            if name not in [model.name for model in found]:
                print(f"SKIPPED {name}: the file is not there")
        return [model for model in found if model.name in names]
    for name in names:
        if not any(model.name.startswith(name) for model in found):
            sys.exit(f"judge.py: no model '{name}' in {models.ROOT} or {models.SHARED}")
    return [model for model in found if not names or model.name.startswith(tuple(names))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=("openvino", "qnn", "rknn"))
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--slice", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--showcase", type=pathlib.Path)
    parser.add_argument("--results", type=pathlib.Path)
    asked = parser.parse_args()
    if not (asked.models or asked.slice or (models.SHARED / "models").is_dir()):
        print(f"SKIPPED {asked.engine}: no shared folder with models at '{models.SHARED}'; --slice needs none")
        return 77
    if not PROGRAM.exists():
        sys.exit(f"judge.py: {PROGRAM} is not there; build it, or name it with DETENT")
    results = asked.results or models.ROOT / f"build/engines/{asked.engine}.jsonl"
    print(expected.TABLE_HEAD)
    rows = judge_all(asked.engine, choose(asked.models, asked.slice, asked.showcase), results)
    if asked.update:
        expected.update(rows)
    wrong = [said for row in rows for said in expected.compare(row)]
    good = sum(not row["failed"] for row in rows)
    print(f"\n{asked.engine}: {good} of {len(rows)} files pass; {len(wrong)} differences from expected.json")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
