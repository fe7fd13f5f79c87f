"""Reports as objects and pages, metrics of Python, bars of progress. usage: test_reports.py SOURCE"""

import contextlib
import copy
import html
import io
import json
import pathlib
import pickle
import re
import tempfile
import threading
import unittest
import warnings
from unittest import mock

from sample import MODEL, noise

import detent
import numpy


class InFolder(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def quantize(self, name="out.onnx", **options):
        return detent.quantize(MODEL, self.folder / name, noise(2), calibrator="max", overwrite=True, **options)

    def compare(self, **options):
        return detent.compare(MODEL, noise(2), eval=noise(3, seed=2), calibrators=["max", "mse"], **options)


class Reports(InFolder):
    def test_members_are_attributes_and_items(self):
        report = self.quantize()
        self.assertEqual(report.verdict, report["verdict"])
        self.assertIs(report.values, report["values"])
        self.assertEqual(report.error.sqnr_db, report["error"]["sqnr_db"])
        self.assertIn("verdict", dir(report))
        with self.assertRaisesRegex(AttributeError, "nothing"):
            print(report.nothing)
        with self.assertRaises(KeyError):
            print(report["nothing"])
        self.assertTrue(callable(detent.inspect(MODEL).values))  # has no such member

    def test_reports_are_documents(self):
        report = self.quantize()
        self.assertEqual(json.loads(json.dumps(report)), report)
        for other in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
            self.assertEqual(other, report)
            self.assertEqual(other.error.sqnr_db, report.error.sqnr_db)

    def test_a_notebook_shows_the_page(self):
        report = self.quantize()
        shown = report._repr_html_()
        self.assertRegex(shown, r'^<iframe srcdoc="[^"]*" sandbox="allow-scripts allow-popups" style="[^"]*"></iframe>$')
        page = html.unescape(re.search('srcdoc="([^"]*)"', shown)[1])
        self.assertIn('<head><base href="about:srcdoc">', page)
        self.assertEqual(page.replace('<base href="about:srcdoc">', "", 1), report.to_html())
        self.assertIn("model_opset13.onnx", page)
        for other in (self.compare(), detent.lint(self.folder / "out.onnx")):
            self.assertIn("<iframe", other._repr_html_())

    def test_reports_without_a_page_are_shown_as_text(self):
        report = detent.inspect(MODEL)
        self.assertIsNone(report._repr_html_())
        with self.assertRaisesRegex(TypeError, "has no page"):
            report.to_html()

    def test_printed_reports_are_the_text_of_the_command(self):
        report = self.quantize()
        shown = str(report)
        self.assertIn("error against FP32 on 2 samples", shown)
        self.assertIn("verdict: ", shown)
        self.assertRegex(str(detent.inspect(MODEL)), "(?s)opset 13\n.*every node can run")
        self.assertIn("max", str(self.compare()))
        self.assertEqual(str(self.quantize(target=["tensorrt", "onnxruntime"])).count("verdict: "), 2)
        shown = repr(report).splitlines()
        self.assertEqual(len(shown), 3)
        self.assertLessEqual(max(map(len, shown)), 80)
        self.assertTrue(shown[1].startswith("verdict: "), shown)
        self.assertEqual(len(repr(detent.inspect(MODEL)).splitlines()), 3)
        self.assertEqual(repr(report.error), dict.__repr__(report.error))
        self.assertEqual(str(report.error), dict.__repr__(report.error))  # a part is shown as the dict that it is
        self.assertEqual(str(pickle.loads(pickle.dumps(report))), dict.__repr__(report))

    def test_each_of_several_targets_has_its_page(self):
        report = self.quantize(target=["tensorrt", "onnxruntime"])
        self.assertIsNone(report._repr_html_())
        pages = [target.to_html() for target in report.targets]
        self.assertEqual([target.target in page for target, page in zip(report.targets, pages)], [True, True])
        self.assertNotEqual(*pages)

    def test_a_bound_that_is_not_met_is_a_warning_and_a_failure(self):
        with self.assertWarnsRegex(UserWarning, "min_sqnr=200 cannot be met"):
            report = self.quantize(min_sqnr=200)
        self.assertFalse(report.bound.met)
        self.assertTrue((self.folder / "out.onnx").exists())
        with self.assertRaisesRegex(detent.Error, re.escape(report.failure)) as raised:
            report.raise_for_failure()
        self.assertEqual(raised.exception.code, 1)
        self.assertIn("wider bound", raised.exception.hint)
        met = self.quantize(min_sqnr=1)
        self.assertIsNone(met.failure)
        self.assertIs(met.raise_for_failure(), met)

    def test_a_broken_model_is_a_failure_unless_it_is_accepted(self):
        ranges = {value.name: {"amax": 1e-9} for value in self.quantize().values}
        (self.folder / "tiny.json").write_text(json.dumps(ranges))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            broken = self.quantize(override=self.folder / "tiny.json")
            accepted = self.quantize(override=self.folder / "tiny.json", accept_broken=True)
        self.assertEqual((broken.verdict, accepted.verdict), ("broken", "broken"))
        self.assertIn("written, but broken", broken.failure)
        self.assertIsNone(accepted.failure)

    def test_quantize_stops_after_a_stage(self):
        plan = self.quantize(stop_after="plan")
        self.assertEqual(json.loads((self.folder / "out.onnx").read_text()), plan)
        self.assertIn("<iframe", plan._repr_html_())
        self.assertIsNone(self.quantize(stop_after="ranges"))
        self.assertIn("image", json.loads((self.folder / "out.onnx").read_text()))
        with self.assertRaisesRegex(detent.Error, "stop_after"):
            self.quantize(stop_after="lunch")

    def test_checks_of_other_commands(self):
        self.quantize()
        self.assertIsNone(detent.lint(self.folder / "out.onnx", target="qnn").failure)
        with self.assertWarnsRegex(UserWarning, "findings of level error"):
            self.assertIsNotNone(detent.lint(self.folder / "out.onnx", target="qnn", strict=True).failure)
        self.assertIsNone(detent.lint(self.folder / "out.onnx", strict=True).failure)
        with self.assertWarnsRegex(UserWarning, "below fail_below=99"):
            self.assertIsNotNone(self.compare(fail_below=99).failure)
        self.assertIsNone(self.compare(fail_below=1).failure)


class Metrics(InFolder):
    def test_evaluate_judges_each_sample_of_each_model_in_the_callers_thread(self):
        images = noise(3, seed=2)
        detent.run(MODEL, self.folder / "run", images)
        expected = numpy.load(self.folder / "run" / "logits.npy")
        calls = []

        def evaluate(outputs, index):
            self.assertEqual(threading.current_thread(), threading.main_thread())
            self.assertEqual(list(outputs), ["logits"])
            calls.append(index)
            return -float(numpy.abs(outputs["logits"] - expected[index]).mean())

        report = detent.compare(MODEL, noise(2), eval=(image for image in images), calibrators=["max", "mse"], evaluate=evaluate)
        self.assertEqual(calls, [0, 1, 2] * 3)  # FP32 and two candidates
        self.assertEqual(report.criterion, "metric")
        scores = {variant.calibrator: variant.metrics.metric for variant in report.variants}
        self.assertEqual(report.winner, max(scores, key=scores.get))
        self.assertLess(max(scores.values()), 0)

    def test_evaluate_judges_a_bound(self):
        def evaluate(outputs, index):
            return float(outputs["logits"].mean())

        met = self.quantize(eval=noise(2, 2), max_drop=1e6, evaluate=evaluate)
        self.assertTrue(met.bound.met)
        self.assertEqual(met.bound.metric, "metric")
        first = []  # the FP32 model is judged first

        def favours_fp32(outputs, index):
            first.append(index)
            return float(len(first) <= 2)

        with self.assertWarnsRegex(UserWarning, "max_drop=0.5 cannot be met"):
            self.assertFalse(self.quantize(eval=noise(2, 2), max_drop=0.5, evaluate=favours_fp32).bound.met)

    def test_what_evaluate_raises_reaches_the_caller(self):
        def broken(outputs, index):
            raise KeyError("no label")

        with self.assertRaisesRegex(KeyError, "no label"):
            self.quantize(eval=noise(2), max_drop=1, evaluate=broken)
        self.assertEqual(list(self.folder.iterdir()), [])
        with self.assertRaises(TypeError):
            self.compare(evaluate=lambda outputs, index: None)
        with self.assertRaisesRegex(detent.Error, "not a finite number"):
            self.compare(evaluate=lambda outputs, index: float("nan"))

    def test_evaluate_needs_something_to_judge(self):
        def evaluate(outputs, index):
            return 1.0

        with self.assertRaisesRegex(detent.Error, "need eval"):
            self.quantize(evaluate=evaluate)
        with self.assertRaisesRegex(ValueError, "eval_limit"):
            self.compare(evaluate=evaluate, eval_limit=1)
        with self.assertRaises(TypeError):
            detent.lint(MODEL, evaluate=evaluate)


class Progress(InFolder):
    def test_bars_reach_their_ends(self):
        try:
            import tqdm  # noqa: F401
        except ImportError:
            self.skipTest("python3-tqdm is not installed")
        drawn = io.StringIO()
        with contextlib.redirect_stderr(drawn):
            detent.calibrate(MODEL, self.folder / "t.dct", (image for image in noise(4)), progress=True)
        last = [line.split("\r")[-1] for line in drawn.getvalue().splitlines()]
        self.assertTrue(any(re.match(r"reading data: 4it \[", line) for line in last), last)
        self.assertTrue(any(re.match(r"calibrating: 100%\|[█#]+\| 4/4 \[", line) for line in last), last)
        with contextlib.redirect_stderr(io.StringIO()) as silent:
            detent.calibrate(MODEL, self.folder / "u.dct", noise(2), progress=False)
        self.assertEqual(silent.getvalue(), "")

    def test_without_tqdm_lines_tell_each_quarter(self):
        told = io.StringIO()
        with mock.patch.dict("sys.modules", {"tqdm": None, "tqdm.auto": None}), contextlib.redirect_stderr(told):
            detent.calibrate(MODEL, self.folder / "t.dct", (image for image in noise(8)), progress=True)
        lines = told.getvalue().splitlines()
        self.assertIn("reading data ...", lines)
        self.assertIn("calibrating: 8 of 8", lines)
        self.assertLessEqual(sum(line.startswith("calibrating") for line in lines), 5)


if __name__ == "__main__":
    unittest.main()
