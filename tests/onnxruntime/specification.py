"""Tests that hold for each row of a table."""

import functools
import itertools
import unittest


class Specification(unittest.TestCase):
    """Tests whose messages name the values that they compare."""

    maxDiff = None

    def tell(self, text):
        """Prints what a test measured, behind the names of its row."""
        print(f"{self._subtest._message if self._subtest else self._testMethodName}: {text}", flush=True)


def _name_of(item):
    return " ".join(map(str, item)) or "default" if isinstance(item, (tuple, list)) else str(item)


def each(*tables):
    """Runs a test for each combination of the rows of tables, as a subtest. A model that is not there is skipped by
    name."""
    def decorate(test):
        @functools.wraps(test)
        def run(self):
            for row in itertools.product(*tables):
                with self.subTest(", ".join(map(_name_of, row))):
                    for item in row:
                        if reason := getattr(item, "missing", None):
                            self.skipTest(reason)
                    test(self, *row)
        return run
    return decorate


def main():
    unittest.main(verbosity=2)
