"""compare_with_onnxruntime.py [--rounds 15] [--threads 2] [--only NAME,...] [--seconds 1] [--json FILE] [--cpu]
                            [--instructions native|avx512|avx2]

Runs `run` and `calibrate` beside ONNX Runtime, alternately, on the same inputs: milliseconds a sample, their ratios,
and the peak memory of `quantize` over the same samples. Environment: DETENT (the program, default
build/release/detent), DETENT_SHARED (models, default ../shared)."""

import argparse
import json
import os
import pathlib
import tempfile
import time

import numpy
import onnxruntime
from clocks import CLOCKS, time_ours
from onnxruntime_cpu import restrict_to
from speed_models import BASE, LARGE, MODELS, ROOT, processor, stack

PROGRAM = os.environ.get("DETENT") or str(ROOT / "build/release/detent")


def quartiles(numbers):
    return [round(float(q), 4) for q in numpy.quantile(numbers, (0.25, 0.5, 0.75))]


class Theirs:
    """A model in ONNX Runtime."""

    def __init__(self, file, given):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = given.threads, 3
        self.session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        self.now = CLOCKS[given.clock]

    def time(self, inputs, batch, count):
        """Returns the milliseconds of a sample over `count` of {input: stack}."""
        every, begun = len(next(iter(inputs.values()))), self.now()
        for done in range(0, count, batch):
            start = done % (every - batch + 1)
            self.session.run(None, {name: samples[start:start + batch] for name, samples in inputs.items()})
        return 1000 * (self.now() - begun) / count


def measure(model, given, folder):
    file, batch, short = model.written(folder), model.batch, model.short
    theirs = Theirs(file, given)
    described = model.inputs or {theirs.session.get_inputs()[0].name: {"dims": model.dims}}
    probe = {name: stack(2 * batch, **one) for name, one in described.items()}
    theirs.time(probe, batch, 2 * batch)
    about = theirs.time(probe, batch, 4 * batch)
    long = short + max(16, batch * -int(-given.seconds * 1000 / about // batch))
    long = min(long, model.most or long)
    inputs = {name: stack(long, **one) for name, one in described.items()}
    data = []
    for index, (name, samples) in enumerate(inputs.items()):
        numpy.save(folder / f"input{index}.npy", samples)
        data += ["--data", f"{name}={folder / f'input{index}.npy'}"]
    end = [*data, "--threads", given.threads]
    isa = ["--isa", given.instructions]
    # Not `quantize`: its work behind the pass depends on the verdict, which a few more samples may change.
    commands = {"run": ["run", file, *end, *isa, "-o", folder / "outputs"],
                "calibrate": ["calibrate", file, "--target", "tensorrt:10.13", *end, *isa, "-o", folder / "table.dct"]}
    rounds = []
    for _ in range(given.rounds):
        taken = {"theirs": theirs.time(inputs, batch, long - short)}
        time.sleep(0.05)  # ONNX Runtime's threads spin for a while after a run
        for command, words in commands.items():
            few, many = (1000 * time_ours([PROGRAM, *words, "--limit", count], given.clock) for count in (short, long))
            # The cost of a sample without start and end.
            taken[command] = (many - few) / (long - short)
            taken[f"whole {command}"] = many / long
        rounds.append(taken)
    report = folder / "report.json"
    time_ours([PROGRAM, "quantize", file, "--accept-broken", *end, "--calibrator", "max", "-o", folder / "quantized.onnx",
               f"--json={report}"], given.clock)
    times = {key: quartiles([taken[key] for taken in rounds]) for key in rounds[0]}
    ratios = {command: quartiles([taken[command] / taken["theirs"] for taken in rounds]) for command in commands}
    return {"name": model.name, "samples": long, "ms": times, "ratio": ratios, "bound": model.bound,
            "peak_mb": json.loads(report.read_text())["peak_mb"]}


def line_of(found):
    ms, bound = found["ms"], found["bound"]
    numbers = "".join(f"  {ms[key][1]:6.2f}" for key in ("theirs", "run", "whole run", "calibrate"))
    ratios = "".join(f"  {middle:6.2f} ({low:.2f}-{high:.2f}){'  ' if middle <= bound else ' >'}"
                     for low, middle, high in found["ratio"].values())
    return f"{found['name']:19}  {found['samples']:7}{numbers}  {found['peak_mb']:6.0f}{ratios}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--rounds", type=int, default=15)
    add("--threads", type=int, default=2)
    add("--only", metavar="NAME,...", help=f"of {', '.join(MODELS)}")
    add("--seconds", type=float, default=1, help="how much longer the long runs are than the short ones")
    add("--json", type=pathlib.Path)
    add("--cpu", dest="clock", action="store_const", const="cpu", default="wall",
        help="time on the CPU instead of the wall, for a machine that others use; with --threads 1, because ONNX Runtime's "
        "threads spin while they wait")
    add("--instructions", default="native",
        help="Detent with --isa, and ONNX Runtime's matrix products without newer instructions than these")
    given = parser.parse_args()
    restrict_to(given.instructions)
    print(f"{processor()}, instructions: {given.instructions}, {given.threads} threads, {given.rounds} rounds; ms "
          f"{'of CPU time ' if given.clock == 'cpu' else ''}a sample, medians; ratios with quartiles; > misses its bound")
    print("model                samples  ONNX Rt     run   whole  calibr.  peak MB   run / ONNX Rt       calibrate / ONNX Rt")
    results = []
    for name in given.only.split(",") if given.only else [name for name in MODELS if name not in (BASE, LARGE)]:
        with tempfile.TemporaryDirectory(prefix="detent-bench-") as folder:
            results.append(measure(MODELS[name], given, pathlib.Path(folder)))
        print(line_of(results[-1]), flush=True)
    if given.json:
        given.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
