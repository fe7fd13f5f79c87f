"""repair_table.py DETENT FOLDER [TARGET...]      default: tensorrt

Repairs every .onnx file of a folder for each target and prints one row a file: what lint finds before and after, what
became of the pairs, the difference, the time, and the scales and codes that stayed the same bit for bit. The files are
read here, not by Detent: a kept pair has the scale of the QuantizeLinear on the same value, a kept weight the scales
and codes of the same input of the same layer. A second repair has to write the same bytes. FILE.args beside FILE.onnx
holds the options of its data, one a line; default: --data random:normal,n=8. Exits 1 where a kept scale or code
differs, a finding is left, or the second repair changes a byte."""

import collections
import json
import pathlib
import subprocess
import sys

import numpy
import onnx
from networks import print_header, print_row, scratch
from onnx import helper, numpy_helper

ACTIONS = ("kept", "moved", "removed", "added")
UNKNOWN = "unknown"  # a scale that is not read here


class File:
    """A file's nodes, constants by name, and the node that writes each value."""

    def __init__(self, path):
        model = onnx.load(path)
        self.nodes, self.producer = model.graph.node, model.producer_name
        self.maker = {name: node for node in self.nodes for name in node.output}
        self.constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        for node in self.nodes:
            if node.op_type == "Constant" and self.attribute(node, "value"):
                self.constants[node.output[0]] = numpy_helper.to_array(self.attribute(node, "value"))
        for node in self.nodes:  # copies of constants
            if node.op_type == "Identity" and node.input[0] in self.constants:
                self.constants[node.output[0]] = self.constants[node.input[0]]

    @staticmethod
    def attribute(node, name, default=None):
        return next((helper.get_attribute_value(one) for one in node.attribute if one.name == name), default)

    def made_by(self, value, op):
        node = self.maker.get(value)
        return node if node is not None and node.op_type == op else None

    def constant_of(self, value):
        """Returns a constant, or one that the file computes from a weight: ReduceMax(Abs(W)) / 127; None for others."""
        node = self.maker.get(value)
        if value in self.constants or node is None:
            return self.constants.get(value)
        a, b = ([self.constant_of(name) for name in node.input] + [None, None])[:2]
        if a is None or a.dtype != numpy.float32:
            return None
        if node.op_type == "Abs":
            return numpy.abs(a)
        if node.op_type == "Div" and b is not None and b.size == 1:
            return a / b.reshape(())
        if node.op_type != "ReduceMax":
            return None
        axes = self.attribute(node, "axes") if b is None else b.tolist()
        return a.max(None if axes is None else tuple(axes)).ravel()

    def before_pairs(self, value):
        """Returns the value in front of the pairs in front of a value."""
        dequantize = self.made_by(value, "DequantizeLinear")
        quantize = dequantize and self.made_by(dequantize.input[0], "QuantizeLinear")
        return self.before_pairs(quantize.input[0]) if quantize else value

    def scales(self):
        """Returns {value: scales as bytes, or None} of every QuantizeLinear on an activation."""
        found = collections.defaultdict(list)
        for node in self.nodes:
            if node.op_type == "QuantizeLinear" and node.input[0] not in self.constants:
                scale = self.constant_of(node.input[1])
                found[self.before_pairs(node.input[0])].append(None if scale is None else scale.tobytes())
        return found

    def weights(self):
        """Returns {name of the layer: (scales, codes about zero point 0)} of weights behind a DequantizeLinear; UNKNOWN
        for a scale that is not read here."""
        found = {}
        for node in self.nodes:
            dequantize = self.made_by(node.input[1], "DequantizeLinear") if len(node.input) > 1 else None
            if not dequantize:
                continue
            scales, codes = self.constant_of(dequantize.input[1]), self.constants.get(dequantize.input[0])
            quantize = self.made_by(dequantize.input[0], "QuantizeLinear")
            floats = self.constants.get(quantize.input[0]) if quantize else None
            if codes is None and floats is None:
                continue
            if scales is None or scales.dtype != numpy.float32:
                found[node.name] = UNKNOWN
                continue
            if floats is not None:
                codes = quantized(floats, scales, self.attribute(dequantize, "axis", 1))
            found[node.name] = scales, codes.astype(int) - (128 if codes.dtype == numpy.uint8 else 0)
        return found


def quantized(weight, scales, axis):
    """Returns the codes about zero point 0 of a float weight, as QuantizeLinear computes them."""
    if scales.size > 1:
        scales = scales.reshape([-1 if one == axis else 1 for one in range(weight.ndim)])
    return numpy.clip(numpy.rint(weight / scales), -128, 127).astype(numpy.int8)


def tell_same(same, every, unread):
    """Says "12 of 12", with the number of scales that could not be read."""
    return f"{same} of {every}{f' ({unread} not read)' if unread else ''}"


def kept_scales(before, after, report):
    """Compares the pairs that the report calls kept: (cell, whether all are the same)."""
    was, now, same, unread = before.scales(), after.scales(), 0, 0

    def of(scales, value):
        return scales.get(value) or scales.get(value.removesuffix("_relu"), [])  # repair puts such a Relu back
    kept = {pair["value"] for pair in report["pairs"] if pair["action"] == "kept"}
    for value in kept:
        old = of(was, value)
        unread += None in old
        same += None not in old and bool(set(of(now, value)) & set(old))
    return tell_same(same, len(kept), unread), same + unread == len(kept)


def kept_weights(before, after):
    """Compares the weights that have codes in both files: (cell, how many differ). A BatchNormalization that is folded
    into a layer multiplies its scales: then the magnitudes of the codes have to be the same."""
    was, counts = before.weights(), collections.Counter()
    for name, now in after.weights().items():
        old = was.get(name)
        if old is None or now is UNKNOWN:
            continue
        if old is UNKNOWN:
            counts["unread"] += 1
        elif numpy.array_equal(old[1], now[1]) and old[0].tobytes() == now[0].tobytes():
            counts["same"] += 1
        else:
            counts["folded" if numpy.array_equal(abs(old[1]), abs(now[1])) else "differ"] += 1
    folded = f", {counts['folded']} with a folded factor" if counts["folded"] else ""
    return tell_same(counts["same"], counts.total(), counts["unread"]) + folded, counts["differ"]


def detent(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):  # 1: a finding is left
        raise RuntimeError(done.stderr.strip().split("\n")[0])
    return done.stdout


def error_of(report):
    error = report.get("error")
    if not error:
        return ""
    agreement = (error.get("detections") or {}).get("agreement")
    if agreement is not None:
        return f"{100 * agreement:.1f} % of detections"
    return "exact" if error["sqnr_db"] is None else f"{error['sqnr_db']:.1f} dB"


def row(program, file, target, folder):
    """Returns (cells, whether all is right)."""
    out, again, options = folder / "out.onnx", folder / "again.onnx", file.with_suffix(".args")
    data = options.read_text().strip().split("\n") if options.exists() else ["--data", "random:normal,n=8"]
    report = json.loads(detent(program, "repair", file, "--target", target, *data, "-o", out, "--overwrite", "--quiet", "--json"))
    detent(program, "repair", out, "--target", target, "-o", again, "--overwrite", "--quiet")
    before, after = File(file), File(out)
    (scales, right), (weights, differ) = kept_scales(before, after, report), kept_weights(before, after)
    count = collections.Counter(pair["action"] for pair in report["pairs"])
    left, unchanged = sum(one["level"] != "note" for one in report["findings"]), out.read_bytes() == again.read_bytes()
    cells = [f"{report['errors_before']}, {report['warnings_before']}", ", ".join(str(count[action]) for action in ACTIONS),
             f"{left} left" if left else "clean", error_of(report), f"{report['seconds']:.2f}", scales, weights,
             "same bytes" if unchanged else "CHANGED"]
    return cells, right and differ <= len(report["weights_anew"]) and not left and unchanged


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, folder, *targets = sys.argv[1:]
    print_header("file", "writer", "target", "errors, warnings", ", ".join(ACTIONS), "after", "difference", "seconds",
                 "kept scales equal", "weights equal", "again")
    holds = True
    with scratch() as work:
        for file in sorted(pathlib.Path(folder).glob("*.onnx")):
            for target in targets or ["tensorrt"]:
                try:
                    cells, right = row(program, file, target, pathlib.Path(work))
                except RuntimeError as error:
                    cells, right = [str(error)[:100]], False
                print_row(file.stem, File(file).producer, target, *cells)
                holds = holds and right
    sys.exit(not holds)


if __name__ == "__main__":
    main()
