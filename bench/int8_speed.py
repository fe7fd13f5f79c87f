"""int8_speed.py [--only NAME,...] [--threads 1,2] [--rounds 15] [--seconds 0.2] [--cpu]
              [--instructions native|avx512|avx2] [--files FOLDER] [--json FILE] [-- QUANTIZE_OPTION...]
int8_speed.py --profile NAME [--threads 1] [--worst 12] ...

Measures whether the quantized file is faster. Quantizes models for `--target onnxruntime` with the defaults and times
the float and the quantized file in ONNX Runtime alternately: milliseconds a sample and the ratio float / INT8, as a
Markdown table. Environment: DETENT (the program, default build/release/detent), DETENT_SHARED (models, default
../shared)."""

import argparse
import json
import pathlib
import shutil
import sys
import time

import numpy
from clocks import CLOCKS
from int8_profile import (float_nodes, kinds_of, layers_of, open_session, options_of, profile_of, standalone_pairs, total)
from onnxruntime_cpu import restrict_to
from speed_models import processor

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tests/onnxruntime"))
from engine import optimized_model  # noqa: E402
from measured import present, print_header, print_row  # noqa: E402
from models import CHARS_GPT, FLOAT_MODELS, MODELS, Samples, detector  # noqa: E402
from program import arrays, quantized_from_data, write_inputs  # noqa: E402

NAMED = {model.name: model for model in (
    *(model for model in MODELS.values() if model.name != "sample"),
    *(model for model in FLOAT_MODELS if model.name.startswith(("coco", "face", "text", "style"))),
    CHARS_GPT, detector("bccd_dfl"), detector("bccd_nmsfree"))}


def feeds_of(model):
    """Returns {input: array} of one sample."""
    samples = Samples(["--data", model.calibration]) if model.calibration else model.samples()
    return {name: stack[:1] for name, stack in arrays(write_inputs(model, samples, "--limit", "1")).items()}


def int8_file(model, given):
    kept = given.files and given.files / f"{model.name}.onnx"
    if kept and kept.exists():
        return kept
    written = quantized_from_data(model, "onnxruntime", "", *given.quantize)
    if not kept:
        return written
    kept.parent.mkdir(parents=True, exist_ok=True)
    return pathlib.Path(shutil.copy(written, kept))


def timed(session, feeds, seconds, now):
    """Returns the milliseconds of each run during `seconds`, five runs at least."""
    times, end = [], time.monotonic() + seconds
    while len(times) < 5 or time.monotonic() < end:
        begun = now()
        session.run(None, feeds)
        times.append(1000 * (now() - begun))
    return times


def compared(files, feeds, threads, given):
    """Returns {float, int8: least milliseconds, ratio of them, median: ratio of the rounds' medians, median over
    rounds}."""
    sessions, now = [open_session(file, options_of(threads)) for file in files], CLOCKS[given.clock]
    for session in sessions:
        timed(session, feeds, 0.05, now)
    least, ratios = [numpy.inf, numpy.inf], []
    for _ in range(given.rounds):
        medians = []
        for which, session in enumerate(sessions):
            times = timed(session, feeds, given.seconds, now)
            least[which] = min(least[which], *times)
            medians.append(numpy.median(times))
            if threads > 1:
                time.sleep(0.02)  # ONNX Runtime's threads spin for a while after a run
        ratios.append(medians[0] / medians[1])
    return {"threads": threads, "float": least[0], "int8": least[1], "ratio": least[0] / least[1],
            "median": float(numpy.median(ratios))}


def ms(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def table(given, title):
    print(f"{title}; ms {'of CPU time ' if given.clock == 'cpu' else ''}a sample, least of all runs; ratio FP32 / INT8, in "
          f"brackets the median of {given.rounds} rounds' medians\n")
    print_header("model", *(cell for count in given.threads
                            for cell in (f"FP32, {count} thread{'s' if count > 1 else ''}", "INT8", "ratio")))
    results = []
    for model in present(model for name, model in NAMED.items() if not given.only or name in given.only):
        files, feeds = (model.file, int8_file(model, given)), feeds_of(model)
        measured = [compared(files, feeds, threads, given) for threads in given.threads]
        results.append({"name": model.name, "measured": measured})
        print_row(model, *(cell for one in measured for cell in (ms(one["float"]), ms(one["int8"]),
                                                                 f"{one['ratio']:.2f} ({one['median']:.2f})")))
    if given.json:
        given.json.write_text(json.dumps({"cpu": title, "results": results}, indent=2) + "\n")


def profile(model, given, title):
    file, feeds, threads = int8_file(model, given), feeds_of(model), given.threads[0]
    before, after = (profile_of(one, feeds, threads, given.seconds) for one in (model.file, file))
    print(f"{model}, {title}, {threads} threads: ms of all nodes {ms(total(before))} FP32, {ms(total(after))} INT8\n")
    print_header("kind", "FP32 ms", "nodes", "INT8 ms", "nodes")
    for kind, *sides in kinds_of(before, after):
        print_row(kind, *(cell for nodes in sides for cell in (f"{total(nodes):.3f}", len(nodes))))
    alone = standalone_pairs(after)
    print(f"\nstandalone QuantizeLinear and DequantizeLinear: {len(alone)}, {ms(total(alone))} ms")
    print("\nfloat nodes and standalone pairs of the INT8 file, worst first\n")
    print_header("kind", "node", "ms", "reads from", "read by")
    for node, sources, readers in float_nodes(after, optimized_model(file).graph)[:given.worst]:
        print_row(node.kind, node.name, f"{node.ms:.3f}", sources, readers)
    print("\nlayers that lose most\n")
    print_header("layer", "FP32", "ms", "INT8", "ms", "output")
    for old, new in layers_of(before, after)[:given.worst]:
        print_row(new.name, old.kind, f"{old.ms:.3f}", new.kind, f"{new.ms:.3f}", new.shape)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--only", type=lambda text: text.split(","), metavar="NAME,...")
    add("--threads", type=lambda text: [int(count) for count in text.split(",")], help="default 1,2; with --profile 1")
    add("--rounds", type=int, default=15)
    add("--seconds", type=float, default=0.2, help="how long each file runs in a round")
    add("--cpu", dest="clock", action="store_const", const="cpu", default="wall",
        help="time on the CPU instead of the wall, for a machine that others use; with --threads 1, because ONNX Runtime's "
        "threads spin")
    add("--instructions", default="native",
        help="avx512, avx2: loads a copy of ONNX Runtime that skips its tests for VNNI, or for AVX-512 and VNNI. Its matrix "
        "products use the instructions of a CPU without these. Only for the pinned version on x86-64 Linux")
    add("--files", type=pathlib.Path, help="folder of the quantized files; existing ones are used again")
    add("--json", type=pathlib.Path)
    add("--profile", choices=NAMED, metavar="NAME",
        help="time by kind of operator in both files, pairs that no kernel absorbed, float layers beside integer ones, and "
        "the layers with the largest loss, by ONNX Runtime's profiler")
    add("--worst", type=int, default=12)
    add("quantize", nargs="*", metavar="QUANTIZE_OPTION")
    given = parser.parse_args()
    restrict_to(given.instructions)
    given.threads = given.threads or ([1] if given.profile else [1, 2])
    title = f"{processor()}, instructions: {given.instructions}"
    if given.profile:
        profile(NAMED[given.profile], given, title)
    else:
        table(given, title)


if __name__ == "__main__":
    main()
