"""Tests of what judges an engine: distances, checks, the comparison with expected.json."""

import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import expected
import judge
import measures
import models
import numpy
import onnx
import own_process
import rknn_engine
import worker

HERE = pathlib.Path(__file__).resolve().parent


def noisy(values, db):
    """Returns values with an error of exactly db."""
    error = numpy.where(numpy.arange(values.size) % 2, 1.0, -1.0).reshape(values.shape)
    scale = numpy.sqrt((values ** 2).sum() / (error ** 2).sum() / 10 ** (db / 10))
    return (values + scale * error).astype(values.dtype)


VALUES = numpy.linspace(-1, 1, 1000).reshape(10, 100)


def failed(truth, simulated, engine, *loss):
    return set(measures.check_outputs(["y"], [truth], [simulated], [engine], *loss)[1])


class Distances(unittest.TestCase):
    def test_ratio_of_signal_and_error(self):
        self.assertAlmostEqual(measures.sqnr(VALUES, noisy(VALUES, 25)), 25)
        self.assertEqual(measures.sqnr(VALUES, VALUES), measures.EXACT_DB)

    def test_masks_of_infinity_are_equal_and_nan_alone_is_not(self):
        masked = numpy.where(VALUES > 0, -numpy.inf, VALUES)
        self.assertEqual(measures.sqnr(masked, masked), measures.EXACT_DB)
        self.assertEqual(measures.sqnr(VALUES, numpy.where(VALUES > 0.5, numpy.nan, VALUES)), -measures.EXACT_DB)
        self.assertEqual(measures.sqnr(masked, VALUES), -measures.EXACT_DB)


class Samples(unittest.TestCase):
    def test_samples_of_other_lengths_get_the_shapes_of_the_feed(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "calib").mkdir()
            for number, length in enumerate((2, 5)):
                numpy.savez(folder / f"calib/{number}.npz", x=numpy.ones((1, length, 2)))
            options = judge.with_shapes([f"--data={folder / 'calib'}", "--data=x=random:n=1"], {"x": numpy.ones((1, 3, 2))},
                                        folder)
            self.assertEqual(options, [f"--data={folder / 'fitted'}", "--data=x=random:n=1"])
            sums = [numpy.load(folder / f"fitted/{number}.npz")["x"].sum() for number in (0, 1)]
            self.assertEqual(sums, [4, 6])


class OwnProcess(unittest.TestCase):
    def ask(self, text, seconds=60):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "found.json"
            return own_process.found_by([sys.executable, "-c", text, str(out)], out, seconds)

    def test_what_a_process_writes_or_why_it_wrote_nothing(self):
        write = "import sys; open(sys.argv[1], 'w').write('{\"a\": 1}')"
        self.assertEqual(self.ask(write), ({"a": 1}, ""))
        self.assertEqual(self.ask("print('no'); raise SystemExit(3)"), (None, "exit 3: no"))
        self.assertEqual(self.ask("import os; os.abort()"), (None, "ended by SIGABRT: no message"))
        self.assertEqual(self.ask("import time; time.sleep(60)", 0.5), (None, "not done after 0.5 s"))


class Values(unittest.TestCase):
    def test_engine_may_lose_3_db_more_than_onnx_runtime(self):
        self.assertEqual(failed(VALUES, noisy(VALUES, 20), noisy(VALUES, 17.1)), set())
        self.assertEqual(failed(VALUES, noisy(VALUES, 20), noisy(VALUES, 16.8)), {"values"})
        self.assertEqual(failed(VALUES, noisy(VALUES, 20), noisy(VALUES, 18.8), 1.0), {"values"})
        self.assertEqual(failed(VALUES, noisy(VALUES, 20), noisy(VALUES, 19.2), 1.0), set())

    def test_30_db_are_enough(self):
        self.assertEqual(failed(VALUES, noisy(VALUES, 60), noisy(VALUES, 30.1)), set())
        self.assertEqual(failed(VALUES, noisy(VALUES, 60), noisy(VALUES, 29.8)), {"values"})

    def test_few_elements_are_not_judged_by_their_values(self):
        few = VALUES.ravel()[:measures.SMALLEST_OUTPUT - 1]
        self.assertEqual(failed(few, few, -few), set())
        more = VALUES.ravel()[:measures.SMALLEST_OUTPUT]
        self.assertEqual(failed(more, more, -more), {"values"})

    def test_nan_fails(self):
        self.assertEqual(failed(VALUES, VALUES, numpy.full_like(VALUES, numpy.nan)), {"values"})


class Integers(unittest.TestCase):
    def test_one_in_a_hundred_may_differ(self):
        codes = numpy.arange(1000)
        other = codes.copy()
        other[:10] += 1
        self.assertEqual(failed(codes, codes, other), set())
        other[:11] = 5000
        self.assertEqual(failed(codes, codes, other), {"integers"})

    def test_they_are_compared_with_the_file_and_not_with_the_float_model(self):
        codes = numpy.arange(1000)
        self.assertEqual(failed(codes, codes + 1, codes + 1), set())


class Shapes(unittest.TestCase):
    def test_shape_and_type_are_kept(self):
        self.assertEqual(failed(VALUES, VALUES, VALUES[None]), {"shapes"})
        self.assertEqual(failed(VALUES, VALUES, VALUES.astype(numpy.float32)), {"shapes"})
        self.assertEqual(failed(VALUES, VALUES, VALUES[:5]), {"shapes"})
        self.assertEqual(failed(VALUES, VALUES, VALUES), set())


class Layers(unittest.TestCase):
    LAYERS = [{"name": "a", "int8": True, "macs": 60}, {"name": "b", "int8": True, "macs": 30},
              {"name": "c", "int8": False, "macs": 10}]

    def test_every_counted_layer_has_to_run(self):
        share, missed = measures.check_layers(self.LAYERS, {"a", "b"})
        self.assertEqual((share, missed), ({"counted": 0.9, "ran": 0.9}, {}))
        share, missed = measures.check_layers(self.LAYERS, {"a", "c"})
        self.assertEqual(share, {"counted": 0.9, "ran": 0.6})
        self.assertIn("1 of 2 INT8 layers ran float: b", missed["layers"])

    def test_report_and_file_have_to_agree(self):
        coverage = {"layers": 3, "int8_layers": 1, "int8_macs": 60, "int16_layers": 1, "int16_macs": 30}
        self.assertEqual(measures.check_report(coverage, self.LAYERS), {})
        for wrong in ({"int8_layers": 2}, {"int8_macs": 70}, {"int16_layers": 0}):
            self.assertEqual(set(measures.check_report(coverage | wrong, self.LAYERS)), {"report"})

    def test_a_model_without_products_has_no_share(self):
        self.assertEqual(measures.check_layers([], set()), ({"counted": 0.0, "ran": 0.0}, {}))


class Expectations(unittest.TestCase):
    TABLE = {"openvino": {"m": {"avx2": {"share": 0.8, "exceptions": {"values": "known"}}}}}

    def row(self, ran=0.8, kind="avx2", **checks):
        return {"engine": "openvino", "model": "m", "kind": kind, "failed": checks, "share": {"ran": ran}}

    def said(self, row):
        return expected.compare(row, self.TABLE)

    def test_a_known_failure_is_no_difference(self):
        self.assertEqual(self.said(self.row(values="12 dB")), [])

    def test_a_new_failure_is(self):
        self.assertEqual(self.said(self.row(values="12 dB", shapes="y: [1]")), ["openvino m: shapes: y: [1]"])

    def test_an_exception_that_passes_has_to_go(self):
        self.assertEqual(self.said(self.row()), ["openvino m: values passes now; remove its exception (known)"])

    def test_the_share_must_not_fall(self):
        self.assertEqual(self.said(self.row(0.9, values="12 dB")), [])
        self.assertIn("79.0 % of MACs ran in INT8, 80.0 % are expected", self.said(self.row(0.79, values="12 dB"))[0])

    def test_a_model_without_a_row_is_a_difference(self):
        self.assertIn("has no row", self.said({**self.row(), "model": "new"})[0])

    def test_another_kind_of_cpu_is_judged_by_its_values(self):
        self.assertEqual(self.said(self.row(0.1, "vnni", layers="1 of 2")), [])
        self.assertEqual(self.said(self.row(0.1, "vnni", integers="50 %")), ["openvino m: integers: 50 %"])

    def test_a_file_that_the_program_did_not_write_is_judged(self):
        row = {"engine": "openvino", "model": "m", "kind": "avx2", "failed": {"quantized": "exit 11"}}
        self.assertIn("openvino m: quantized: exit 11", self.said(row))


class Weights(unittest.TestCase):
    def test_a_layer_is_named_by_the_constant_behind_its_pair(self):
        nodes = [onnx.helper.make_node("DequantizeLinear", ["w8", "s", "z"], ["w"]),
                 onnx.helper.make_node("Transpose", ["w"], ["wt"]),
                 onnx.helper.make_node("MatMul", ["x", "wt"], ["y"]),
                 onnx.helper.make_node("MatMul", ["x", "y"], ["z2"])]
        producers = {node.output[0]: node for node in nodes}
        self.assertEqual(judge.weight_of(nodes[2], producers, {"w8", "s", "z"}), "w8")
        self.assertEqual(judge.weight_of(nodes[3], producers, {"w8", "s", "z"}), "")


class Engine(unittest.TestCase):
    """The float network in place of its Q/DQ file: right in every value, and no layer in INT8."""

    PATH = HERE / "networks/tcn1d/legacy_opset13.onnx"
    FEED = {"x": numpy.random.default_rng(1).normal(size=(1, 4, 101)).astype(numpy.float32)}

    def setUp(self):
        graph = onnx.load(self.PATH).graph
        self.layers = [{"name": node.name, "output": node.output[0], "weight": node.input[1], "int8": True, "macs": 1}
                       for node in graph.node if node.op_type in ("Conv", "ConvTranspose", "Gemm")]

    def test_float_layers_are_seen(self):
        found = worker.judge("openvino", self.PATH, self.PATH, self.FEED, self.layers)
        self.assertEqual(set(found["failed"]), {"layers"})
        self.assertEqual(found["share"], {"counted": 1.0, "ran": 0.0})

    def test_a_file_that_is_no_model_is_refused(self):
        for files in ((HERE / "slice.txt", self.PATH), (self.PATH, HERE / "slice.txt")):
            found = worker.judge("openvino", *files, self.FEED, [])
            self.assertEqual(set(found["failed"]), {"reference"})

    def test_a_process_that_dies_or_hangs_is_a_refusal(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            numpy.savez(folder / "feed.npz", **self.FEED)
            (folder / "layers.json").write_text("[]", encoding="utf-8")
            found = judge.run_worker("no_such", self.PATH, self.PATH, folder)
            self.assertIn("exit 1: ModuleNotFoundError", found["failed"]["loads"])
            with mock.patch.object(judge, "LIMIT_SECONDS", 0.01):
                found = judge.run_worker("openvino", self.PATH, self.PATH, folder)
            self.assertEqual(found["failed"], {"loads": "not done after 0.01 s"})
            with mock.patch.dict(judge.LIMIT_BYTES, {"openvino": 64 << 20}):
                self.assertIn("loads", judge.run_worker("openvino", self.PATH, self.PATH, folder)["failed"])


class RockchipNames(unittest.TestCase):
    """The compiler's table names layers otherwise than the file."""

    def ran(self, names, weights=(), weight="w_quantized", data="x", other=()):
        layer = {"name": "/fc/MatMul", "output": "fc_out", "weight": weight, "data": data}
        return rknn_engine._ran_in_int8(layer, set(names), set(weights), set(other))

    def test_suffixes_are_known(self):
        for name in ("/fc/MatMul", "/fc/MatMul#2", "/fc/MatMul#2_ConvAdd", "fc_out_tp"):
            self.assertTrue(self.ran([name]), name)
        for name in ("/fc/MatMul2", "fc_output", "/fc", ""):
            self.assertFalse(self.ran([name]), name)

    def test_a_weight_names_its_layer(self):
        self.assertTrue(self.ran([], ["w_dequantized"]))
        self.assertFalse(self.ran([], ["w2_dequantized"]))
        self.assertFalse(self.ran([], ["_x"], weight=""))

    def test_parts_of_a_product_have_the_name_of_what_they_read(self):
        self.assertTrue(self.ran(["x_tp-rs_mm", "x_tp-rs_mm#4"]))
        self.assertTrue(self.ran(["x_quantized_rs_mm#5_ConvMul"]))
        self.assertFalse(self.ran(["x_tp-rs_mm"], other=["x_tp-rs_mm#4"]), "a part is float")
        self.assertFalse(self.ran(["x_tp-rs_mm_rs", "x2_mm"]), "other nodes")
        self.assertFalse(self.ran(["_mm"], data=""))

    def test_the_table_has_cycles_and_what_the_cpu_runs(self):
        row = {"engine": "rknn", "model": "m", "failed": {}, "seconds": 1, "cycles": 7, "cpu": ["2 Pad"]}
        self.assertIn("ok, 7 cycles, on its CPU: 2 Pad", expected.table_line(row))
        del row["cycles"]
        self.assertIn("| ok |", expected.table_line(row))


class Rows(unittest.TestCase):
    def test_a_run_that_was_cut_goes_on_behind_its_last_whole_line(self):
        with tempfile.TemporaryDirectory() as name:
            results = pathlib.Path(name) / "rows.jsonl"
            self.assertEqual(judge.read_rows(results), {})
            whole = json.dumps({"model": "a", "digest": "1"}) + "\n"
            results.write_text(whole + '{"model": "b", "di', encoding="utf-8")
            self.assertEqual(list(judge.read_rows(results)), [("a", "1")])
            self.assertEqual(results.read_text(encoding="utf-8"), whole)


class Files(unittest.TestCase):
    def test_every_name_of_the_slice_is_expected(self):
        table = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
        names = (HERE / "slice.txt").read_text(encoding="utf-8").split()
        self.assertEqual(len(names), len(set(names)))
        for engine, rows in table.items():
            self.assertEqual([name for name in names if name not in rows], [], engine)

    def test_every_expected_model_of_the_checkout_is_there(self):
        there = {model.name for model in models.all_models()}
        for engine, rows in expected.load().items():
            missing = [name for name in rows if name.startswith(("sample/", "networks/")) and name not in there]
            self.assertEqual(missing, [], engine)

    def test_exceptions_have_a_reason(self):
        for engine, rows in expected.load().items():
            for model, kinds in rows.items():
                for entry in kinds.values():
                    self.assertTrue(all(reason for reason in entry["exceptions"].values()), f"{engine} {model}")


if __name__ == "__main__":
    unittest.main()
