"""cpu_scores.py [MODEL... [--OPTION...]]

Scores files for ONNX Runtime on x86 CPUs with VNNI and without, on whole evaluation sets. Each file is judged three
times: computed exactly (the engine without optimizations), by the engine on this CPU, and as a CPU without VNNI
computes it (`detent run --emulate avx2`, which cpu_products_test.py compares with the engine). Files: `--cpu vnni`,
that with 7-bit weights, and the default, whose weights do not saturate. A cell is the score in percent and the SQNR
against FP32; without labels the SQNR alone, the mean over the float outputs. Options go to `detent quantize`: `--policy
small-layers=quantize` makes first layers INT8."""

import json
import sys

import numpy
from cpus import HAS_VNNI
from engine import run_once, session_of
from graph_parts import inputs_of, rank_of, read
from measured import present, print_header, print_row
from measures import sqnr
from models import MODELS, SHARED, detector, zoo_models
from program import arrays, execute, quantize, quantized_from_data, report_of, run, saved, write_inputs

VARIANTS = {"--cpu vnni": ["--cpu", "vnni"], "7 bits": ["--cpu", "vnni", "--format", "weight-bits=7"], "default": []}
# Detectors, and the form in which the shared folder's script takes an output.
DETECTORS = {"bccd_dfl": "dfl", "bccd_nmsfree": "nmsfree"}
ALL = [*(model for model in MODELS.values() if model.name != "sample"), *map(detector, DETECTORS), *zoo_models()]


def mean_sqnr(reference, found):
    """Returns the mean over the float outputs that both have."""
    each = [sqnr(array, found[name]) for name, array in reference.items() if array.dtype == numpy.float32 and name in found]
    return numpy.mean([db for db in each if numpy.isfinite(db)])


def run_samples(file, inputs, level):
    """Returns {output: stack} of a model whose inputs may have no axis for samples."""
    session, ranks, found = session_of(file, level), {one.name: rank_of(one) for one in inputs_of(read(file))}, []
    for index in range(len(next(iter(inputs.values())))):
        found.append(run_once(session, {name: numpy.asarray(stack[index] if ranks[name] < stack.ndim else stack[index:index + 1])
                                        for name, stack in inputs.items()}))
    return {name: numpy.stack([sample[name] for sample in found]) for name in found[0]}


def row(model, more):
    stacked = model.name.startswith("zoo/")
    samples = None if stacked else model.evaluation(1)
    paths = model.evaluation_stacks if stacked else write_inputs(model, samples)
    inputs, reference = arrays(paths), run(model.file, paths)
    first = next(iter(reference))

    def score(outputs):
        """Returns points; None for a model without labels."""
        if samples and samples.score:
            return 100 * samples.score(outputs[first].reshape(reference[first].shape))
        if model.name not in DETECTORS:
            return None
        found = execute("/usr/bin/env", "python3", SHARED / "models/score_map.py", DETECTORS[model.name],
                        SHARED / "images/bccd/labels.json", saved(outputs[first].reshape(reference[first].shape)))
        return 100 * next(iter(json.loads(found).values()))

    def text(number):
        return "" if number is None else f"{number:.2f}"

    for name, arguments in VARIANTS.items():
        if stacked:
            file = quantize(model.file, "onnxruntime", *model.data, *arguments, *more)
        else:
            file = quantized_from_data(model, "onnxruntime", "", *arguments, *more)
        found = [*(run_samples(file, inputs, level) for level in ("disabled", "all")), run(file, paths, "--emulate", "avx2")]
        saturation = report_of(file).get("saturation") or {}
        print_row(model, text(score(reference)), name,
                  *(f"{text(score(outputs))} ({mean_sqnr(reference, outputs):.1f} dB)".strip() for outputs in found),
                  f"{saturation.get('mean_factor') or 1:.2f}", saturation.get("unsafe_pairs", 0))


def main():
    given = sys.argv[1:]
    options = next((at for at, word in enumerate(given) if word.startswith("--")), len(given))
    named = {model.name: model for model in [MODELS["sample"], *ALL]}
    print_header("model", "FP32", "file", "exact", f"engine, {'with' if HAS_VNNI else 'without'} VNNI",
                 "without VNNI, emulated", "mean factor of scales", "unsafe pairs")
    for model in present([named[name] for name in given[:options]] or ALL):
        row(model, given[options:])


if __name__ == "__main__":
    main()
