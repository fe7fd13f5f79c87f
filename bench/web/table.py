"""The table of networks in ONNX Runtime Web: float, the file of `--target web` and the one of `--latency-command web`.

    bench/web/table.py FOLDER [NETWORK...]     needs Node; --help

Networks and samples are those of the showcase (bench/showcase), and eight exports with random weights and samples. FOLDER keeps
downloads, samples, files and a JSON file for each result, so an interrupted run goes on; --again NAME removes results of a
network first. results.json beside this file and the table on the page are written by --page."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "showcase"))
import networks  # noqa: E402
import showcase  # noqa: E402
import sources  # noqa: E402

PAGE = ROOT / "src/place/engines/web/README.md"
MARKS = ("<!-- bench/web/table.py -->\n", "<!-- end -->\n")


def export(name, file):
    return networks.Network(name, f"{name}, random weights", "export", ("shared", f"exports/{name}/{file}.onnx"), networks.SHARED,
                            ("random_numbers", {}), None)


EXPORTS = [export("bert_mini", "legacy_opset14"), export("convnext_mini", "legacy_opset17"), export("fpn_mini", "legacy_opset13"),
           export("mobilenetv3_small", "legacy_opset13"), export("shufflenetv2", "legacy_opset12"),
           export("style_mini", "legacy_opset11"), export("vit_mini", "legacy_opset14"), export("yolo_mini", "legacy_opset12")]


class Table(showcase.Showcase):
    """Fills the results of networks: samples, the default file, the chosen one, and what both engines make of them."""

    def quantize(self, network, model, tool):
        out = self.folder / "files" / network.name / f"{tool}.onnx"
        out.parent.mkdir(parents=True, exist_ok=True)
        words = [os.environ["DETENT"], "quantize", str(model), f"--data={self.folder / 'samples' / network.name / 'calib'}",
                 "--target=web", "-o", str(out), f"--threads={self.options.threads}", "--accept-broken", "--overwrite",
                 "--json", f"{out}.json"]
        if tool == "chosen":
            words.append(f"--latency-command=web --clock cpu --seconds {self.options.call_seconds}")
        path = os.pathsep.join([str(pathlib.Path(self.python("judge")).parent), os.environ["PATH"]])
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=self.left(.6),
                                  env={**os.environ, "PATH": path})
        except subprocess.TimeoutExpired as stopped:
            return {"error": f"stopped after {stopped.timeout:.0f} s"}
        if done.returncode not in (0, 1):
            return {"error": (done.stderr.strip() or done.stdout.strip()).splitlines()[-1][:300]}
        report = json.loads(pathlib.Path(f"{out}.json").read_text())
        pathlib.Path(f"{out}.json").unlink()
        coverage = report["coverage"]
        return {"verdict": report["verdict"], "int8_layers": f"{coverage['int8_layers']} of {coverage['layers']}",
                **({"latency": report["latency"]} if tool == "chosen" else {})}

    def measure(self, network, model, names):
        files = {"float": str(model)} | {name: str(self.folder / "files" / network.name / f"{name}.onnx") for name in names}
        return showcase.call([self.python("judge"), str(HERE / "judge.py"), self.job(f"{network.name}.measure", {
            "files": files, "samples": str(self.folder / "samples" / network.name), "count": self.options.samples,
            "seconds": self.options.seconds})], self.left())

    def one(self, network):
        self.spent = 0.0
        print(network.name, file=sys.stderr)
        try:
            model = sources.fetch(network.where, self.folder / "downloads", self.python)
        except sources.Missing as error:
            print(f"  skipped: {error}", file=sys.stderr)
            return
        if not (self.folder / "samples" / network.name / "truths.json").exists():
            (self.results / f"{network.name}.samples.json").unlink(missing_ok=True)
            if "error" in self.result(f"{network.name}.samples", lambda: self.make_samples(network, model)):
                return
        names = ["default"] if self.options.default else ["default", "chosen"]
        made = [name for name in names if "error" not in
                self.result(f"{network.name}.{name}", lambda name=name: self.quantize(network, model, name))]
        self.result(f"{network.name}.measure{len(made)}", lambda: self.measure(network, model, made))

    def collected(self, table):
        """Returns the results that are there, by network."""
        rows = {}
        for network in table:
            found = {name: self.kept(f"{network.name}.{name}") for name in ("default", "chosen", "measure2", "measure1")}
            measured = found["measure2"] or found["measure1"]
            if measured and "files" in measured:
                rows[network.name] = {"title": network.title, "native": measured["native"], **measured["files"]}
                for name in ("default", "chosen"):
                    if name in rows[network.name]:
                        rows[network.name][name]["int8_layers"] = found[name]["int8_layers"]
                if "chosen" in rows[network.name]:
                    rows[network.name]["chosen"] |= {key: found["chosen"]["latency"][key] for key in ("chosen", "noise")}
        return rows


def cells(row):
    """Returns the cells of a network."""
    default, chosen, base = row["default"], row.get("chosen", {}), row["float"]
    size = f"{base['size'] / 1e6:.2f} -> {default['size'] / 1e6:.2f}"
    found = ""
    if "ms" in chosen:  # measured beside the others, so it holds however much the search's own times varied
        found = "=" if chosen["chosen"] == "default" else f"{chosen['ms']:.3g}"
    return [row["title"], f"{base['ms']:.3g}", f"{default['ms']:.3g}", f"{default['ms'] / base['ms']:.2f}", found, size, *(decibels(default[key]) for key in ("db_web", "db_native")),
            default["int8_layers"]]


def decibels(number):
    return "–" if number is None else f"{number:.1f}"


def lines(rows):
    head = ["network", "float ms", "default ms", "default / float", "chosen ms", "MB", "dB", "dB native", "INT8 layers"]
    fits = {name: row for name, row in rows.items() if "ms" in row["float"] and "ms" in row.get("default", {})}
    order = sorted(fits.values(), key=lambda row: row["default"]["ms"] / row["float"]["ms"])
    return [f"| {' | '.join(one)} |" for one in (head, ["---"] + ["---:"] * 8, *map(cells, order))]


def write_page(rows):
    before, _, rest = PAGE.read_text().partition(MARKS[0])
    if not rest:
        sys.exit(f"{PAGE} has no mark {MARKS[0].strip()}")
    table = "".join(f"{line}\n" for line in lines(rows))
    PAGE.write_text(before + MARKS[0] + "\n" + table + "\n" + MARKS[1] + rest.partition(MARKS[1])[2])
    (HERE / "results.json").write_text(json.dumps(rows, indent=1) + "\n")


def parser():
    made = argparse.ArgumentParser(prog="table.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = made.add_argument
    add("folder", type=pathlib.Path, metavar="FOLDER")
    add("network", nargs="*", metavar="NETWORK", help="default: all")
    add("--calibration", type=int, default=32, metavar="N", help="samples to calibrate with (32)")
    add("--samples", type=int, default=24, metavar="N", help="samples to judge on (24)")
    add("--threads", type=int, default=1, metavar="N", help="threads that quantize (1); the engine has one")
    add("--minutes", type=float, default=20, metavar="M", help="longest time for a network (20)")
    add("--seconds", type=float, default=5, metavar="S", help="time for the milliseconds of a network (5)")
    add("--call-seconds", type=float, default=1, metavar="S", help="time for a call of the search (1)")
    add("--default", action="store_true", help="only the default files")
    add("--again", action="append", default=[], metavar="NAME", help="forget the results of a network first (repeatable)")
    add("--page", action="store_true", help="write results.json and the page's table of the results that are there")
    return made


def main():
    options = parser().parse_args()
    os.environ["DETENT"] = os.environ.get("DETENT") or str(ROOT / "build/release/detent")
    if "DETENT_WEB" not in os.environ:
        install = [str(ROOT / "tests/engines/install.sh")]
        subprocess.run([*install, "web"], check=False, stdout=sys.stderr)
        os.environ["DETENT_WEB"] = subprocess.run([*install, "--path", "web"], capture_output=True, text=True, check=True).stdout.strip()
    every = networks.NETWORKS + EXPORTS
    table = Table(options)
    for name in options.again:
        for kind in ("default", "chosen", "measure1", "measure2"):
            (table.results / f"{name}.{kind}.json").unlink(missing_ok=True)
    for network in every:
        if not options.page and (not options.network or network.name in options.network):
            table.one(network)
    rows = table.collected(every)
    if options.page:
        write_page(rows)
    print("\n".join(lines(rows)))


if __name__ == "__main__":
    main()
