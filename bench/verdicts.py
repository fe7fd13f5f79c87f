"""Parts that the benches of verdicts share: the report of one way to quantize, and how far a verdict is from the grade
of the true loss."""

import json
import pathlib
import subprocess
import sys

from networks import scratch

GRADES = ["good", "doubtful", "broken"]


class Failed(Exception):
    """A command that failed, with what it said."""


def report_with_file(detent, options, command="quantize"):
    """Returns the report of a command that quantizes, and the bytes of its file."""
    with scratch() as folder:
        file, report = pathlib.Path(folder) / "x.onnx", pathlib.Path(folder) / "report.json"
        words = [detent, command, *options, "--accept-broken", "--quiet", "-o", file, f"--json={report}"]
        done = subprocess.run([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode:
            raise Failed(f"{' '.join(map(str, options))}: {done.stderr}")
        return json.loads(report.read_text()), file.stat().st_size


def report_of(detent, options, command="quantize"):
    """Returns the report of a command that quantizes; None, with a line on stderr, where it fails."""
    try:
        return report_with_file(detent, options, command)[0]
    except Failed as error:
        print(error, file=sys.stderr)
        return None


def grade(loss, good, broken):
    """Returns the grade of a loss: good up to the first limit, broken above the second."""
    return GRADES[(loss > good) + (loss > broken)]


def missed(verdict, truths):
    """Returns by how many grades a verdict misses the nearest of the true ones."""
    return min(abs(GRADES.index(verdict) - GRADES.index(truth)) for truth in truths)


def wrong_verdicts(rows):
    """Returns in words how many verdicts of [(verdict, truths)] are wrong."""
    counts = [missed(*row) for row in rows]
    return f"{len(rows)} variants, verdicts wrong by one grade: {counts.count(1)}, by two: {counts.count(2)}"
