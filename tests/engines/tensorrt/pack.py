"""pack.py FOLDER [--target T] [--batch N] [--pattern] [--option OPTION]... [NAME...]

Quantizes float models with the program (environment DETENT) for TensorRT and packs what run.py needs on a machine with
a GPU: FOLDER/list.json, in the order of NAME, and for each network a folder with the float and the Q/DQ file, a sample,
the outputs of both files in ONNX Runtime, and the layers that `detent lint` counts. Networks that are packed already
are kept, so a run that was cut goes on.

  NAME       beginnings of the judges' names (models/occupancy3d) or ONNX files, whose data are random; without any, all
  --target   tensorrt (FP32 around pairs, built with INT8 and FP16 allowed) or tensorrt:11 (strongly typed)
  --batch    extent of an open first axis on the GPU
  --pattern  weights become a repeated pattern: files shrink to little, times stay, outputs mean nothing
  --option   of detent quantize, as --option=--policy attention=int8; --suffix names the networks apart
  --suffix   is put behind each name"""

import argparse
import json
import pathlib
import shutil
import sys

import numpy
import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import judge
import models
import reference

PATTERN_BYTES = 1 << 12


def repeat_pattern(source, path):
    """Replaces the values of large constants by a repeated random pattern of their type and size."""
    model = onnx.load(source)
    random = numpy.random.default_rng(1)
    scales = {name for node in model.graph.node if node.op_type.endswith("quantizeLinear") or
              node.op_type.endswith("QuantizeLinear") for name in node.input[1:]}
    for tensor in model.graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        if tensor.name in scales or values.nbytes <= PATTERN_BYTES or values.dtype.kind not in "fi" or values.dtype == numpy.int64:
            continue
        count = PATTERN_BYTES // values.itemsize
        spread = float(values.std()) if values.dtype.kind == "f" else 1
        block = random.normal(size=count) * spread if values.dtype.kind == "f" else random.integers(-127, 128, count)
        values = numpy.resize(block.astype(values.dtype), values.shape)
        tensor.CopyFrom(onnx.numpy_helper.from_array(values, tensor.name))
    onnx.save(model, path)


def chosen(names):
    """Returns the models that are named, in the order of the names."""
    found, known = [], models.all_models()
    for name in names:
        if name.endswith(".onnx"):
            found.append(models.Model(pathlib.Path(name).stem, pathlib.Path(name)))
            continue
        fits = [model for model in known if model.name.startswith(name)]
        if not fits:
            sys.exit(f"pack.py: no model '{name}' in {models.ROOT} or {models.SHARED}")
        found += fits
    return found if names else known


def pack(model, target, folder, options):
    """Writes the files of one network into its folder. Returns its entry in the list."""
    proto = onnx.load(model.path)
    inputs = judge.graph_inputs(proto.graph)
    calibration, judged = model.data({value.name: len(value.type.tensor_type.shape.dim) for value in inputs})
    feed = judge.write_feed(inputs, judged, folder)
    path = folder / "int8.onnx"
    code, report, said = judge.detent("quantize", str(model.path), f"--target={target}", "-o", str(path), "--quiet",
                                      "--json", f"--limit={judge.CALIBRATION_SAMPLES}", *calibration, *options.option)
    if not path.exists():
        raise RuntimeError(f"exit {code}: {judge.last_line(said)}")
    layers = judge.weighted_layers(path, target, feed)
    (folder / "layers.json").write_text(json.dumps(layers), encoding="utf-8")
    (folder / "report.json").write_text(report, encoding="utf-8")
    typed = target.startswith("tensorrt:11") or target == "tensorrt-rtx"
    name = folder.name
    entry = {"name": name, "model": model.name, "target": target, "int8": f"{name}/int8.onnx",
             "float": f"{name}/float.onnx", "feed": f"{name}/feed.npz", "batch": options.batch,
             "flags": {"int8": [] if typed else ["INT8", "FP16"], "float": [] if typed else ["FP16"]}}
    if typed:
        code, _, said = judge.detent("cast", str(model.path), "-o", str(folder / "float.onnx"), "--quiet", *calibration)
        if code != 0:
            raise RuntimeError(f"detent cast: {judge.last_line(said)}")
    else:
        shutil.copyfile(model.path, folder / "float.onnx")
    if options.pattern:
        entry["outputs"] = False
        for kind in ("int8", "float"):
            repeat_pattern(folder / f"{kind}.onnx", folder / f"{kind}.onnx")
    else:
        names, truth = reference.run(model.path, feed)
        _, simulated = reference.run(path, feed)
        numpy.savez(folder / "truth.npz", **dict(zip(names, truth)))
        numpy.savez(folder / "simulated.npz", **dict(zip(names, simulated)))
    return entry


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--target", default="tensorrt")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--pattern", action="store_true")
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--suffix", default="")
    options = parser.parse_intermixed_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    listed = options.folder / "list.json"
    entries = json.loads(listed.read_text(encoding="utf-8")) if listed.exists() else []
    failures = 0
    for model in chosen(options.names):
        name = model.name.replace("/", "__") + options.suffix
        if any(entry["name"] == name for entry in entries):
            continue
        folder = options.folder / name
        folder.mkdir(exist_ok=True)
        try:
            entries.append(pack(model, options.target, folder, options))
        except RuntimeError as error:
            failures += 1
            print(f"{name}: {error}", file=sys.stderr, flush=True)
            continue
        listed.write_text(json.dumps(entries, indent=1), encoding="utf-8")
        print(f"packed {name}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
