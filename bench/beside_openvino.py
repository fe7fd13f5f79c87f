"""beside_openvino.py [NETWORK...]

`run` and `calibrate` beside OpenVINO's float on the CPU: milliseconds a sample, one after the other in every round, on
the same inputs and threads. Theirs is the better of batch 1 and batch 8 (INFERENCE_PRECISION_HINT=f32, one stream,
outputs not copied). Ours is the marginal cost of a sample: a long run of the program less a short one. Prints a row of
Markdown for each network: medians over the rounds, and ratios with quartiles.

Runs in the environment of tests/engines (install.sh openvino). The list of networks: speed_models.py.
DETENT (the program; several, separated by colons, run alternately) and DETENT_SHARED as in tests/engines."""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

import numpy
import onnx
import onnx.inliner
import openvino
from clocks import CLOCKS, time_ours
from speed_models import BASE, LARGE, MODELS, processor, stack

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = (os.environ.get("DETENT") or str(ROOT / "build/release/detent")).split(":")
SHORT = 16  # samples of the short run


class Theirs:
    """A network compiled for one batch."""

    def __init__(self, file, inputs, batch, threads):
        model = openvino.Core().read_model(file)
        shapes = {name: [batch, *x.shape[1:]] for name, x in inputs.items()}
        if any(model.input(name).partial_shape.rank != len(shape) for name, shape in shapes.items()):
            shapes = {name: shape[1:] for name, shape in shapes.items()}  # a sample is the whole input
            if batch > 1:
                raise RuntimeError("the model has no batch axis")
        model.reshape(shapes)
        settings = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": "1", "INFERENCE_PRECISION_HINT": "f32"}
        self.request = openvino.Core().compile_model(model, "CPU", settings).create_infer_request()
        self.batch, count = batch, len(next(iter(inputs.values())))
        self.inputs = [{name: openvino.Tensor(x[i:i + batch].reshape(shapes[name]), shared_memory=True)
                        for name, x in inputs.items()} for i in range(0, count - batch + 1, batch)]
        self.next = 0

    def time(self, seconds, clock):
        """Returns the milliseconds of a sample over about so many seconds, with one inference before."""
        now, samples, begun = CLOCKS[clock], -self.batch, None
        end = time.monotonic() + seconds
        while samples <= 0 or time.monotonic() < end:
            for name, tensor in self.inputs[self.next].items():
                self.request.set_tensor(name, tensor)
            self.next = (self.next + 1) % len(self.inputs)
            self.request.infer(share_outputs=True)
            samples += self.batch
            begun = begun or now()
        return 1000 * (now() - begun) / samples


def marginal(words, long, clock):
    few, many = (time_ours([*words, f"--limit={count}"], clock) for count in (SHORT, long))
    return 1000 * (many - few) / (long - SHORT)


def measure(network, options, folder):
    name, file = network.name, str(network.written(folder))
    model = onnx.load(file, load_external_data=False)
    theirs_file = file
    if model.functions:  # OpenVINO takes none
        theirs_file = str(folder / f"{name}_inlined.onnx")
        onnx.save(onnx.inliner.inline_local_functions(onnx.load(file)), theirs_file)
    constants = {tensor.name for tensor in model.graph.initializer}
    first = next(value.name for value in model.graph.input if value.name not in constants)
    described = network.inputs or {first: {"dims": network.dims}}

    def stacks(count):
        return {key: stack(count, **value) for key, value in described.items()}

    about = Theirs(theirs_file, stacks(32), 1, options.threads).time(0.3, options.clock)
    long = SHORT + max(16, 8 * round(125 * options.seconds / about))
    inputs = stacks(long)
    theirs = {}
    for batch in (1, 8):
        try:
            theirs[batch] = Theirs(theirs_file, inputs, batch, options.threads)
        except RuntimeError as error:
            if batch == 1:
                raise
            print(f"  {name}: no batch {batch}: {str(error).strip().splitlines()[-1]}", file=sys.stderr)
    data = []
    for index, (key, samples) in enumerate(inputs.items()):
        numpy.save(folder / f"{index}.npy", samples)
        data.append(f"--data={key}={folder / f'{index}.npy'}")
    end = [*data, f"--threads={options.threads}"]
    commands = {"run": ["run", file, *end, f"--output={folder / 'outputs'}"],
                "calibrate": ["calibrate", file, "--target=tensorrt:10.13", *end, f"--output={folder / 'table.dct'}"]}
    rounds = []
    for _ in range(options.rounds):
        taken = {f"batch {batch}": one.time(options.seconds, options.clock) for batch, one in theirs.items()}
        for command, words in commands.items():
            for program in PROGRAMS:
                taken[f"{command} {program}"] = marginal([program, *words], long, options.clock)
        rounds.append(taken)
    return {"name": name, "samples": long, "threads": options.threads, "clock": options.clock, "rounds": rounds}


def quartiles(numbers):
    return [round(float(q), 4) for q in numpy.quantile(numbers, (0.25, 0.5, 0.75))]


def summary(result):
    """Returns quartiles of each time, and of our times over the better of theirs (by its median)."""
    rounds = result["rounds"]
    times = {key: [taken[key] for taken in rounds] for key in rounds[0]}
    better = min((key for key in times if key.startswith("batch")), key=lambda key: numpy.median(times[key]))
    ratios = {key: [own / other for own, other in zip(times[key], times[better])] for key in times
              if not key.startswith("batch")}
    return {"ms": {key: quartiles(value) for key, value in times.items()}, "better": better,
            "ratio": {key: quartiles(value) for key, value in ratios.items()}}


def row(result):
    ms, ratio = ({key: value for key, value in result[part].items()} for part in ("ms", "ratio"))

    def ours(command, part, form):
        return " -> ".join(form(part[f"{command} {program}"]) for program in PROGRAMS)

    def middle(value):
        return f"{value[1]:.3f}"

    def spread(value):
        return f"**{value[1]:.2f}** ({value[0]:.2f}-{value[2]:.2f})"

    cells = [result["name"], ours("run", ms, middle), middle(ms["batch 1"]),
             middle(ms["batch 8"]) if "batch 8" in ms else "", ours("run", ratio, spread),
             ours("calibrate", ratio, spread)]
    return f"| {' | '.join(cells)} |"


def main():
    known = MODELS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("network", nargs="*", metavar="NETWORK", help=f"default: all of {', '.join(known)} that are not large")
    add("--rounds", type=int, default=9)
    add("--threads", type=int, default=1)
    add("--clock", choices=CLOCKS, default="wall",
        help="cpu: time on the CPU, for a machine that others use; with one thread, since waiting threads spin")
    add("--seconds", type=float, default=1, help="of each measurement")
    add("--json", type=pathlib.Path, help="write every round and the quartiles to this file")
    options = parser.parse_args()
    for name in options.network:
        if name not in known:
            parser.error(f"no network is named '{name}'")
    print(f"{processor()}, OpenVINO {openvino.__version__}, {options.threads} thread(s), "
          f"{options.rounds} rounds, {options.clock} clock; ms a sample\n")
    print("| network | run, ms | OpenVINO, batch 1 | batch 8 | run / better | calibrate / better |")
    print("| --- | ---: | ---: | ---: | --- | --- |")
    results = []
    for name in options.network or [name for name in known if name not in (BASE, LARGE)]:
        with tempfile.TemporaryDirectory(prefix="detent-openvino-") as folder:
            result = measure(known[name], options, pathlib.Path(folder))
        results.append({**result, **summary(result)})
        print(row(results[-1]), flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
