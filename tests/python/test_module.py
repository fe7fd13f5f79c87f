"""The Python package: paths and arrays, reports, progress, warnings, errors, Ctrl-C. usage: test_module.py SOURCE"""

import ast
import inspect
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from sample import MODEL, PREPROCESS, SAMPLE, noise

import detent
import numpy


class Module(unittest.TestCase):
    def setUp(self):
        self.held = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.held.name)
        self.addCleanup(self.held.cleanup)

    def test_eval_limit_lies_evenly_over_eval(self):
        images = noise(4)

        def error(name, samples, limit=None):
            output = self.folder / f"{name}.onnx"
            report = detent.quantize(MODEL, output, images, calibrator="max", eval=samples, eval_limit=limit)
            return report["error"]["sqnr_db"], report["error"]["samples"]

        self.assertEqual(error("limited", images, 2), error("even", images[[0, 2]]))
        self.assertNotEqual(error("again", images, 2), error("first", images[:2]))

    def test_options_that_apply_to_nothing_are_refused(self):
        table = self.folder / "t.dct"
        detent.calibrate(MODEL, table, noise(2))
        for options in ({"limit": 1}, {"shuffle": 1}, {"preprocess": PREPROCESS}, {"eval_limit": 1}, {"accuracy": "best"}):
            with self.assertRaises(detent.Error, msg=str(options)) as raised:
                detent.quantize(MODEL, self.folder / "out.onnx", table=table, **options)
            self.assertEqual(raised.exception.code, 2)
        for number in (float("nan"), float("inf")):
            with self.assertRaises(detent.Error) as raised:
                detent.quantize(MODEL, self.folder / "out.onnx", noise(2), calibrator="max", min_sqnr=number)
            self.assertEqual(raised.exception.code, 2)
        detent.quantize(MODEL, self.folder / "out.onnx", table=table)

    def test_cpu_says_where_integer_products_are_right(self):
        options = {"calibrator": "max", "target": "onnxruntime"}
        safe = detent.quantize(MODEL, self.folder / "any.onnx", noise(2), **options)
        self.assertEqual(safe["saturation"]["unsafe_pairs"], 0)
        full = detent.quantize(MODEL, self.folder / "vnni.onnx", noise(2), cpu="vnni", **options)
        self.assertGreater(full["saturation"]["unsafe_pairs"], 0)
        detent.compare(MODEL, noise(2), eval=noise(2, 3), calibrators=["max"], target="onnxruntime", cpu="avx2")
        with self.assertRaises(detent.Error) as raised:
            detent.quantize(MODEL, self.folder / "none.onnx", noise(2), cpu="avx2", **options)
        self.assertEqual(raised.exception.code, 2)

    def test_paths_go_in_and_a_report_comes_out(self):
        output = self.folder / "out.onnx"
        report = detent.quantize(MODEL, output, str(SAMPLE / "calib"), preprocess=PREPROCESS, limit=4, calibrator="mse")
        self.assertTrue(output.exists())
        self.assertEqual(report["samples"], 4)
        self.assertTrue(detent.inspect(output)["quantized"])
        self.assertFalse(detent.inspect(MODEL)["quantized"])
        self.assertEqual([f for f in detent.lint(output)["findings"] if f["level"] == "error"], [])

    def test_a_latency_command_times_files(self):
        command = self.folder / "command"
        command.write_text("#!/bin/sh\necho '{\"engine\": \"planted\"}'\nwc -c <\"$1\"\n")  # a byte is a millisecond
        command.chmod(0o755)
        options = {"calibrator": "max", "latency_command": str(command), "latency_timeout": 60.0}
        table = self.folder / "latency.json"
        found = detent.quantize(MODEL, self.folder / "out.onnx", noise(2), latency_table=table, **options)
        latency = found["latency"]
        self.assertEqual(latency["chosen"], "default", "INT8 files are the smallest")
        self.assertEqual(latency["machine"]["engine"], "planted")
        self.assertLessEqual(len(latency["calls"]), 20)
        self.assertEqual({call["file"] for call in latency["calls"]}, {"float", "cast", "default", "variant"})
        self.assertEqual(len(detent.plan(MODEL, latency_table=table)["forecasts"]), 1)
        compared = detent.compare(MODEL, noise(2), eval=noise(2, 3), calibrators=["max"], latency_command=str(command))
        self.assertEqual(compared["float_latency"]["ms"], MODEL.stat().st_size)
        self.assertLess(compared["variants"][0]["latency"]["ms"], MODEL.stat().st_size)
        with self.assertRaises(detent.Error) as raised:
            detent.quantize(MODEL, self.folder / "none.onnx", noise(2), calibrator="max", latency_command="no_such_command")
        self.assertEqual(raised.exception.code, 13)
        self.assertIn("onnxruntime", raised.exception.hint)

    def test_the_stubs_name_the_members_of_every_report(self):
        stubs = ast.parse((pathlib.Path(detent.__file__).parent / "_reports.pyi").read_text(encoding="utf-8"))
        classes = {node.name: {member.target.id for member in node.body if isinstance(member, ast.AnnAssign)} for node in stubs.body if isinstance(node, ast.ClassDef)}
        others = {"detections", "input_check"}  # of detectors, and with data
        self.assertEqual(set(detent.inspect(MODEL)) | others, classes["ModelReport"])
        self.assertEqual(set(detent.lint(MODEL)), classes["LintReport"])
        self.assertNotEqual(set(detent.lint(MODEL)), classes["ModelReport"])

    def test_an_array_gives_the_bytes_of_the_same_array_in_a_file(self):
        images = noise()
        numpy.save(self.folder / "images.npy", images)
        detent.calibrate(MODEL, self.folder / "memory.dct", images)
        detent.calibrate(MODEL, self.folder / "file.dct", self.folder / "images.npy")
        memory, file = (detent.inspect(self.folder / name) for name in ("memory.dct", "file.dct"))
        self.assertEqual(memory["values"], file["values"])
        self.assertEqual(memory["samples"], 4)

    def test_arrays_by_input_name(self):
        detent.calibrate(MODEL, self.folder / "t.dct", {"image": noise(2)})
        with self.assertRaisesRegex(ValueError, "missing .*image.*unknown .*picture"):
            detent.calibrate(MODEL, self.folder / "u.dct", {"picture": noise(2)})

    def test_numbers_of_any_layout_are_fed_as_they_look(self):
        images = noise(2)
        unaligned = numpy.frombuffer(b"\0" + images.tobytes(), dtype=numpy.uint8)[1:].view(images.dtype).reshape(images.shape)
        self.assertFalse(unaligned.flags.aligned)
        forms = {
            "plain": images,
            "big": images.astype(">f4"),
            "unaligned": unaligned,
            "unmasked": numpy.ma.masked_array(images, mask=False),
            "fortran": numpy.asfortranarray(images),
        }
        for name, form in forms.items():
            detent.calibrate(MODEL, self.folder / f"{name}.dct", form)
        values = {name: detent.inspect(self.folder / f"{name}.dct")["values"] for name in forms}
        for name in forms:
            self.assertEqual(values[name], values["plain"], name)
        halves = images.astype(numpy.float16)
        for name, form in {"little": halves, "big16": halves.astype(">f2")}.items():
            detent.calibrate(MODEL, self.folder / f"{name}.dct", form)
        self.assertEqual(*(detent.inspect(self.folder / f"{n}.dct")["values"] for n in ("little", "big16")))
        self.assertNotEqual(detent.inspect(self.folder / "little.dct")["values"], values["plain"])

    def test_integers_of_every_width_are_fed(self):
        wide = (numpy.abs(noise(1)) * 100).astype(numpy.uint8)
        detent.calibrate(MODEL, self.folder / "uint8.dct", wide)
        expected = detent.inspect(self.folder / "uint8.dct")["values"]
        for kind in ("uint16", "uint32", "uint64", "int16", "int32", "int64", ">u2", "longlong", "ulonglong"):
            detent.calibrate(MODEL, self.folder / "t.dct", wide.astype(kind), overwrite=True)
            self.assertEqual(detent.inspect(self.folder / "t.dct")["values"], expected, kind)
        with self.assertRaisesRegex(detent.Error, "complex"):
            detent.calibrate(MODEL, self.folder / "u.dct", wide.astype("complex64"))

    def test_masked_elements_are_refused(self):
        images = noise(1)
        with self.assertRaisesRegex(ValueError, "masked"):
            detent.calibrate(MODEL, self.folder / "t.dct", numpy.ma.masked_less(images, -2))

    def test_arrays_are_held_against_the_models_shape_as_files_are(self):
        wrong = numpy.zeros((2, 3, 64, 128), numpy.float32)
        numpy.save(self.folder / "wrong.npy", wrong)
        messages = []
        for data in (wrong, self.folder / "wrong.npy"):
            with self.assertRaises(detent.Error) as caught:
                detent.calibrate(MODEL, self.folder / "t.dct", data)
            messages.append(str(caught.exception).split("\n")[0])
        self.assertIn(messages[0], messages[1])
        report = detent.calibrate(MODEL, self.folder / "t.dct", noise(3), batch_axis={"image": 0})
        self.assertEqual(report["samples"], 3)
        with self.assertRaisesRegex(detent.Error, "batch_axis"):
            detent.calibrate(MODEL, self.folder / "u.dct", noise(3), batch_axis={"image": 7})

    def test_views_of_arrays_are_fed_as_they_look(self):
        images = noise(4)
        detent.calibrate(MODEL, self.folder / "whole.dct", numpy.ascontiguousarray(images[::2]))
        detent.calibrate(MODEL, self.folder / "view.dct", images[::2])
        self.assertEqual(*(detent.inspect(self.folder / n)["values"] for n in ("whole.dct", "view.dct")))

    def test_every_command_and_option_is_in_the_stub_and_in_the_help(self):
        stub = ast.parse(pathlib.Path(detent.__file__).with_name("__init__.pyi").read_text(encoding="utf-8"))
        functions = {node.name: node.args for node in stub.body if isinstance(node, ast.FunctionDef) and node.name != "version"}
        self.assertEqual(set(functions), set(detent.__all__) - {"Error", "Report", "version"})
        for name, arguments in functions.items():
            parameters = inspect.signature(getattr(detent, name)).parameters
            self.assertEqual([a.arg for a in arguments.args + arguments.kwonlyargs], list(parameters), name)
            for option in parameters:
                self.assertIn(f"\n{option}: ", getattr(detent, name).__doc__)
        self.assertEqual([a.arg for a in functions["quantize"].args], ["model", "output", "data"])
        self.assertGreater(len(inspect.signature(detent.quantize).parameters), 50)

    def test_options_are_taken_as_the_command_line_takes_them(self):
        output = self.folder / "out.onnx"
        detent.quantize(MODEL, output, noise(2), calibrator="max", per_tensor=True, weight_bits=7, concat="inputs", overwrite=False)
        options = detent.inspect(output)["provenance"]["options"]
        self.assertEqual(options, "concat=inputs; weight-bits=7; per-tensor=on")
        for wrong in ({"concat": "input"}, {"threads": 0}, {"limit": 0}, {"calibrator": "entrpy"}):
            with self.assertRaises(detent.Error, msg=str(wrong)) as raised:
                detent.quantize(MODEL, self.folder / "no.onnx", noise(2), **wrong)
            self.assertEqual(raised.exception.code, 2)
        planned = detent.plan(MODEL, shapes={"image": [1, 3, 128, 128]}, type="fp8")
        self.assertGreater(planned["coverage"]["macs"], 0)

    def test_the_other_commands_give_their_documents(self):
        detent.run(MODEL, self.folder / "outputs", noise(2))
        self.assertTrue((self.folder / "outputs" / "logits.npy").exists())
        detent.calibrate(MODEL, self.folder / "1.dct", noise(4), shard="1/2")
        detent.calibrate(MODEL, self.folder / "2.dct", noise(4), shard="2/2")
        merged = detent.merge([self.folder / "1.dct", self.folder / "2.dct"], self.folder / "whole.dct")
        self.assertEqual(merged["samples"], 4)
        self.assertGreater(detent.cache_export(self.folder / "whole.dct", self.folder / "c")["scales"], 5)
        detent.cache_import(self.folder / "c", MODEL, self.folder / "imported.dct")
        detent.quantize_weights(MODEL, self.folder / "weights.onnx", type="int8", block=64)
        with self.assertRaises(TypeError):
            detent.quantize_weights(MODEL, self.folder / "no.onnx", accuracy="best")
        with self.assertRaisesRegex(TypeError, "data"):
            detent.sensitivity(MODEL)

    def test_a_table_serves_quantize_and_compare_judges_calibrators(self):
        detent.calibrate(MODEL, self.folder / "t.dct", noise())
        report = detent.quantize(MODEL, self.folder / "out.onnx", table=self.folder / "t.dct")
        self.assertGreater(len(report["values"]), 5)
        judged = detent.compare(MODEL, noise(), eval=noise(seed=2), calibrators=["max", "mse"])
        self.assertEqual({v["calibrator"] for v in judged["candidates"]} if "candidates" in judged else {"max", "mse"}, {"max", "mse"})

    def test_errors_have_the_exit_code_and_the_hint(self):
        with self.assertRaises(detent.Error) as caught:
            detent.quantize(self.folder / "none.onnx", self.folder / "out.onnx", noise())
        self.assertEqual(caught.exception.code, 10)
        with self.assertRaises(detent.Error) as caught:
            detent.quantize(MODEL, self.folder / "out.onnx", str(SAMPLE / "calib"))
        self.assertIn("preset", caught.exception.hint)
        with self.assertRaisesRegex(TypeError, "frobnicate"):
            detent.lint(MODEL, frobnicate=1)
        with self.assertRaisesRegex(detent.Error, "accuracy"):
            detent.quantize(MODEL, self.folder / "out.onnx", noise(), accuracy="perfect")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_errors_and_hints_speak_python(self):
        with self.assertRaises(detent.Error) as caught:
            detent.quantize(MODEL, self.folder / "out.onnx", str(SAMPLE / "calib"))
        self.assertIn("hint: ", str(caught.exception))
        self.assertIn(caught.exception.hint, str(caught.exception))
        self.assertNotIn("--", str(caught.exception))
        from detent._words import in_python

        for said, expected in {
            "--max-drop 0.01 bounds the loss": "max_drop=0.01 bounds the loss",
            "--accuracy best, or --exclude REGEX": 'accuracy="best", or exclude=REGEX',
            "--min-sqnr cannot be met": "min_sqnr cannot be met",
            "--skip-bad-data leaves them out": "skip_bad_data=True leaves them out",
            "--format scales=fp32 keeps opset 13": 'scales="fp32" keeps opset 13',
            "--target tensorrt:11, onnxruntime": 'target="tensorrt:11", onnxruntime',
            "give --shape image=1,3,8,8": "give shapes image=1,3,8,8",
            "trtexec --onnx=model.onnx --int8": "trtexec --onnx=model.onnx --int8",
            "a -- b, well--known": "a -- b, well--known",
        }.items():
            self.assertEqual(in_python(said), expected)

    def test_a_model_is_a_path_bytes_or_a_proto(self):
        class Proto:  # as onnx.ModelProto
            def SerializeToString(self):
                return MODEL.read_bytes()

        written = []
        for number, model in enumerate((MODEL, str(MODEL), MODEL.read_bytes(), memoryview(MODEL.read_bytes()), Proto())):
            output = self.folder / f"{number}.onnx"
            detent.quantize(model, output, noise(2), calibrator="max")
            written.append(detent.inspect(output.read_bytes()))
        for one in written:
            self.assertEqual(one["operators"] if "operators" in one else one["nodes"], written[0].get("operators", written[0].get("nodes")))
        with self.assertRaises(detent.Error) as caught:
            detent.inspect(b"no model")
        self.assertEqual(caught.exception.code, 10)

    def test_a_calibrator_is_a_function(self):
        asked = []

        def largest(counts, edges):
            self.assertIs(threading.current_thread(), threading.main_thread())
            self.assertEqual(len(edges), len(counts) + 1)
            self.assertGreater(counts.sum(), 0)
            self.assertTrue((numpy.diff(edges) > 0).all())
            asked.append(1)
            return max(-edges[0], edges[-1])  # beyond the data, so cut to them: what max does

        report = detent.quantize(MODEL, self.folder / "own.onnx", noise(), calibrator=largest)
        named = detent.quantize(MODEL, self.folder / "max.onnx", noise(), calibrator="max")
        self.assertGreater(len(asked), 5)
        self.assertEqual(report.calibrator, "largest")
        self.assertEqual([v["amax"] for v in report["values"]], [v["amax"] for v in named["values"]])
        judged = detent.compare(MODEL, noise(), eval=noise(seed=2), calibrators=["max", lambda counts, edges: (-0.01, 0.01)])
        self.assertEqual([v.calibrator for v in judged.variants], ["max", "lambda"])
        self.assertGreater(judged.variants[0].metrics.sqnr_db, judged.variants[1].metrics.sqnr_db)
        for wrong in (lambda counts, edges: float("nan"), lambda counts, edges: (1, 2)):
            with self.assertRaisesRegex(detent.Error, "calibrator lambda"):
                detent.quantize(MODEL, self.folder / "no.onnx", noise(2), calibrator=wrong)

        def broken(counts, edges):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            detent.quantize(MODEL, self.folder / "no.onnx", noise(2), calibrator=broken)
        with self.assertRaises(detent.Error):  # forgotten after the call
            detent.quantize(MODEL, self.folder / "no.onnx", noise(2), calibrator="largest")

    def test_the_module_runs_the_program(self):
        done = subprocess.run([sys.executable, "-m", "detent", "--version"], capture_output=True, text=True, check=True)
        self.assertIn(detent.version(), done.stdout)
        wrong = subprocess.run([sys.executable, "-m", "detent", "inspect", "none.onnx"], capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 10)

    def test_progress_is_told_and_what_it_raises_ends_the_work(self):
        seen = []
        detent.calibrate(MODEL, self.folder / "t.dct", noise(), progress=lambda task, done, total: seen.append((task, done, total)))
        self.assertTrue(any(total == 4 for _, _, total in seen), seen)

        def refuse(task, done, total):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            detent.calibrate(MODEL, self.folder / "u.dct", noise(200), progress=refuse)
        self.assertFalse((self.folder / "u.dct").exists())

    def test_ctrl_c_is_a_keyboard_interrupt_and_the_next_call_works(self):
        images = noise(400)
        threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begun = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            while True:  # as long as it takes: a fast machine ends one call before the signal
                detent.quantize(MODEL, self.folder / "out.onnx", images, calibrator="max", overwrite=True)
        self.assertLess(time.monotonic() - begun, 60)
        detent.lint(MODEL)

    def test_an_exception_in_one_thread_ends_its_call_alone(self):
        images = noise(60)  # work is left when the other call ends
        detent.calibrate(MODEL, self.folder / "alone.dct", images)
        other_begun, refused = threading.Event(), threading.Event()
        ended = {}

        def refuse(task, done, total):
            if done >= 2 and other_begun.wait(60):
                raise RuntimeError("enough")

        def call(name, *args, **kwargs):
            try:
                ended[name] = detent.calibrate(MODEL, self.folder / (name + ".dct"), *args, **kwargs)
            except RuntimeError as error:
                ended[name] = str(error)
                refused.set()

        def halfway(task, done, total):
            other_begun.set()
            refused.wait(60)

        stopped = threading.Thread(target=call, args=("stopped", noise(2000)), kwargs={"progress": refuse})
        goes_on = threading.Thread(target=call, args=("goes_on", images), kwargs={"progress": halfway})
        stopped.start()
        goes_on.start()
        stopped.join(60)
        goes_on.join(60)
        self.assertEqual(ended["stopped"], "enough")
        self.assertFalse((self.folder / "stopped.dct").exists())
        self.assertEqual(ended["goes_on"]["samples"], 60)
        self.assertEqual(*(detent.inspect(self.folder / f"{name}.dct")["values"] for name in ("alone", "goes_on")))

    def test_threads_of_python_may_call_at_the_same_time(self):
        reports = []
        workers = [threading.Thread(target=lambda: reports.append(detent.lint(MODEL))) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(len(reports), 4)


if __name__ == "__main__":
    unittest.main()
