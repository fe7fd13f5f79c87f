"""modelopt_files.py DETENT SHARED FOLDER

Writes files for repair_table.py with pairs where NVIDIA Model-Optimizer puts them (SHARED/reference/peers/
modelopt_placement), on the float models of SHARED. Activations have the scale amax / 127 over four samples, weights one
for each output channel, between QuantizeLinear and DequantizeLinear of floats."""

import json
import pathlib
import re
import subprocess
import sys

import numpy
import onnx
from networks import CIFAR, IMAGENET, scratch
from onnx import helper, numpy_helper

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tests/onnxruntime"))
from graph_parts import constants_of, inputs_of, with_all_outputs  # noqa: E402

# Options of the samples, {shared} is the folder of models and images.
MODELS = {
    "cifar10_resnet18__model_opset17": ["--data", "{shared}/images/cifar10/calib", "--preprocess", f"unit,{CIFAR}", "--limit", "16"],
    "shapes_unet__model_opset13": ["--data", "{shared}/models/shapes_unet/calib", "--preprocess", f"unit,{IMAGENET}", "--limit",
                                   "16"],
    "occupancy3d__model_opset13": ["--data", "{shared}/models/occupancy3d/calib", "--limit", "8"],
    "conv3d_mini__legacy_opset13": ["--data", "random:normal,n=8"],
}
INPUT_REACH = 3  # of normalized inputs, which are not an output of a run


def reaches(program, model, values, data, folder):
    """Returns {value: largest |x|} of the named values over four samples."""
    file, out = folder / "all.onnx", folder / f"out_{len(list(folder.iterdir()))}"
    onnx.save(with_all_outputs(model, lambda name: name in values), file)
    limited = [*(data[:data.index("--limit")] if "--limit" in data else data), "--limit", "4"]
    subprocess.run([program, "run", file, "-o", out, "--quiet", *limited], check=True, stdout=subprocess.DEVNULL)

    def plain(name):
        return re.sub(r"[^A-Za-z0-9]", "", name)
    files = {plain(path.stem): path for path in out.iterdir()}
    found = {name: float(numpy.abs(numpy.load(files[plain(name)])).max()) for name in values if plain(name) in files}
    return found | {value.name: INPUT_REACH for value in inputs_of(model) if value.name in values}


def pair(value, scales, axis=None):
    """Returns the nodes and the constants of a pair behind a value."""
    more = {} if axis is None else {"axis": axis}
    scales = numpy.asarray(scales, numpy.float32)
    constants = [numpy_helper.from_array(scales, f"{value}_s"),
                 numpy_helper.from_array(numpy.zeros(scales.shape, numpy.int8), f"{value}_z")]
    return [helper.make_node("QuantizeLinear", [value, f"{value}_s", f"{value}_z"], [f"{value}_q"], f"{value}_Q", **more),
            helper.make_node("DequantizeLinear", [f"{value}_q", f"{value}_s", f"{value}_z"], [f"{value}_dq"], f"{value}_DQ",
                             **more)], constants


def place(model, edges, amax):
    """Puts the pairs into a model."""
    read = {(node, slot): value for _, node, slot, value, kind in edges if kind == "pair" and amax.get(value, 0) > 0}
    weights, nodes, done = constants_of(model), [], set()

    def put(value, scales, axis=None):
        if value not in done:
            done.add(value)
            made, constants = pair(value, scales, axis)
            nodes.extend(made)
            model.graph.initializer.extend(constants)
        return f"{value}_dq"

    for node in model.graph.node:
        quantized = [slot for slot, value in enumerate(node.input) if read.get((node.name, slot)) == value]
        for slot in quantized:
            node.input[slot] = put(node.input[slot], amax[node.input[slot]] / 127)
        weight = weights.get(node.input[1]) if node.op_type.startswith("Conv") and 0 in quantized else None
        if weight is not None and len(weight.dims) > 1:
            axis = 1 if node.op_type == "ConvTranspose" else 0
            largest = numpy.abs(numpy_helper.to_array(weight)).max(tuple(one for one in range(len(weight.dims)) if one != axis))
            node.input[1] = put(node.input[1], numpy.where(largest > 0, largest, 127) / 127, axis)
        nodes.append(node)
    nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    model.producer_name = "modelopt placement"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    program, shared, folder = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    folder.mkdir(parents=True, exist_ok=True)
    for name, words in MODELS.items():
        network, file = name.split("__")
        data = [word.format(shared=shared) for word in words]
        path = next(path for kind in ("models", "exports") if (path := shared / kind / network / f"{file}.onnx").exists())
        edges = json.loads((shared / f"reference/peers/modelopt_placement/{name}.json").read_text())["edges"]
        model = onnx.load(path)
        with scratch() as work:
            amax = reaches(program, model, {edge[3] for edge in edges if edge[4] == "pair"}, data, pathlib.Path(work))
        place(model, edges, amax)
        onnx.save(model, folder / f"modelopt_{network}.onnx")
        (folder / f"modelopt_{network}.args").write_text("\n".join(data) + "\n")


if __name__ == "__main__":
    main()
