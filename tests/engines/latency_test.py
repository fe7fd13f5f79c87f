"""Tests of the ready latency commands (scripts/latency/README.md), of the engines of the environment that runs this, and
of trtexec with a program that prints its log."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import onnx

COMMANDS = pathlib.Path(__file__).resolve().parents[2] / "scripts/latency"
IN_PYTHON = ["onnxruntime", "openvino", "qnn"]
QUICK = ["--seconds=.05", "--runs=3", "--threads=1"]
F, I = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64


def installed(engine):
    return importlib.util.find_spec("onnxruntime_qnn" if engine == "qnn" else engine) is not None


def call(engine, *words, path=os.path.dirname(sys.executable)):
    return subprocess.run([COMMANDS / engine, *map(str, words)], capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}"})


def last_line(text):
    return text.strip().split("\n")[-1]


def save(path, nodes, inputs, weights=(), **how):
    """inputs: [(name, type, sizes)]; the output is y."""
    inputs = [onnx.helper.make_tensor_value_info(*value) for value in inputs]
    weights = [onnx.numpy_helper.from_array(array, name) for name, array in weights]
    graph = onnx.helper.make_graph([onnx.helper.make_node(op, i, [o], **more) for op, i, o, more in nodes], "g", inputs,
                                   [onnx.helper.make_tensor_value_info("y", F, None)], weights)
    opset = [onnx.helper.make_opsetid("", 17)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opset, ir_version=8), path, **how)
    return path


def ones(*sizes):
    return numpy.ones(sizes, numpy.float32)


class Case(unittest.TestCase):
    def setUp(self):
        self.engines = [engine for engine in IN_PYTHON if installed(engine)]
        temporary = tempfile.TemporaryDirectory(prefix="detent-latency-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def conv(self, name="conv.onnx", sizes=("n", 3, 8, 8)):
        return save(self.folder / name, [("Conv", ["x", "w"], "c", {}), ("Relu", ["c"], "y", {})], [("x", F, sizes)],
                    [("w", ones(4, 3, 3, 3))])

    def answer(self, engine, *words):
        """Returns (machine, milliseconds) of a call that has to succeed, whose stdout is exactly these two lines."""
        done = call(engine, *QUICK, *words)
        self.assertEqual(done.returncode, 0, f"{engine}: {done.stderr}")
        machine, ms = done.stdout.strip().split("\n")
        return json.loads(machine), float(ms)

    def refused(self, engine, code, reason, *words):
        done = call(engine, *QUICK, *words)
        self.assertEqual(done.returncode, code, f"{engine}: {done.stderr}")
        self.assertEqual(done.stdout, "")
        self.assertRegex(last_line(done.stderr), reason)


class Answers(Case):
    def test_machine_and_milliseconds(self):
        for engine in self.engines:
            machine, ms = self.answer(engine, self.conv())
            self.assertEqual(list(machine), ["engine", "version", "device", "threads", "batch"])
            self.assertEqual([machine[key] for key in ("engine", "threads", "batch")], [engine, "1", "1"])
            self.assertRegex(machine["version"], r"^\d+\.\d+\.\d+$")
            self.assertGreater(len(machine["device"]), 2)
            self.assertTrue(0 < ms < 10_000, ms)

    def test_more_work_takes_longer(self):
        small, large = (save(self.folder / f"{size}.onnx", [("MatMul", ["x", "w"], "y", {})], [("x", F, [64, size])],
                             [("w", ones(size, size))]) for size in (64, 1024))
        for engine in set(self.engines) - {"qnn"}:
            for clock in ("wall", "cpu"):  # 256 times as many products
                times = [self.answer(engine, "--clock", clock, path)[1] for path in (small, large)]
                self.assertGreater(times[1], 3 * times[0], engine)

    def test_another_clock_is_another_engine_in_tables(self):
        for engine in self.engines:
            self.assertEqual(self.answer(engine, "--clock=cpu", self.conv())[0]["engine"], f"{engine}, CPU time")

    def test_batch_and_shape_set_open_sizes(self):
        nodes = [("Add", ["x", "w"], "s", {}), ("Add", ["s", "z"], "y", {})]  # runs with 2 rows of 3 only
        sum_of_two = save(self.folder / "sum.onnx", nodes, [("x", F, ["n", "m"]), ("z", F, ["n", 3])],
                          [("w", ones(2, 3))])
        for engine in self.engines:
            machine, _ = self.answer(engine, "--batch", "2", "--shape", "x=2,3", sum_of_two)
            self.assertEqual(machine["batch"], "2")
            self.refused(engine, 1, ".", "--batch=3", "--shape=x=3,3", sum_of_two)

    def test_size_with_a_name_is_the_same_in_every_input(self):
        add = save(self.folder / "add.onnx", [("Add", ["x", "z"], "y", {})], [("x", F, [1, "m"]), ("z", F, [1, "m"])])
        for engine in set(self.engines) - {"openvino"}:  # does not know the names of sizes
            self.answer(engine, "--shape=x=1,7", add)
        for engine in self.engines:
            self.answer(engine, "--shape=x=1,7", "--shape=z=1,7", add)

    def test_whole_numbers_are_valid_indices(self):
        for rows in (1, 2):  # ones are no indices of one row
            table = save(self.folder / f"{rows}.onnx", [("Gather", ["t", "i"], "y", {})], [("i", I, [1, 4])],
                         [("t", ones(rows, 8))])
            for engine in set(self.engines) - {"qnn"}:  # whose emulator accepts any index
                self.answer(engine, table)

    def test_external_data_lies_beside_the_file(self):
        path = save(self.folder / "data.onnx", [("MatMul", ["x", "w"], "y", {})], [("x", F, [1, 64])],
                    [("w", ones(64, 64))], save_as_external_data=True, location="weights", size_threshold=0)
        self.assertTrue((self.folder / "weights").exists())
        for engine in self.engines:
            self.answer(engine, path)


class Refusals(Case):
    def test_file_that_is_no_model_exits_1_with_a_line_that_says_why(self):
        (self.folder / "text.onnx").write_text("no model")
        for engine in self.engines:
            self.refused(engine, 1, f"^{engine}: .*([Pp]rotobuf|read the model)", self.folder / "text.onnx")
            self.refused(engine, 1, f"^{engine}: .", self.folder / "missing.onnx")

    def test_unknown_operator_exits_1_and_is_named(self):
        path = save(self.folder / "unknown.onnx", [("NoSuchOperator", ["x"], "y", {})], [("x", F, [1, 4])])
        for engine in self.engines:
            self.refused(engine, 1, "NoSuchOperator", path)

    def test_wrong_use_exits_2(self):
        fixed = self.conv("fixed.onnx", (1, 3, 8, 8))
        for engine in self.engines:
            self.refused(engine, 2, "required: FILE.onnx")
            self.refused(engine, 2, "expected one argument", fixed, "--batch")
            self.refused(engine, 2, "'0' is not a whole number from 1 on", "--runs=0", fixed)
            self.refused(engine, 2, "NAME=SIZE,SIZE", "--shape=1,3,8,8", fixed)
            self.refused(engine, 2, "--shape: no input is named 'y', they are x", "--shape=y=1", fixed)
            self.refused(engine, 2, "--shape: input 'x' has the shape 1,3,8,8", "--shape=x=2,3,8,8", fixed)
            self.refused(engine, 2, "--shape: input 'x' has the shape", "--shape=x=1,3,8", fixed)
            self.refused(engine, 2, "--batch: the first size of input 'x' is 1", "--batch=2", fixed)

    def test_missing_package_exits_3_and_says_what_to_install(self):
        for engine in IN_PYTHON:
            done = subprocess.run([sys.executable, "-S", COMMANDS / engine, self.conv()], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertRegex(last_line(done.stderr), f"^{engine}: No module named .*; pip install .*{engine}")


class Web(Case):
    """The command whose engine runs in Node: once, in the environment of OpenVINO."""

    def setUp(self):
        super().setUp()
        found = subprocess.run([pathlib.Path(__file__).parent / "install.sh", "--path", "web"], capture_output=True,
                               text=True, check=True).stdout.strip()
        modules = os.environ.setdefault("DETENT_WEB", found)
        if not installed("openvino") or not (pathlib.Path(modules) / "node_modules/onnxruntime-web").is_dir():
            self.skipTest("onnxruntime-web is not installed (tests/engines/install.sh web)")

    def test_runs_a_file_with_external_data(self):
        path = save(self.folder / "data.onnx", [("MatMul", ["x", "w"], "y", {})], [("x", F, ["n", 64])],
                    [("w", ones(64, 64))], save_as_external_data=True, location="weights", size_threshold=0)
        machine, ms = self.answer("web", "--batch=2", path)
        self.assertEqual([machine[key] for key in ("engine", "threads", "batch")], ["web", "1", "2"])
        self.assertRegex(machine["device"], "WebAssembly")
        self.assertTrue(0 < ms < 1000, ms)

    def test_a_size_of_minus_one_is_open(self):
        path = self.conv(sizes=(-1, 3, 8, 8))  # the engine calls it 4294967295
        self.assertEqual(self.answer("web", path)[0]["batch"], "1")
        self.assertEqual(self.answer("web", "--batch=2", path)[0]["batch"], "2")

    def test_refuses_what_the_engine_does_not_take(self):
        unknown = save(self.folder / "unknown.onnx", [("NoSuchOperator", ["x"], "y", {})], [("x", F, [1, 4])])
        self.refused("web", 1, "NoSuchOperator", unknown)
        self.refused("web", 2, "--batch: the first size of input 'x' is 1", "--batch=2", self.conv(sizes=(1, 3, 8, 8)))

    def test_missing_modules_exit_3_and_are_named(self):
        self.addCleanup(os.environ.__setitem__, "DETENT_WEB", os.environ["DETENT_WEB"])
        os.environ["DETENT_WEB"] = str(self.folder)
        self.refused("web", 3, "Cannot find module 'onnxruntime-web'.*npm install onnxruntime-web", self.conv())


LOG = """&&&& RUNNING TensorRT.trtexec [TensorRT v100600] [b26] # trtexec --onnx=x.onnx
[11/28/2026-12:00:00] [I] === Device Information ===
[11/28/2026-12:00:00] [I] Available Devices:
[11/28/2026-12:00:00] [I]   Device 0: "NVIDIA H200" UUID: GPU-0
[11/28/2026-12:00:00] [I] Selected Device: NVIDIA H200
[11/28/2026-12:00:00] [I] Selected Device ID: 0
[11/28/2026-12:00:00] [I] TensorRT version: 10.6.0
[11/28/2026-12:00:09] [I] === Performance summary ===
[11/28/2026-12:00:09] [I] Throughput: 7710.5 qps
[11/28/2026-12:00:09] [I] Latency: min = 0.2, max = 0.9 ms, mean = 0.3 ms, median = 0.31 ms, percentile(90%) = 0.4 ms
[11/28/2026-12:00:09] [I] Enqueue Time: min = 0.01 ms, max = 0.06 ms, mean = 0.015 ms, median = 0.0149 ms
[11/28/2026-12:00:09] [I] GPU Compute Time: min = 0.124 ms, max = 0.140 ms, mean = 0.128 ms, median = 0.1275 ms, \
percentile(90%) = 0.13 ms, percentile(95%) = 0.131 ms, percentile(99%) = 0.135 ms
[11/28/2026-12:00:09] [I] Total GPU Compute Time: 2.98 s
&&&& PASSED TensorRT.trtexec [TensorRT v100600] [b26] # trtexec --onnx=x.onnx
"""
ERRORS = """[11/28/2026-12:00:03] [E] Error[10]: Could not find any implementation for node {Conv_0}.
[11/28/2026-12:00:03] [E] Engine could not be created from network
&&&& FAILED TensorRT.trtexec [TensorRT v100600] [b26] # trtexec --onnx=x.onnx
"""


class Trtexec(Case):
    def stub(self, log=LOG, code=0):
        """Puts a program on the PATH that notes its words and prints a log."""
        (self.folder / "log").write_text(log)
        program = self.folder / "trtexec"
        program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >"{self.folder}/words"\ncat "{self.folder}/log"\nexit {code}\n')
        program.chmod(0o755)

    def call(self, *words):
        return call("trtexec", *words, path=f"{os.path.dirname(sys.executable)}:{COMMANDS}:{self.folder}")

    def words_for(self, *words):
        done = self.call(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "words").read_text().split("\n")[:-1]

    def pairs(self, zero_type):
        zero = onnx.helper.make_tensor("z", zero_type, [], [0])
        path = save(self.folder / "pairs.onnx", [("QuantizeLinear", ["x", "s", "z"], "q", {}),
                                                 ("DequantizeLinear", ["q", "s", "z"], "y", {})], [("x", F, [1, 4])],
                    [("s", numpy.float32(1))])
        model = onnx.load(path)
        model.graph.initializer.append(zero)
        onnx.save(model, path)
        return path

    def test_median_of_gpu_time_with_device_and_version(self):
        self.stub()
        done = self.call(self.conv())
        self.assertEqual(done.returncode, 0, done.stderr)
        machine, ms = done.stdout.strip().split("\n")
        self.assertEqual(json.loads(machine), {"engine": "tensorrt", "version": "10.6.0", "device": "NVIDIA H200",
                                               "threads": "", "batch": "1"})
        self.assertEqual(ms, "0.1275")
        self.assertIn("Performance summary", done.stderr)

    def test_precision_is_what_the_file_needs(self):
        self.stub()

        def flags(*words):
            return [word for word in self.words_for(*words) if word in ("--fp16", "--int8", "--fp8", "--stronglyTyped")]
        self.assertEqual(flags(self.conv()), ["--fp16"])
        self.assertEqual(flags(self.pairs(onnx.TensorProto.INT8)), ["--fp16", "--int8"])
        self.assertEqual(flags(self.pairs(onnx.TensorProto.FLOAT8E4M3FN)), ["--fp16", "--fp8"])
        self.assertEqual(flags("--strongly-typed", self.conv()), ["--stronglyTyped"])
        self.assertIn('"tensorrt, strongly typed"', self.call("--strongly-typed", self.conv()).stdout)

    def test_words_of_trtexec_and_options(self):
        self.stub()
        words = self.words_for("--runs=20", "--seconds=2", "--batch=4", "--", "--useCudaGraph", "--device=1", self.conv())
        for word in (f"--onnx={self.folder}/conv.onnx", "--iterations=20", "--duration=2", "--shapes=x:4x3x8x8",
                     "--useCudaGraph", "--device=1"):
            self.assertIn(word, words)

    def test_shapes_are_given_for_open_sizes_only(self):
        self.stub()
        fixed, two = self.conv("fixed.onnx", (1, 3, 8, 8)), self.conv("open.onnx", ("n", 3, "h", "w"))
        self.assertFalse([word for word in self.words_for(fixed) if word.startswith("--shapes")])
        self.assertIn("--shapes=x:1x3x1x1", self.words_for(two))
        self.assertIn("--shapes=x:2x3x16x9", self.words_for("--batch=2", "--shape=x=2,3,16,9", two))
        for reason, *words in ((r"input 'x' has the shape \?,3,\?,\?", "--shape=x=1,4,8,8", two),
                               ("no input is named 'y', they are x", "--shape=y=1", two),
                               ("the first size of input 'x' is 1", "--batch=2", fixed),
                               ("expected one argument", fixed, "--batch"),
                               ("unrecognized arguments: --threads=2", "--threads=2", fixed)):
            done = self.call(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(last_line(done.stderr), reason)

    def test_first_error_is_the_reason(self):
        self.stub(LOG.split("[11/28/2026-12:00:09]")[0] + ERRORS, 1)
        done = self.call(self.conv())
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(last_line(done.stderr), "^trtexec: Error.10.: Could not find any implementation for node .Conv_0")
        self.stub("", 139)
        self.assertEqual(last_line(self.call(self.conv()).stderr), "trtexec: exit status 139")
        self.stub("Segmentation fault")
        self.assertEqual(last_line(self.call(self.conv()).stderr), "trtexec: trtexec printed no GPU Compute Time")

    def test_file_that_is_no_model(self):
        self.stub()
        (self.folder / "text.onnx").write_text("no model")
        for name in ("text.onnx", "missing.onnx"):
            done = self.call(self.folder / name)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(last_line(done.stderr), f"{name} cannot be read as ONNX")

    def test_without_trtexec_exits_3_although_this_command_has_its_name(self):
        done = self.call(self.conv())
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(last_line(done.stderr), "^trtexec: TensorRT's trtexec is not on the PATH.*its package cannot be used")

    def test_words_that_only_the_program_knows_are_refused_without_it(self):
        done = self.call("--", "--timingCacheFile=/tmp/cache", "--device=1", self.conv())
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(last_line(done.stderr), "'--device=1' needs TensorRT's trtexec.*--useCudaGraph")


if __name__ == "__main__":
    unittest.main()
