"""run.py FOLDER [--seconds N] [--level L] [--builds K] [--jobs J] [--only BEGINNING] [--no-times] [--libraries LIB]

Builds and times the files of FOLDER (written by pack.py) with TensorRT, on a machine with an NVIDIA GPU. Needs nothing
of Detent: Python, numpy, PyTorch (memory and CUDA graphs) and TensorRT's bindings.

It builds the Q/DQ file and the float file of each network in FOLDER/list.json K times, in J processes, and keeps in
FOLDER/results the engines, the layers of the first build of both (NAME.int8.json, NAME.float.json) and a line in
built.jsonl. When all are built, one process runs them: the outputs of the Q/DQ file go to NAME.npz, milliseconds to a
line in results.jsonl. The files of a network take turns, so that both see the same clock. Each line is written at once
and networks with a line are not done again: a run that was cut goes on.

  --seconds    begin no build after so many seconds
  --level      of the builder's optimization, 0 to 5 (3)
  --builds     builds of each file; milliseconds are the median of all (1)
  --jobs       processes that build at a time (1); several disturb each other's choice of kernels
  --only       networks whose name begins so
  --no-times   build only
  --libraries  folder of libnvinfer*.so*, where the bindings do not find them; LIB-site is searched for the bindings"""

import argparse
import ctypes
import glob
import json
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

WARM_UP, ROUNDS, REPEATS = 20, 7, 30  # a time is the median of ROUNDS means of REPEATS
KINDS = ("int8", "float")


def plan_path(folder, name, kind, build):
    return folder / "results" / f"{name}.{kind}.{build}.engine"


def shape_of(name, declared, feed, batch):
    """Returns the shape of an input: the feed's, with `batch` on an open first axis; open axes without a feed are 1."""
    declared = list(declared)
    if all(extent >= 0 for extent in declared):  # of an engine for one shape, too
        return declared
    shape = list(feed[name].shape) if name in feed else [max(extent, 1) for extent in declared]
    if shape and declared[0] < 0 and batch:
        shape[0] = batch
    return shape


def load_libraries(folder):
    """Loads TensorRT's libraries from a folder, in the order of their needs."""
    sys.path.insert(0, folder.rstrip("/") + "-site")
    for name in ("libnvinfer_builder_resource", "libnvinfer.so", "libnvinfer_plugin", "libnvonnxparser"):
        for path in glob.glob(f"{folder}/{name}*"):
            ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)


def import_bindings():
    try:
        import tensorrt
    except ImportError:
        import tensorrt_bindings as tensorrt
    return tensorrt


class Failed(Exception):
    """A file that the engine does not parse, build or run; holds what it said."""


class Judge:
    """Builds and runs files on one GPU, in one process."""

    def __init__(self, level):
        import numpy
        import torch
        self.numpy, self.torch, self.trt = numpy, torch, import_bindings()
        trt = self.trt

        class Log(trt.ILogger):
            def __init__(self):
                trt.ILogger.__init__(self)
                self.lines = []

            def log(self, severity, message):
                if severity <= trt.ILogger.ERROR:
                    self.lines.append(message)

        self.log, self.level, self.timings, self.alive = Log(), level, None, []
        self.builder, self.runtime = trt.Builder(self.log), trt.Runtime(self.log)
        names = {"float32": "float32", "float16": "float16", "bfloat16": "bfloat16", "int64": "int64", "int32": "int32",
                 "int8": "int8", "uint8": "uint8", "bool": "bool"}
        self.types = {getattr(trt, name): getattr(torch, other) for name, other in names.items() if hasattr(trt, name)}

    def failed(self, what):
        return Failed(f"{what}: " + " | ".join(" ".join(line.split())[:300] for line in self.log.lines[-3:]))

    def feed(self, folder, entry):
        return dict(self.numpy.load(folder / entry["feed"])) if entry.get("feed") else {}

    def build(self, path, precisions, feed, batch):
        """Returns the serialized engine. precisions: names of builder flags; none: the types of the file."""
        trt = self.trt
        self.log.lines = []
        typed = getattr(trt.NetworkDefinitionCreationFlag, "STRONGLY_TYPED", None)
        network = self.builder.create_network(1 << int(typed) if typed is not None and not precisions else 0)
        parser = trt.OnnxParser(network, self.log)
        if not parser.parse_from_file(str(path)):
            raise self.failed("parser")
        config = self.builder.create_builder_config()
        config.builder_optimization_level = self.level
        config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
        self.timings = self.timings or config.create_timing_cache(b"")
        config.set_timing_cache(self.timings, True)
        for name in precisions:
            config.set_flag(getattr(trt.BuilderFlag, name))
        tensors = [network.get_input(i) for i in range(network.num_inputs)]
        if any(extent < 0 for tensor in tensors for extent in tensor.shape):
            profile = self.builder.create_optimization_profile()
            for tensor in tensors:
                if not tensor.is_shape_tensor:
                    profile.set_shape(tensor.name, *[shape_of(tensor.name, tensor.shape, feed, batch)] * 3)
            config.add_optimization_profile(profile)
        plan = self.builder.build_serialized_network(network, config)
        if plan is None:
            raise self.failed("builder")
        return bytes(plan)

    def layers(self, engine):
        return engine.create_engine_inspector().get_engine_information(self.trt.LayerInformationFormat.JSON)

    def fill(self, name, data_type, shape, feed):
        numpy, torch = self.numpy, self.torch
        if name in feed:
            array = feed[name]
            if array.shape != tuple(shape):
                array = numpy.resize(array, shape)
        elif data_type.is_floating_point:
            array = numpy.random.default_rng(1).normal(size=shape).astype(numpy.float32)
        else:
            array = numpy.ones(shape, numpy.int64)
        return torch.tensor(numpy.ascontiguousarray(array)).to(data_type)

    def prepare(self, engine, feed, batch):
        """Returns (function that runs the engine once, {output: tensor})."""
        torch, trt = self.torch, self.trt
        context = engine.create_execution_context()
        tensors, outputs = {}, {}
        names = [engine.get_tensor_name(i) for i in range(engine.num_io_tensors)]
        reads = [name for name in names if engine.get_tensor_mode(name) == trt.TensorIOMode.INPUT]
        for name in reads:
            shape = shape_of(name, engine.get_tensor_shape(name), feed, batch)
            tensor = self.fill(name, self.types[engine.get_tensor_dtype(name)], shape, feed)
            context.set_input_shape(name, shape)
            tensors[name] = tensor if engine.is_shape_inference_io(name) else tensor.cuda()
            context.set_tensor_address(name, tensors[name].data_ptr())
        for name in (name for name in names if name not in reads):
            shape = [extent if extent >= 0 else 4096 for extent in context.get_tensor_shape(name)]
            outputs[name] = torch.zeros(shape, dtype=self.types[engine.get_tensor_dtype(name)], device="cuda")
            context.set_tensor_address(name, outputs[name].data_ptr())
        stream = torch.cuda.Stream()
        if not context.execute_async_v3(stream.cuda_stream):
            raise self.failed("run")
        stream.synchronize()

        def directly():
            context.execute_async_v3(torch.cuda.current_stream().cuda_stream)

        try:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                directly()
            once = graph.replay
        except Exception:
            torch.cuda.synchronize()
            once = directly
        self.alive.append((context, tensors, outputs))  # both are freed with the last reference
        return once, outputs

    def milliseconds(self, runs):
        """Returns the milliseconds of each of some functions; they take turns."""
        torch = self.torch
        for run in runs:
            for _ in range(WARM_UP):
                run()
        torch.cuda.synchronize()
        times = [[] for _ in runs]
        for _ in range(ROUNDS):
            for run, found in zip(runs, times):
                begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
                begin.record()
                for _ in range(REPEATS):
                    run()
                end.record()
                torch.cuda.synchronize()
                found.append(begin.elapsed_time(end) / REPEATS)
        return [statistics.median(found) for found in times]

    def build_entry(self, folder, entry, builds):
        """Builds the files of one network and keeps the engines. Returns its line."""
        feed = self.feed(folder, entry)
        row = {"name": entry["name"], "version": self.trt.__version__, "gpu": self.torch.cuda.get_device_name(),
               "level": self.level, "builds": builds, "failed": {}, "seconds": {}}
        for build in range(builds):
            for kind in KINDS:
                if kind not in entry or kind in row["failed"]:
                    continue
                begun = time.monotonic()
                try:
                    plan = self.build(folder / entry[kind], entry["flags"][kind], feed, entry.get("batch"))
                except Failed as failed:
                    row["failed"][kind] = str(failed)
                    continue
                row["seconds"].setdefault(kind, round(time.monotonic() - begun, 1))
                plan_path(folder, entry["name"], kind, build).write_bytes(plan)
                if build == 0:
                    layers = self.layers(self.runtime.deserialize_cuda_engine(plan))
                    (folder / "results" / f"{entry['name']}.{kind}.json").write_text(layers, encoding="utf-8")
        return row

    def time_entry(self, folder, entry, built):
        """Runs the engines of one network. Returns its line with times."""
        self.alive = []
        feed, row, runs = self.feed(folder, entry), dict(built), []
        for build in range(built["builds"]):
            for kind in KINDS:
                if kind not in built["seconds"]:
                    continue
                engine = self.runtime.deserialize_cuda_engine(
                    plan_path(folder, entry["name"], kind, build).read_bytes())
                once, outputs = self.prepare(engine, feed, entry.get("batch"))
                runs.append((kind, once, engine))
                if kind == "int8" and build == 0 and entry.get("outputs", True):
                    self.numpy.savez(folder / "results" / f"{entry['name']}.npz",
                                     **{name: tensor.float().cpu().numpy() for name, tensor in outputs.items()})
        times = self.milliseconds([once for _, once, _ in runs])
        row["ms"], row["all_ms"] = {}, {}
        for kind in built["seconds"]:
            found = [ms for (other, _, _), ms in zip(runs, times) if other == kind]
            row["ms"][kind] = round(statistics.median(found), 5)
            row["all_ms"][kind] = [round(ms, 5) for ms in found]
        return row


def work(options):
    """The worker: reads {"do": "build" or "time", "name", "built"} on stdin, prints a line for each."""
    folder = pathlib.Path(options.folder)
    entries = {entry["name"]: entry for entry in read_list(folder)}
    judge = Judge(options.level)
    print("ready", flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        entry = entries[task["name"]]
        try:
            row = judge.build_entry(folder, entry, options.builds) if task["do"] == "build" else judge.time_entry(
                folder, entry, task["built"])
        except Exception as error:  # whatever a binding throws, the next network must not lose by it
            row = {"name": task["name"], "failed": {"judge": f"{type(error).__name__}: {error}"[:400]}, "seconds": {}}
        print(json.dumps(row), flush=True)


def read_list(folder):
    return json.loads((folder / "list.json").read_text(encoding="utf-8"))


def read_rows(path):
    """Returns {name: row}. Removes a last line that a cut run left incomplete."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    whole = text[:text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    return {row["name"]: row for row in map(json.loads, whole.splitlines())}


class Stage:
    """Hands networks to workers and writes each line at once."""

    def __init__(self, what, names, path, seconds, command):
        self.what, self.open, self.path, self.seconds, self.command = what, list(names), path, seconds, command
        self.lock, self.begun, self.done, self.total = threading.Lock(), time.monotonic(), 0, len(names)

    def next(self):
        with self.lock:
            late = self.seconds and time.monotonic() - self.begun > self.seconds
            return None if late or not self.open else self.open.pop(0)

    def write(self, row):
        with self.lock, open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
            self.done += 1
            print(f"{self.what} {self.done} of {self.total}, {time.monotonic() - self.begun:.0f} s: {row['name']} "
                  f"{row.get('ms', row['seconds'])} {row['failed'] or ''}", flush=True)

    def serve(self, built):
        """Starts a worker, and another where one dies: it takes its network with it, and no other."""
        name = self.next()
        while name is not None:
            with subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
                if worker.stdout.readline() != "ready\n":
                    raise SystemExit("the worker did not start: see what it said above")
                alive = True
                while alive and name is not None:
                    print(json.dumps({"do": self.what, "name": name, "built": built.get(name)}), file=worker.stdin,
                          flush=True)
                    line = worker.stdout.readline()
                    row = json.loads(line) if line else {"name": name, "failed": {"judge": "its process died"},
                                                         "seconds": {}}
                    alive = "judge" not in row["failed"]  # an error of CUDA stays with the process
                    self.write(row)
                    name = self.next()

    def run(self, jobs, built):
        threads = [threading.Thread(target=self.serve, args=[built]) for _ in range(min(jobs, self.total))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def run(options):
    os.environ.setdefault("CUDA_CACHE_MAXSIZE", str(4 << 30))  # so that each process need not compile kernels anew
    folder = pathlib.Path(options.folder)
    results = folder / "results"
    results.mkdir(exist_ok=True)
    names = [entry["name"] for entry in read_list(folder) if entry["name"].startswith(options.only)]
    built = read_rows(results / "built.jsonl")
    open_names = [name for name in names if name not in built]
    worker = [sys.executable, __file__, "--worker", *sys.argv[1:]]
    Stage("build", open_names, results / "built.jsonl", options.seconds, worker).run(options.jobs, {})
    if options.no_times:
        return
    built, timed = read_rows(results / "built.jsonl"), read_rows(results / "results.jsonl")
    ready = [name for name in names if name in built and name not in timed]
    for name in [name for name in ready if not built[name]["seconds"]]:
        with open(results / "results.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(built[name]) + "\n")
    ready = [name for name in ready if built[name]["seconds"]]
    Stage("time", ready, results / "results.jsonl", 0, worker).run(1, built)
    print(f"{len(read_rows(results / 'results.jsonl'))} networks have a line in {results / 'results.jsonl'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--builds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-times", action="store_true")
    parser.add_argument("--libraries", default="")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.libraries:
        load_libraries(options.libraries)
    if options.worker:
        work(options)
    else:
        run(options)


if __name__ == "__main__":
    main()
