"""What is left when a search of `detent quantize` is interrupted?

    bench/interrupts.py [MODEL] [--search best|max-drop|latency] [--data DIR] [--preprocess SPEC] [--moments N]
                        [--signal INT|TERM] [--time-limit]

Searches: --accuracy best, --max-drop 0 on the same samples, and --latency-command with a command of a second whose times
are drawn by the bytes of the file. Runs the search once to its end, and then interrupts it at N moments, evenly over that time. Prints a row each: the moment,
the exit code, the first line of the report, the error of the file, and the seconds from the signal to the end. Exits 1
where a code is not 130, a file was written that does not load or has no verdict, something else lies beside it, or the end
took longer than 10 s. --time-limit ends the runs by that option instead, with exit code 0. DETENT and DETENT_SHARED as in
the tests."""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
DETENT = os.environ.get("DETENT", str(ROOT / "build/release/detent"))
SHARED = pathlib.Path(os.environ.get("DETENT_SHARED", ROOT.parent / "shared"))
MOST_SECONDS = 10
TIMER = """import os, sys, time, zlib
time.sleep(1)
print(5 + zlib.crc32(open(sys.argv[1], "rb").read()) % 1000 / 1000 + os.path.getsize(sys.argv[1]) / 1e6)
"""


def words_of(search, options):
    """Returns the words of a search."""
    if search == "best":
        return ["--accuracy", "best"]
    if search == "max-drop":  # the float model's detections are the truth
        return ["--max-drop", "0", "--eval", options.data]
    timer = pathlib.Path(options.scratch) / "timer.py"
    timer.write_text(TIMER)
    return ["--latency-command", f"{sys.executable} {timer}"]


def start(options, folder, *more):
    return subprocess.Popen([DETENT, "quantize", options.model, "--data", options.data, "--preprocess", options.preprocess,
                             "--target", "onnxruntime", *words_of(options.search, options), "--accept-broken", "--quiet",
                             "-o", str(folder / "out.onnx"), "--json", str(folder / "out.json"), *more],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def faults_of(search, folder, code, wanted, seconds, errors):
    """Returns (a row's words, [faults])."""
    files = sorted(path.name for path in folder.iterdir())
    faults = [] if code == wanted else [f"exit {code} for {wanted}"]
    if seconds > MOST_SECONDS:
        faults.append("slow")
    if files not in ([], ["out.json", "out.onnx"], *([["out.onnx"]] if search == "latency" else [])):
        faults.append(f"left {files}")
    if "out.onnx" not in files:
        return "no file", faults
    read = subprocess.run([DETENT, "inspect", str(folder / "out.onnx")], capture_output=True, check=False)
    if "out.json" not in files:  # a search by latency writes the file as it timed it
        told = [line for line in errors.splitlines() if "fastest file so far" in line]
        if read.returncode != 0 or not told:
            faults.append("the file does not load, or nothing says which it is")
        return told[-1].rpartition("fastest file so far ")[2] if told else "", faults
    report = json.loads((folder / "out.json").read_text())
    if read.returncode != 0 or report.get("verdict") is None:
        faults.append("the file has no verdict or does not load")
    if not report.get("stopped"):
        faults.append("the document does not say that it was stopped")
    left_out = ", ".join(report.get("left_out") or [])
    return f"{report['verdict']}, {report['error']['sqnr_db']:.1f} dB, without {left_out or 'nothing'}", faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", nargs="?", default=str(SHARED / "models/coco_yolox_nano/model_opset11.onnx"))
    parser.add_argument("--search", choices=["best", "max-drop", "latency"], default="best")
    parser.add_argument("--data", default=str(SHARED / "images/coco"))
    parser.add_argument("--preprocess", default="yolox")
    parser.add_argument("--moments", type=int, default=10)
    parser.add_argument("--signal", choices=["INT", "TERM"], default="INT")
    parser.add_argument("--time-limit", action="store_true")
    parser.add_argument("--seconds", type=float, help="of a whole run; absent: it is measured")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="detent-interrupts-") as options.scratch:
        return interrupt(options)


def interrupt(options):
    whole = options.seconds
    if whole is None:
        with tempfile.TemporaryDirectory(prefix="detent-interrupts-") as folder:
            began = time.monotonic()
            code = start(options, pathlib.Path(folder)).wait()
            whole = time.monotonic() - began
            print(f"to its end: exit {code}, {whole:.1f} s", flush=True)
    print("| moment, s | exit | first line | file | s to the end |\n| ---: | ---: | --- | --- | ---: |")
    failed = False
    for moment in range(options.moments):
        after = whole * (moment + .5) / options.moments
        with tempfile.TemporaryDirectory(prefix="detent-interrupts-") as name:
            folder = pathlib.Path(name)
            limit = ["--time-limit", f"{after:.2f}s"] if options.time_limit else []
            began = time.monotonic()
            run = start(options, folder, *limit)
            if not options.time_limit:
                time.sleep(after)
                run.send_signal(getattr(signal, "SIG" + options.signal))
            said, errors = run.communicate()
            seconds = time.monotonic() - began - after
            words, faults = faults_of(options.search, folder, run.returncode, 0 if options.time_limit else 130, seconds, errors)
            first = (said or errors or "\n").splitlines()[0]
            print(f"| {after:.1f} | {run.returncode} | {first} | {words}{''.join('; FAULT ' + one for one in faults)} | "
                  f"{seconds:.1f} |", flush=True)
            failed = failed or bool(faults)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
