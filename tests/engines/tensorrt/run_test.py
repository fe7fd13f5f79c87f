"""What run.py does without a GPU: shapes, lines, and networks whose worker fails or dies."""

import json
import pathlib
import sys
import tempfile
import unittest

import run

# Answers each task with a line; "dies" ends the process, "fails" is an error of the judge.
WORKER = """
import json, sys
print("ready", flush=True)
for line in sys.stdin:
    name = json.loads(line)["name"]
    if name == "dies": sys.exit(1)
    failed = {"judge": "error"} if name == "fails" else {}
    print(json.dumps({"name": name, "failed": failed, "seconds": {} if failed else {"int8": 1}}), flush=True)
"""


class Shapes(unittest.TestCase):
    def test_of_an_engine_for_one_shape_are_its_own(self):
        self.assertEqual(run.shape_of("x", (64, 3), {}, 8), [64, 3])

    def test_take_the_batch_where_the_first_axis_is_open(self):
        self.assertEqual(run.shape_of("x", (-1, 3), {}, 8), [8, 3])

    def test_are_1_where_nothing_is_known(self):
        self.assertEqual(run.shape_of("x", (-1, 3, -1), {}, None), [1, 3, 1])


class Rows(unittest.TestCase):
    def test_that_were_cut_are_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rows.jsonl"
            path.write_text('{"name": "a"}\n{"name": "b', encoding="utf-8")
            self.assertEqual(run.read_rows(path), {"a": {"name": "a"}})
            self.assertEqual(path.read_text(encoding="utf-8"), '{"name": "a"}\n')

    def test_of_a_file_that_is_not_there_are_none(self):
        self.assertEqual(run.read_rows(pathlib.Path("missing.jsonl")), {})


class Stages(unittest.TestCase):
    def rows_of(self, names, seconds=0):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rows.jsonl"
            run.Stage("build", names, path, seconds, [sys.executable, "-c", WORKER]).run(2, {})
            return run.read_rows(path)

    def test_write_a_line_for_each_network(self):
        self.assertEqual(set(self.rows_of(["a", "b", "c"])), {"a", "b", "c"})

    def test_lose_only_the_network_whose_worker_dies_or_fails(self):
        rows = self.rows_of(["a", "dies", "b", "fails", "c"])
        self.assertEqual({name for name, row in rows.items() if row["failed"]}, {"dies", "fails"})
        self.assertEqual(rows["dies"]["failed"], {"judge": "its process died"})
        self.assertEqual(set(rows), {"a", "b", "c", "dies", "fails"})

    def test_begin_nothing_when_the_time_is_over(self):
        self.assertEqual(self.rows_of(["a"], seconds=1e-9), {})


if __name__ == "__main__":
    unittest.main()
