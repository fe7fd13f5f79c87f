"""targets.py DETENT SHARED [NETWORK...] [-- MORE...]

Quantizes every network here for every engine, with 8-bit and with 16-bit activations. Prints a row for each network:
SQNR, score, verdict if it is not good, the share of the MACs in INT8 or INT16 if it is not all, and whether ONNX
Runtime, which runs the arithmetic of all engines, does not load the file. For DLA the file is the float model, with the
number of scales in its cache and of layers that its arguments leave to the GPU. A last table names the findings of
`lint` and the refusals. The options of `detent quantize` in MORE follow each of its calls."""

import collections
import json
import pathlib
import subprocess

import onnxruntime
from networks import arguments, labelled, print_header, print_row, scratch, unlabelled

# The columns of the table, a pass over the samples each row: engines and type of activations.
PASSES = [(["tensorrt", "onnxruntime", "openvino", "qnn", "tensorrt:dla", "rknn"], []),
          (["onnxruntime", "qnn"], ["--activation", "uint16"])]


class Refused(Exception):
    """A command that ended with an error of use."""


def column_of(target, words):
    return " ".join([target, *words[1:]])


def loads(file):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001: any refusal is the finding
        return [f"does not load: {str(error)[:200]}"]
    return []


def dla_words(file):
    """Returns what the cache and the arguments for trtexec say."""
    scales, arguments_ = (file.with_suffix(end).read_text().strip().split("\n") for end in (".cache", ".dla.txt"))
    devices = next((line for line in arguments_ if line.startswith("--layerDeviceTypes=")), "")
    return [f"{len(scales) - 1} scales", f"{devices.count(':GPU')} layers on the GPU"]


class Table:
    """The cells of all networks, and remarks about them: {column and remark: networks}."""

    def __init__(self, detent, folder, more):
        self.detent, self.folder, self.more, self.remarks = detent, folder, more, collections.defaultdict(dict)

    def run(self, *words):
        """Runs detent; its exit code says what it found, and only an error of use is one here."""
        done = subprocess.run([self.detent, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode not in (0, 1):
            raise Refused(done.stderr.replace(str(self.folder), "").strip())

    def lint(self, file, target, column, network):
        """Remarks the errors and warnings of `lint`."""
        report = self.folder / "lint.json"
        self.run("lint", file, "--target", target, "--json", report, "--overwrite")
        for finding in json.loads(report.read_text())["findings"]:
            if finding["level"] != "note":
                self.remarks[column, f"{finding['level']} {finding['id']}"][network] = True

    def cell(self, network, column, target, file, report):
        if target != "tensorrt:dla":
            self.lint(file, target, column, network)
        db, bound, coverage = report["error"]["sqnr_db"], report.get("bound"), report["coverage"]
        return ", ".join([
            "exact" if db is None else f"{db:.1f} dB", *([f"{bound['reached']:.4f} {bound['metric']}"] if bound else []),
            *([report["verdict"]] if report.get("verdict") not in (None, "good") else []),
            *([f"{100 * coverage['int8_macs'] / coverage['macs']:.1f} % of MACs"]
              if coverage["int8_macs"] != coverage["macs"] else []),
            *(dla_words(file) if target == "tensorrt:dla" else []), *loads(file)])

    def cells(self, name, network, targets, words):
        """Returns the cells of one network for these targets, and its bound."""
        out, report = self.folder / "x.onnx", self.folder / "report.json"
        self.run("quantize", *network.options, *(word for target in targets for word in ("--target", target)), *words,
                 *(["--max-drop", 100] if network.bounded else []), *self.more, "--accept-broken", "--quiet", "--overwrite", "-o",
                 out, f"--json={report}")
        document, several = json.loads(report.read_text()), len(targets) > 1
        reports = document["targets"] if several else [document]
        files = [out.with_name(f"x.{target.replace(':', '-')}.onnx") if several else out for target in targets]
        return [self.cell(name, column_of(target, words), target, *one) for target, *one in zip(targets, files, reports)], \
            reports[0].get("bound")

    def cells_of(self, name, network, targets, words):
        """Returns the cells of one network in one pass, or where that is refused, target by target."""
        try:
            return self.cells(name, network, targets, words)
        except Refused as error:
            if len(targets) > 1:
                parts = [self.cells_of(name, network, [target], words) for target in targets]
                return [cell for cells, _ in parts for cell in cells], next((bound for _, bound in parts if bound), None)
            self.remarks[column_of(targets[0], words), f"refused: {str(error).splitlines()[0]}"][name] = True
            return ["refused"], None


def main():
    given = arguments(__doc__)
    print_header("network, FP32", *(column_of(target, words) for targets, words in PASSES for target in targets))
    with scratch() as folder, scratch() as samples:
        table = Table(given.detent, pathlib.Path(folder), given.options)
        for name, network in (labelled(given.shared, pathlib.Path(samples)) | unlabelled(given.shared)).items():
            if given.networks and name not in given.networks:
                continue
            parts = [table.cells_of(name, network, *one) for one in PASSES]
            bound = parts[0][1]
            print_row(f"{name}, {bound['fp32']:.4f} {bound['metric']}" if bound else name,
                      *(cell for cells, _ in parts for cell in cells))
    print()
    print_header("target", "finding or refusal", "networks")
    for (column, remark), found in table.remarks.items():
        print_row(column, remark, "; ".join(found))


if __name__ == "__main__":
    main()
