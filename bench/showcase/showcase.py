"""Detent beside its peers on the same networks and samples, as one page.

    scripts/showcase FOLDER [NETWORK...]

FOLDER gets index.html and results.json, and keeps everything: downloads, samples, each tool's file, and one JSON file
for each network and tool in FOLDER/results. What is there is not done again, so a run may be interrupted at any time;
--again NAME removes results of a network or tool first. The peers run in environments that tests/engines/install.sh
makes from requirements-NAME.txt here. DETENT, DETENT_SHARED and DETENT_ENGINES as in tests/engines."""

import argparse
import datetime
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import networks
import page
import sources

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Tool: adapter in tools/, environment (None: this Python), words for the adapter.
TOOLS = {
    "detent": ("detent.py", None, ["--target=onnxruntime"]),
    "detent_openvino": ("detent.py", None, ["--target=openvino"]),
    # By the latency of the engine itself; only for networks where the default is slower than float.
    "detent_search": ("detent.py", "judge", ["--target=onnxruntime", "--latency-command=onnxruntime --threads {threads} --clock {clock}"]),
    "detent_openvino_search": ("detent.py", "judge",
                               ["--target=openvino", "--latency-command=openvino --threads {threads} --clock {clock}"]),
    "ort_static": ("onnxruntime_static.py", "judge", []),
    "ort_dynamic": ("onnxruntime_dynamic.py", "judge", []),
    "nncf": ("nncf_onnx.py", "nncf", []),
    "modelopt": ("modelopt_onnx.py", "modelopt", []),
}
OURS = {"onnxruntime": "detent", "openvino": "detent_openvino"}  # engine: our default file for it
ENGINES = list(OURS)


@functools.cache
def python(environment):
    """Returns the interpreter of an environment, which is made first if it is missing."""
    if environment is None:
        return sys.executable
    command = [str(ROOT / "tests/engines/install.sh")]
    variables = os.environ | {"DETENT_REQUIREMENTS": str(HERE)}
    subprocess.run([*command, environment], env=variables, check=False, stdout=sys.stderr)
    found = subprocess.run([*command, "--path", environment], env=variables, capture_output=True, text=True, check=True)
    path = pathlib.Path(found.stdout.strip()) / "bin/python"
    if not path.exists():
        raise sources.Missing(f"the environment {environment} cannot be installed")
    return str(path)


def call(command, seconds):
    """Returns the last line of the command's output as JSON, or {"error": reason}. The command and what it started are
    one process group, which ends with its time or with this program. It runs in an empty folder that is removed: peers
    leave weights and temporary models in the current one."""
    variables = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "CUDA_VISIBLE_DEVICES": ""}
    variables |= {name: os.path.abspath(os.environ[name]) for name in ("DETENT", "DETENT_SHARED") if os.environ.get(name)}
    with tempfile.TemporaryDirectory(prefix="detent-showcase-") as folder:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True, env=variables, cwd=folder)
        try:
            out, errors = process.communicate(timeout=max(1, seconds))
        except BaseException as stopped:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(stopped, subprocess.TimeoutExpired):
                return {"error": f"stopped after {seconds:.0f} s"}
            raise
    if process.returncode == 0:
        try:
            return json.loads(out.strip().splitlines()[-1])
        except (ValueError, IndexError):
            pass
    lines = [line for line in (errors.strip() or out.strip()).splitlines() if line.strip()]
    return {"error": lines[-1].strip()[:300] if lines else f"exit status {process.returncode}"}


def write(path, document):
    """Writes JSON whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(document, indent=1) + "\n")
    part.rename(path)


class Showcase:
    def __init__(self, options, tools=TOOLS, programs=HERE, interpreter=python):
        self.options, self.folder = options, options.folder.resolve()
        self.tools, self.programs, self.python = tools, programs, interpreter
        self.results = self.folder / "results"
        self.results.mkdir(parents=True, exist_ok=True)
        self.limit = 60 * options.minutes

    def key(self):
        """Returns what a kept result must agree with."""
        return {name: getattr(self.options, name) for name in ("calibration", "samples", "threads")}

    def kept(self, name):
        path = self.results / f"{name}.json"
        if path.exists():
            document = json.loads(path.read_text())
            if document["key"] == self.key():
                return document
        return None

    def job(self, name, document):
        path = self.folder / "jobs" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(document))
        return str(path)

    def result(self, name, work):
        """Returns the kept result, or the one of work(), which is kept. A failure is a result, too."""
        document = self.kept(name)
        if document is None:
            begun = time.monotonic()
            print(f"  {name} ...", end="", file=sys.stderr, flush=True)
            document = {"key": self.key(), **work(), "seconds": round(time.monotonic() - begun, 1),
                        "date": datetime.date.today().isoformat()}
            write(self.results / f"{name}.json", document)
            print(f" {document.get('error') or 'done'}, {document['seconds']} s", file=sys.stderr)
            self.spent += document["seconds"]
        return document

    def left(self, share=1.0):
        return min(share * self.limit, max(5, self.limit - self.spent))

    def make_samples(self, network, model):
        folder = self.folder / "samples" / network.name
        shutil.rmtree(folder, ignore_errors=True)
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        answer = call([self.python("judge"), str(self.programs / "samples.py"), self.job(f"{network.name}.samples", {
            "model": str(model), "samples": network.samples, "calibration": self.options.calibration,
            "test": self.options.samples, "out": str(part)})], self.left(.5))
        if not (part / "truths.json").exists():
            return {"error": answer["error"]}
        part.rename(folder)
        counts = {part: len(list((folder / part).glob("*.npz"))) for part in ("calib", "test")}
        return {"counts": counts}

    def judge(self, network, model, file, is_float):
        return call([self.python("judge"), str(self.programs / "judge.py"), self.job(f"{network.name}.judge", {
            "model": str(file), "float_model": str(model), "float": is_float, "score": network.score, "numbers": network.numbers,
            "threads": self.options.threads, "samples": str(self.folder / "samples" / network.name)})], self.left(.3))

    def quantize(self, network, model, tool):
        adapter, environment, words = self.tools[tool]
        out = self.folder / "files" / network.name / f"{tool}.onnx"
        out.parent.mkdir(parents=True, exist_ok=True)
        for old in out.parent.glob(f"{out.name}*"):
            old.unlink()
        begun = time.monotonic()
        try:
            answer = call([self.python(environment), str(self.programs / "tools" / adapter), self.job(f"{network.name}.{tool}", {
                "model": str(model), "calib": str(self.folder / "samples" / network.name / "calib"), "out": str(out),
                "kind": network.kind, "threads": self.options.threads,
                "words": [word.format(**vars(self.options)) for word in words]})], self.left(.3))
        except sources.Missing as error:
            return {"error": str(error)}
        answer["quantize_seconds"] = round(time.monotonic() - begun, 1)
        if "error" in answer:
            return answer
        return answer | self.judge(network, model, out, False)

    def times(self, network, model, engine, found):
        files = {"float": str(model)}
        for tool, result in found.items():
            wanted = not tool.startswith("detent") or tool.removesuffix("_search") == OURS[engine]
            if "error" not in result and wanted:
                files[tool] = str(self.folder / "files" / network.name / f"{tool}.onnx")
        answer = call([self.python("judge"), str(self.programs / "timing.py"), self.job(f"{network.name}.{engine}", {
            "engine": engine, "files": files, "samples": str(self.folder / "samples" / network.name), "numbers": network.numbers,
            "threads": self.options.threads, "clock": self.options.clock, "seconds": self.options.seconds})], self.left(.3))
        return answer if "error" in answer else {"times": answer}

    def one(self, network):
        """Fills the results of a network, at most in its minutes."""
        self.spent = 0.0
        print(network.name, file=sys.stderr)
        try:
            model = sources.fetch(network.where, self.folder / "downloads", self.python)
            if not (self.folder / "samples" / network.name / "truths.json").exists():
                (self.results / f"{network.name}.samples.json").unlink(missing_ok=True)
            made = self.result(f"{network.name}.samples", lambda: self.make_samples(network, model))
            if "error" in made:
                return
        except sources.Missing as error:
            print(f"  skipped: {error}", file=sys.stderr)
            write(self.results / f"{network.name}.samples.json", {"key": self.key(), "error": str(error)})
            return
        floats = self.result(f"{network.name}.float", lambda: self.judge(network, model, model, True))
        if "error" in floats:
            return
        found = {tool: self.result(f"{network.name}.{tool}", lambda tool=tool: self.quantize(network, model, tool))
                 for tool in self.tools if (tool in self.options.tool if self.options.tool else not tool.endswith("_search"))}
        if not self.options.tool:
            for engine in ENGINES:
                self.time(network, model, engine, found)

    def time(self, network, model, engine, found):
        """Fills the milliseconds of all files in an engine. Where ours is slower than float beyond the noise, the search by
        latency makes one file more, and all are timed anew."""
        name = f"{network.name}.time_{engine}"
        times = self.result(name, lambda: self.times(network, model, engine, found)).get("times", {})
        ours, search = OURS[engine], f"{OURS[engine]}_search"
        if search not in self.tools or search in found:
            return
        slower = times.get(ours, {}).get("ms", 0) > (1 + page.NOISE_OF_TIME) * times.get("float", {}).get("ms", float("inf"))
        if slower or self.kept(f"{network.name}.{search}"):
            found[search] = self.result(f"{network.name}.{search}", lambda: self.quantize(network, model, search))
            if "error" not in found[search] and search not in times:
                (self.results / f"{name}.json").unlink()
                self.result(name, lambda: self.times(network, model, engine, found))

    def forget(self, names):
        for name in names:
            for path in [*self.results.glob(f"{name}.*.json"), *self.results.glob(f"*.{name}.json"),
                         *self.results.glob(f"*.{name}_search.json")]:
                path.unlink()
                if name in self.tools:  # all times of a network are of one run
                    for old in self.results.glob(f"{path.name.split('.')[0]}.time_*.json"):
                        old.unlink()

    def all(self, table):
        """Fills the results of the networks asked for, writes the page after each, and returns the exit status."""
        self.forget(self.options.again)
        if self.options.retry:
            for path in self.results.glob("*.json"):
                if "error" in json.loads(path.read_text()):
                    path.unlink()
        code = 0
        try:
            for network in table:
                if not self.options.page and (not self.options.network or network.name in self.options.network):
                    self.one(network)
                    page.write(self.folder, table, self.options)
        except KeyboardInterrupt:
            print("\ninterrupted: the same command goes on", file=sys.stderr)
            code = 130
        page.write(self.folder, table, self.options)
        return code


def parser():
    made = argparse.ArgumentParser(prog="showcase", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = made.add_argument
    names = [network.name for network in networks.NETWORKS]
    add("folder", type=pathlib.Path, metavar="FOLDER")
    add("network", nargs="*", choices=[[], *names], metavar="NETWORK", help=f"default: all of {', '.join(names)}")
    add("--tool", action="append", choices=list(TOOLS), help="only these (repeatable); default: all, and the times")
    add("--calibration", type=int, default=100, metavar="N", help="samples to calibrate with (100)")
    add("--samples", type=int, default=100, metavar="N", help="samples to judge on, at most 500 (100)")
    add("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="N", help="default: all cores")
    add("--minutes", type=float, default=10, metavar="M", help="longest time for a network (10)")
    add("--seconds", type=float, default=8, metavar="S", help="time for the milliseconds of a network in an engine (8)")
    add("--clock", choices=["wall", "cpu"], default="wall", help="cpu: CPU time, for busy machines, with --threads 1")
    add("--again", action="append", default=[], metavar="NAME", help="forget the results of a network or a tool first")
    add("--retry", action="store_true", help="forget failures first")
    add("--page", action="store_true", help="only write the page of the results that are there")
    return made


def main():
    options = parser().parse_args()
    options.samples = min(options.samples, 500)
    os.environ["DETENT"] = os.environ.get("DETENT") or str(ROOT / "build/release/detent")
    code = Showcase(options).all(networks.NETWORKS)
    print(options.folder / "index.html")
    sys.exit(code)


if __name__ == "__main__":
    main()
