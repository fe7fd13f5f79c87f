"""report.py FOLDER [--list | --kernels]: prints a row for each network, an empty one where run.py has no result.

Needs the program (environment DETENT; `detent explain` reads the layers), the folder of pack.py, and FOLDER/results.
Columns: what the file has against FP32 on the GPU and, in brackets, in ONNX Runtime; layers that `detent lint` counts
as INT8 and those of them that the engine ran so; milliseconds of the Q/DQ file and of the float model in FP16, the
median of the builds, with the ratio (above 1: INT8 is faster).

  --list     names the layers that were counted and ran in float
  --kernels  FOLDER is of probes.py: writes what the engine did into kernels.csv"""

import argparse
import csv
import json
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import judge
import measures
import probes


def arithmetic_of(path):
    """Returns {node: type in which the engine ran it}, as `detent explain` reads the layers."""
    code, text, said = judge.detent("explain", str(path), "--json")
    if code != 0:
        raise RuntimeError(f"detent explain: {judge.last_line(said)}")
    ran = {}
    for layer in json.loads(text)["layers"]:
        if layer["kind"] != "layer":
            continue
        for node in layer["nodes"]:  # the product of a node and its bias may be two kernels
            if ran.get(node) != "int8":
                ran[node] = layer["arithmetic"]
    return ran


def distances(folder, row):
    """Returns "dB on the GPU (in ONNX Runtime)" of each float output."""
    path = folder / "results" / f"{row['name']}.npz"
    packed = folder / row["name"]
    if not (path.exists() and (packed / "truth.npz").exists()):
        return ""
    with numpy.load(path) as engine, numpy.load(packed / "truth.npz") as truth, \
            numpy.load(packed / "simulated.npz") as simulated:
        shown = []
        for name in truth.files:
            if truth[name].dtype.kind != "f" or engine[name].shape != truth[name].shape:
                continue
            shown.append(f"{measures.sqnr(truth[name], engine[name]):.1f} "
                         f"({measures.sqnr(truth[name], simulated[name]):.1f})")
        return ", ".join(shown)


def line_of(folder, row, listed):
    """Returns (row of the table, layers that were counted and ran in float)."""
    name = row["name"]
    if "int8" in row.get("failed", {}) or "judge" in row.get("failed", {}):
        said = row["failed"].get("int8") or row["failed"]["judge"]
        return f"| {name} | {said[:160]} | | | | |", []
    missed, counts = [], ""
    layers = folder / name / "layers.json"
    if layers.exists():
        counted = [layer["name"] for layer in json.loads(layers.read_text(encoding="utf-8")) if layer["int8"]]
        ran = arithmetic_of(folder / "results" / f"{name}.int8.json")
        missed = [layer for layer in counted if ran.get(layer) != "int8"]
        counts = f"{len(counted)}, {len(counted) - len(missed)}"
    ms = row["ms"]
    ratio = f"{ms['float'] / ms['int8']:.2f}" if "float" in ms else ""
    return (f"| {name} | {distances(folder, row)} | {counts} | {ms['int8']} | {ms.get('float', '')} | {ratio} |",
            [f"  {name}: {layer} ran as {ran.get(layer, 'no layer by that name')}" for layer in missed])


def kernel_of(path):
    """Returns how the engine ran the layer `probe`: int8, int8 to float or float."""
    for layer in json.loads(path.read_text(encoding="utf-8"))["Layers"]:
        parts = layer["Name"].split(" + ")
        if "probe" not in parts or not any(kind in layer["LayerType"] for kind in ("Conv", "Deconv")):
            continue
        reads, writes = ("int8" in tensors[0]["Format/Datatype"].lower() for tensors in (layer["Inputs"],
                                                                                        layer["Outputs"]))
        if layer["Weights"]["Type"] != "Int8" or not reads:
            return "float"
        return "int8" if writes else "int8 to float"
    raise RuntimeError(f"{path}: no layer holds the probe")


def update_kernels(folder, results):
    """Writes the columns `runs` and `speed` of the probes with a result; other rows stay."""
    found = {row["name"]: row for row in results}
    rows = probes.read_rows()
    for row in rows:
        result = found.get(probes.name_of(row))
        if not result or "judge" in result["failed"]:
            continue
        fails = "int8" in result["failed"]
        row["runs"] = "fails" if fails else kernel_of(folder / "results" / f"{result['name']}.int8.json")
        ms = result.get("ms", {})
        row["speed"] = f"{ms['float'] / ms['int8']:.2f}" if "int8" in ms and "float" in ms else ""
    with open(probes.KERNELS, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--kernels", action="store_true")
    options = parser.parse_args()
    results = options.folder / "results" / "results.jsonl"
    text = results.read_text(encoding="utf-8") if results.exists() else ""
    rows = [json.loads(line) for line in text.splitlines()]
    if options.kernels:
        update_kernels(options.folder, rows)
        return 0
    listed = options.folder / "list.json"
    packed = [entry["name"] for entry in json.loads(listed.read_text(encoding="utf-8"))] if listed.exists() else []
    print("| network | dB (ONNX Runtime) | promised, run | ms INT8 | ms FP16 | ratio |")
    print("| --- | --- | --- | ---: | ---: | ---: |")
    all_missed = []
    for row in rows:
        line, missed = line_of(options.folder, row, options.list)
        print(line, flush=True)
        all_missed += missed
    for name in packed:
        if all(row["name"] != name for row in rows):
            print(f"| {name} | | | | | |")
    if options.list and all_missed:
        print("\nPromised INT8, ran in float:")
        print("\n".join(all_missed))
    return 1 if all_missed else 0


if __name__ == "__main__":
    sys.exit(main())
