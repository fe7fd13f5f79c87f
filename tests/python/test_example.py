"""Executes the notebook of tests/examples cell by cell, as a notebook does. usage: test_example.py SOURCE"""

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

from sample import SOURCE

import detent

NOTEBOOK = SOURCE / "tests/examples/quantize.ipynb"


def execute(source, names):
    """Runs a cell; returns the value of its last expression, or None."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


class Notebook(unittest.TestCase):
    def test_every_cell_runs(self):
        notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
        cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertEqual([cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"], [[]] * len(cells))
        printed, values, names = io.StringIO(), [], {}
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            os.environ["DETENT_SOURCE"] = str(SOURCE)
            os.chdir(folder)
            try:
                values = [execute(cell, names) for cell in cells]
            finally:
                os.chdir(before)
        self.assertIn("verdict: good", printed.getvalue())
        self.assertIn("layers INT8", printed.getvalue())
        self.assertEqual(values[2][0], "good")
        self.assertIn("<iframe", values[3]._repr_html_())
        self.assertEqual(set(values[4]), {"max", "mse", "three_sigma"})
        self.assertTrue(all(0.5 < score <= 1 for score in values[4].values()), values[4])

    def test_a_broken_cell_is_an_error(self):
        with self.assertRaises(detent.Error):
            execute("import detent\ndetent.lint('none.onnx')", {})


if __name__ == "__main__":
    if sys.version_info < (3, 9):
        sys.exit(77)
    unittest.main()
