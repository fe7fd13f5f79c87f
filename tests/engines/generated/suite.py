"""suite.py JUDGE [--slice] [--update] [--results FILE] [NETWORK...]

Quantizes generated networks (networks.py) with the program (environment DETENT), runs each file in an engine with the
samples that its report judges, and compares claim and engine. JUDGE is a row of JUDGES. Exits 1 if a check fails that
is no exception of expected.json, or if an exception passes. FILE (default: build/engines/generated-JUDGE.jsonl) keeps a
line for each network, so that a run that was interrupted goes on.

  --slice   only a part, for each landing
  --update  write what was found into expected.json
  NETWORK   beginnings of names: attention, operator/image/Relu"""

import argparse
import concurrent.futures
import json
import pathlib
import queue
import resource
import selectors
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent))

import judge as models_judge
import measures
import models
import networks
import numpy
import onnx

# Name: engine, target, more options of `quantize`, checks that are left out.
JUDGES = {
    "openvino": ("openvino", "openvino", [], ()),
    "onnxruntime": ("onnxruntime", "onnxruntime", [], ()),
    # Not what the engine likes, and lint says so; the files have to load and to be right.
    "onnxruntime-int8": ("onnxruntime", "onnxruntime", ["--activation=int8"], ("lint", "layers")),
    "qnn": ("qnn", "qnn", [], ()),
}
LANES = {"qnn": 1}  # networks judged at a time; the emulator takes gigabytes
LIMIT_SECONDS = {"qnn": 240}
EXPECTED = HERE / "expected.json"


class Worker:
    """A process that judges one file after the other. One that dies or takes too long is replaced."""

    def __init__(self, engine):
        self.engine, self.process = engine, None

    def _start(self):
        def limit():
            if self.engine in models_judge.LIMIT_BYTES:
                resource.setrlimit(resource.RLIMIT_AS, (models_judge.LIMIT_BYTES[self.engine],) * 2)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        self.process = subprocess.Popen([sys.executable, HERE / "suite_worker.py", self.engine], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        preexec_fn=limit)

    def judge(self, job):
        if self.process is None:
            self._start()
        seconds = LIMIT_SECONDS.get(self.engine, 60)
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        with selectors.DefaultSelector() as waiting:
            waiting.register(self.process.stdout, selectors.EVENT_READ)
            line = self.process.stdout.readline() if waiting.select(seconds) else None
        if line:
            return json.loads(line)
        self.close()
        said = f"not done after {seconds} s" if line is None else "the engine's process died"
        return {"failed": {"loads": said}, "values": {}, "share": None}

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


def judge_network(name, how, worker, folder):
    """Quantizes one network and judges its file. Returns {failed, values, share, claims}."""
    engine, target, options, left_out = how
    model, calibration, judged = networks.generate(name)
    float_path, path = folder / "float.onnx", folder / "qdq.onnx"
    onnx.save(model, float_path)
    data = []
    for option, samples in (("--data", calibration), ("--eval", judged)):
        for key, array in samples.items():
            numpy.save(folder / f"{option[2:]}__{key}.npy", array)
            data.append(f"{option}={key}={folder / f'{option[2:]}__{key}.npy'}")
    numpy.savez(folder / "feeds.npz", **judged)
    code, text, said = models_judge.detent("quantize", str(float_path), f"--target={target}", "-o", str(path),
                                           "--quiet", "--json", *data, *options)
    if not path.exists():
        return {"failed": {"quantized": f"exit {code}: {models_judge.last_line(said)}"}, "values": {}, "share": None}
    report = json.loads(text)
    claims = {row["name"]: row["sqnr_db"] for row in report["error"]["outputs"]}
    layers = models_judge.weighted_layers(path, target, judged)
    job = {"float": str(float_path), "path": str(path), "feeds": str(folder / "feeds.npz"), "layers": layers,
           "claims": claims}
    found = worker.judge(job)
    found["claims"] = claims
    found["failed"] |= measures.check_report(report["coverage"], layers) | check_lint(path, target)
    found["failed"] = {check: said for check, said in found["failed"].items() if check not in left_out}
    return found


def check_lint(path, target):
    code, text, said = models_judge.detent("lint", str(path), f"--target={target}", "--json")
    if code not in (0, 1):
        return {"lint": f"exit {code}: {models_judge.last_line(said)}"}
    found = [finding for finding in json.loads(text)["findings"] if finding["level"] in ("error", "warning")]
    return {"lint": f"{len(found)} findings: {found[0]['id']}"} if found else {}


def chosen_names(asked):
    names = list(networks.table())
    if asked.slice:
        names = [name for name in names if networks.in_slice(name)]
    missing = [start for start in asked.networks if not any(name.startswith(start) for name in names)]
    if missing:
        sys.exit(f"suite.py: no network '{missing[0]}'")
    return [name for name in names if not asked.networks or name.startswith(tuple(asked.networks))]


def judge_all(judge, names, results):
    """Yields a row for each network whose line is not there yet, and the lines that are."""
    sources = [models_judge.PROGRAM, *sorted(HERE.glob("*.py")), *sorted(HERE.parent.glob("*.py"))]
    digest = models_judge.digest_of(sources)
    results.parent.mkdir(parents=True, exist_ok=True)
    known = models_judge.read_rows(results)
    engine = JUDGES[judge][0]
    lanes = LANES.get(engine, 2)
    workers = queue.Queue()
    for _ in range(lanes):
        workers.put(Worker(engine))

    def one(name):
        if (name, digest) in known:
            return known[name, digest]
        begun, worker = time.monotonic(), workers.get()
        with tempfile.TemporaryDirectory(prefix="detent-generated-") as folder:
            found = judge_network(name, JUDGES[judge], worker, pathlib.Path(folder))
        workers.put(worker)
        return {"judge": judge, "model": name, "digest": digest, "seconds": round(time.monotonic() - begun, 1), **found}

    with concurrent.futures.ThreadPoolExecutor(lanes) as pool, open(results, "a", encoding="utf-8") as file:
        for row in pool.map(one, names):
            if (row["model"], digest) not in known:
                file.write(json.dumps(row) + "\n")
                file.flush()
            yield row
    while not workers.empty():
        workers.get().close()


def load_expected():
    return json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}


def compare(row, table, kind):
    """Returns a line for each difference of a row from the exceptions: {judge: {network: {check: reason}}}. They were
    found on a CPU with AVX2; on another kind one may pass, and the kernels of layers are not judged."""
    exceptions = table.get(row["judge"], {}).get(row["model"], {})
    ignored = {"layers"} if kind == "vnni" else set()
    said = [f"{row['judge']} {row['model']}: {check}: {what}" for check, what in row["failed"].items()
            if check not in exceptions and check not in ignored]
    if kind != "vnni":
        said += [f"{row['judge']} {row['model']}: {check} passes now; remove its exception ({reason})"
                 for check, reason in exceptions.items() if check not in row["failed"]]
    return said


def update(rows, table):
    """Writes what fails into the table. The reason of an exception that was there stays."""
    for row in rows:
        old = table.setdefault(row["judge"], {}).pop(row["model"], {})
        if row["failed"]:
            table[row["judge"]][row["model"]] = {check: old.get(check, what) for check, what in row["failed"].items()}
    EXPECTED.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("judge", choices=JUDGES)
    parser.add_argument("networks", nargs="*", metavar="NETWORK")
    parser.add_argument("--slice", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--results", type=pathlib.Path)
    asked = parser.parse_args()
    if not models_judge.PROGRAM.exists():
        sys.exit(f"suite.py: {models_judge.PROGRAM} is not there; build it, or name it with DETENT")
    results = asked.results or models.ROOT / f"build/engines/generated-{asked.judge}.jsonl"
    table, wrong, rows, begun = load_expected(), [], [], time.monotonic()
    kind = models_judge.cpu_kind(JUDGES[asked.judge][0])
    for row in judge_all(asked.judge, chosen_names(asked), results):
        rows.append(row)
        wrong += compare(row, table, kind)
        for check, said in row["failed"].items():
            print(f"{row['model']}: {check}: {said}", flush=True)
    if asked.update:
        update(rows, table)
        wrong = []
    good = sum(not row["failed"] for row in rows)
    print(f"\n{asked.judge}: {good} of {len(rows)} networks pass in {time.monotonic() - begun:.0f} s; "
          f"{len(wrong)} differences from expected.json")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
