"""beside_rknn.py FOLDER [NETWORK...]

Files of `--target rknn` beside the vendor's own quantizer, rknn-toolkit2 with `do_quantization=True` and its algorithms
normal and kl_divergence: dB and score against FP32 in the vendor's simulator, and the compiler's estimate of cycles. FOLDER is
that of scripts/showcase, which has made the samples and fetched the networks; all ways calibrate with the same ones. Prints
a row of Markdown for each network. RESULTS keeps a line for each file, so that a run that was interrupted goes on.

Runs in the environment `rknn` of tests/engines (install.sh rknn). DETENT and DETENT_SHARED as in tests/engines."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import onnx

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "bench/showcase"), str(ROOT / "tests/engines")]
import networks  # noqa: E402
import own_process  # noqa: E402
import reference  # noqa: E402
import rknn_engine  # noqa: E402
import scores  # noqa: E402
import sources  # noqa: E402
import values  # noqa: E402

DETENT = os.environ.get("DETENT") or str(ROOT / "build/release/detent")
WAYS = {"detent": "Detent", "normal": "normal", "kl_divergence": "KL"}
DEFAULT = ["duck_policy", "resnet18", "unet", "efficientnet_b0", "squeezenet", "mobilenetv2", "pfld", "rfb320",
           "line_orientation", "page_orientation", "bccd_dfl", "bccd_nmsfree"]
SECONDS = 1800  # of one file


def samples(folder, part):
    """Returns [{input: array}] of the samples that have the shapes of the first."""
    found = []
    for path in sorted((folder / part).glob("*.npz")):
        with numpy.load(path) as arrays:
            found.append({name: arrays[name] for name in arrays.files})
    return [one for one in found if all(one[name].shape == found[0][name].shape for name in one)]


def write_static(path, sample, out):
    """Writes the model with the extents of a sample. Returns its inputs."""
    model = onnx.load(path)
    constants = {value.name for value in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in constants]
    for value in inputs:
        del value.type.tensor_type.shape.dim[:]
        for extent in sample[value.name].shape:
            value.type.tensor_type.shape.dim.add().dim_value = extent
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    onnx.save(model, out)
    return [value.name for value in inputs]


def own_options(names, calib, folder, algorithm):
    """Returns the options of the toolkit's own quantizer: a list of files, a sample in a line."""
    lines = []
    for number, sample in enumerate(calib):
        for index, name in enumerate(names):
            numpy.save(folder / f"{number}_{index}.npy", sample[name])
        lines.append(" ".join(str(folder / f"{number}_{index}.npy") for index in range(len(names))))
    (folder / "dataset.txt").write_text("\n".join(lines) + "\n")
    return {"algorithm": algorithm, "dataset": str(folder / "dataset.txt")}


def run_file(job):
    """Makes and runs one file. Returns {cycles, layers not INT8 on the NPU, db, score} or {error}."""
    network = next(one for one in networks.NETWORKS if one.name == job["network"])
    folder, work = pathlib.Path(job["samples"]), pathlib.Path(job["work"])
    calib, test = samples(folder, "calib"), samples(folder, "test")[:job["limit"]]
    names = write_static(job["model"], calib[0], work / "static.onnx")
    command, path, own = rknn_engine._command(), work / "static.onnx", None
    if job["way"] == "detent":
        (work / "calib").mkdir()
        for number, sample in enumerate(calib):
            numpy.savez(work / f"calib/{number:04}.npz", **sample)
        path = work / "detent.onnx"
        done = subprocess.run([DETENT, "quantize", str(work / "static.onnx"), f"--data={work / 'calib'}", "--target=rknn",
                               "-o", str(path), "--quiet", "--accept-broken"], capture_output=True, text=True, check=False)
        if not path.exists():
            return {"error": done.stderr.strip().splitlines()[-1]}
    else:
        own = own_options(names, calib, work, job["way"])
    try:
        rknn, log = command.build(path, [(name, calib[0][name].shape) for name in names], rknn_engine.CHIP, str(work), own)
    except command.Failure as failure:
        return {"error": str(failure)}
    layers = command.layers_of(log)
    with command.log_of(str(work / "log")):
        if rknn.init_runtime() != 0:
            return {"error": "the simulator does not start"}
        formats = ["nchw" if test[0][name].ndim == 4 else "undefined" for name in names]
        outputs = [rknn.inference(inputs=[sample[name] for name in names], data_format=formats) for sample in test]
    float_names, floats = float_outputs(work / "static.onnx", [{name: sample[name] for name in names} for sample in test])
    told = [{name: numpy.asarray(array).reshape(truth[name].shape) for name, array in zip(float_names, row)}
            for row, truth in zip(outputs, floats)]
    found = {"cycles": sum(layer["cycles"] for layer in layers), "layers": len(layers),
             "other": sum(layer["type"] != "INT8" or layer["unit"] != "NPU" for layer in layers), "samples": len(test),
             "db": values.sqnr(told, floats) if network.numbers else None}
    truths = json.loads((folder / "truths.json").read_text())[:len(test)] if (folder / "truths.json").exists() else []
    if network.score:
        score, more = network.score
        try:
            found["score"], found["float"] = (round(float(getattr(scores, score)(rows, floats, truths, **more)), 2)
                                              for rows in (told, floats))
        except ImportError:  # the environment has no decoder of images
            pass
    return found


def float_outputs(path, feeds):
    """Returns (names, [{output: array}]) of the float model in ONNX Runtime."""
    names, rows = reference.run_all(str(path), feeds)
    return names, [dict(zip(names, row)) for row in rows]


def ask(job):
    """Runs one file in a process of its own, which may die or hang."""
    with tempfile.TemporaryDirectory(prefix="detent-rknn-") as work:
        job["work"] = work
        (pathlib.Path(work) / "job.json").write_text(json.dumps(job))
        out = pathlib.Path(work) / "found.json"
        found, why = own_process.found_by([sys.executable, __file__, "--job", f"{work}/job.json"], out, SECONDS)
        return found or {"error": why}


def cell(found):
    if found is None or "error" in found:
        return "no file: " + re.sub(r"[|\n]", " ", found["error"])[:60] if found else "–"
    parts = [f"{found['score']:.1f}" if "score" in found else "", f"{found['db']:.1f} dB" if found["db"] is not None else ""]
    return ", ".join(part for part in parts if part) + f"; {found['cycles']:,}".replace(",", " ") + f"; {found['other']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("networks", nargs="*", default=DEFAULT)
    parser.add_argument("--ways", default=",".join(WAYS), help="of quantizing, with commas between (default: all)")
    parser.add_argument("--limit", type=int, default=48, help="samples that are judged (default: 48)")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build/beside_rknn.jsonl")
    parser.add_argument("--job", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        options.job.with_name("found.json").write_text(json.dumps(run_file(json.loads(options.job.read_text()))))
        return
    known = [json.loads(line) for line in options.results.read_text().splitlines()] if options.results.exists() else []
    known = {(row["network"], row["way"], row["limit"]): row["found"] for row in known}
    ways = options.ways.split(",")
    print("| network (score of FP32) | " + " | ".join(WAYS[way] for way in ways) + " |\n| --- |" + " --- |" * len(ways))
    for name in options.networks:
        network = next(one for one in networks.NETWORKS if one.name == name)
        model = sources.fetch(network.where, options.folder / "downloads", None)
        for way in ways:
            key = (name, way, options.limit)
            if key not in known:
                known[key] = ask({"network": name, "way": way, "limit": options.limit, "model": str(model),
                                  "samples": str(options.folder / "samples" / name)})
                with open(options.results, "a", encoding="utf-8") as file:
                    file.write(json.dumps({**dict(zip(("network", "way", "limit"), key)), "found": known[key]}) + "\n")
        found = [known[name, way, options.limit] for way in ways]
        floats = [f"{one['float']:.1f}" for one in found if "float" in one]
        print(f"| {network.title}{f' ({floats[0]})' if floats else ''} | " + " | ".join(map(cell, found)) + " |", flush=True)


if __name__ == "__main__":
    main()
