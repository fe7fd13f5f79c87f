"""Tests of the table of operators: it has every operator of the program, and each network holds the operator of its
name and runs in ONNX Runtime."""

import pathlib
import re
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent))

import models
import networks
import numpy
import onnx
import operators
import reference

SIGNATURES = models.ROOT / "src/ops/signatures.cpp"


def supported():
    """Returns the operators of ONNX that the program has signatures of."""
    text = SIGNATURES.read_text(encoding="utf-8")
    return {op for row in re.findall(r'^    \{"([A-Za-z0-9 ]+)",', text, re.MULTILINE) for op in row.split()}


class Table(unittest.TestCase):
    def test_every_operator_has_a_row_or_a_reason(self):
        rows = {name.split("_")[0] for name in operators.OPERATORS}
        left_out = [op for ops in operators.LEFT_OUT.values() for op in ops.split()]
        self.assertGreater(len(supported()), 190)
        self.assertEqual(rows | set(left_out), supported())
        self.assertEqual([op for op in left_out if op in rows], [])

    def test_networks_hold_their_operator_and_run(self):
        for name in operators.table():
            with self.subTest(name), tempfile.TemporaryDirectory(prefix="detent-generated-") as folder:
                model, samples, _ = networks.generate(name)
                self.assertIn(name.split("/")[2].split("_")[0], {node.op_type for node in model.graph.node})
                path = pathlib.Path(folder) / "float.onnx"
                onnx.save(model, path)
                _, (output,) = reference.run(path, {key: array[:1] for key, array in samples.items()})
                self.assertTrue(numpy.isfinite(output).all() and output.std() > 0.001)

    def test_slice_has_every_block_and_a_part_of_the_operators(self):
        chosen = [name for name in networks.table() if networks.in_slice(name)]
        self.assertLessEqual(set(networks.BLOCKS), set(chosen))
        self.assertTrue(0.07 < (len(chosen) - len(networks.BLOCKS)) / len(operators.table()) < 0.18)


if __name__ == "__main__":
    unittest.main()
