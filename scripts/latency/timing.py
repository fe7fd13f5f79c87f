"""Shared by the ready latency commands (README.md), into which the build copies it."""

import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import sys
import time


class Failure(Exception):
    """The engine does not take the file."""


def shapes_of(inputs, options):
    """Returns the shape of each input, of [(name, dtype, sizes)]; an open size is a name or None. It is the batch on
    axis 0, what another input's --shape gives to its name, or 1."""
    unknown = set(options.shape) - {name for name, _, _ in inputs}
    if unknown:
        options.refuse(f"--shape: no input is named '{unknown.pop()}', they are {', '.join(one[0] for one in inputs)}")
    named = {}
    for name, _, sizes in inputs:
        given = options.shape.get(name, sizes)
        if len(given) != len(sizes) or any(isinstance(old, int) and old != new for old, new in zip(sizes, given)):
            options.refuse(f"--shape: input '{name}' has the shape {','.join(str(size or '?') for size in sizes)}")
        named.update((old, new) for old, new in zip(sizes, given) if isinstance(old, str) and isinstance(new, int))
    shapes = {name: options.shape.get(name) or
              [size if isinstance(size, int) else named.get(size, 1 if axis else options.batch)
               for axis, size in enumerate(sizes)] for name, _, sizes in inputs}
    fixed = [name for name, shape in shapes.items() if options.batch != 1 and shape and shape[0] != options.batch]
    if fixed:
        options.refuse(f"--batch: the first size of input '{fixed[0]}' is {shapes[fixed[0]][0]}")
    return shapes


def dtype_of(kind):
    """Returns NumPy's name of "tensor(float)" and the like in ONNX Runtime."""
    kind = kind.removeprefix("tensor(").removesuffix(")")
    return {"float": "float32", "double": "float64"}.get(kind, kind)


def working_feed(inputs, shapes, run):
    """Returns the same arrays in each call: normal floats, and whole numbers that are 1, or 0 if the model does not run
    with 1, say because a table has one row."""
    import numpy
    reason = None
    for whole in (1, 0):
        random, feed = numpy.random.default_rng(1), {}
        for name, dtype, _ in inputs:
            try:
                floats = numpy.dtype(dtype).kind == "f"
            except TypeError:
                raise Failure(f"there is no data for input '{name}', whose type is {dtype}") from None
            values = random.standard_normal(shapes[name]) if floats else numpy.full(shapes[name], whole)
            feed[name] = values.astype(dtype)
        try:
            run(feed)
            return feed
        except Exception as error:  # noqa: BLE001: each of the engine's errors is an answer
            reason = reason or error
    raise Failure(reason)


def milliseconds(run, options):
    """Returns the median of ten minima, each over a tenth of the time. A pause of the machine changes a few runs of a
    tenth, or a few tenths, and neither changes this."""
    clock = time.process_time if options.clock == "cpu" else time.perf_counter
    begun, runs = time.perf_counter(), 0
    while runs < 2 or time.perf_counter() < begun + options.seconds / 5:  # caches and clock rate warm up
        run()
        runs += 1
    minima, runs, begun = [], 0, time.perf_counter()
    while runs < options.runs or time.perf_counter() < begun + options.seconds:
        times, end = [], begun + options.seconds * (len(minima) + 1) / 10
        while not times or time.perf_counter() < end:
            start = clock()
            own = run()  # the seconds of an engine in another process
            times.append(own if isinstance(own, float) else clock() - start)
        minima.append(min(times))
        runs += len(times)
    return 1000 * statistics.median(minima) / (options.threads if options.clock == "cpu" else 1)


def cpu_name():
    """Returns the CPU's name and its best instructions for INT8, which the name of a virtual CPU does not tell."""
    info = pathlib.Path("/proc/cpuinfo")
    text = info.read_text() if info.exists() else ""
    name = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
    name = name[1].strip() if name else platform.processor() or platform.machine()
    best = (one for one in ("amx_int8", "avx512_vnni", "avx_vnni", "avx2", "i8mm", "asimddp") if f" {one}" in text)
    return f"{name} {next(best, '')}".strip()


def positive(word):
    if not re.fullmatch(r"[1-9]\d*", word):
        raise argparse.ArgumentTypeError(f"'{word}' is not a whole number from 1 on")
    return int(word)


def named_shape(word):
    name, _, sizes = word.rpartition("=")
    if not name or not re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", sizes):
        raise argparse.ArgumentTypeError(f"'{word}' is not NAME=SIZE,SIZE,...")
    return name, [int(size) for size in sizes.split(",")]


def main(about, engine, packages, prepare, *more_options):
    """Prints the answer. Libraries print to stdout, too, even when the process ends: only `answer` leads there."""
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(prog=engine, description=about, allow_abbrev=False)
    add = parser.add_argument
    add("--threads", type=positive, default=cores, metavar="N",
        help=f"threads that compute (default: all cores, {cores})")
    add("--batch", type=positive, default=1, metavar="N", help="size of an open first axis (default: 1)")
    add("--shape", type=named_shape, action="append", default=[], metavar="NAME=SIZE,...",
        help="shape of an input; other open sizes are 1 (repeatable)")
    add("--runs", type=positive, default=10, metavar="N", help="runs at least (default: 10)")
    add("--seconds", type=float, default=1, metavar="S", help="seconds at least (default: 1)")
    add("--clock", choices=["wall", "cpu"], default="wall",
        help="cpu: CPU time over threads, for busy machines, best with --threads 1 (default: wall)")
    for name, keywords in more_options:
        add(name, **keywords)
    add("model", metavar="FILE.onnx")
    options = parser.parse_args()
    options.shape, options.refuse = dict(options.shape), parser.error
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    reason, code = "", 0
    try:
        version, device, run = prepare(options)
        machine = {"engine": engine + (", CPU time" if options.clock == "cpu" else ""), "version": version,
                   "device": device, "threads": str(options.threads), "batch": str(options.batch)}
        answer.write(f"{json.dumps(machine)}\n{milliseconds(run, options):.6g}\n")
    except ImportError as error:
        reason, code = f"{error}; pip install {packages}", 3
    except Failure as error:
        reason, code = " ".join(str(error).split())[:1000], 1
    if reason:
        print(f"{engine}: {reason}", file=sys.stderr)
    sys.stderr.flush()
    answer.close()
    os._exit(code)  # a library that crashes while it is unloaded changes no answer
