"""Distances between outputs, and the checks that an engine's outputs have to pass."""

import numpy

EXACT_DB = 99.0
SMALLEST_OUTPUT = 8  # elements: a ratio of fewer says little
LOSS_DB = 3.0  # that an engine may add to what ONNX Runtime loses, where its module names no other number
ENOUGH_DB = 30.0  # whatever ONNX Runtime reaches
EQUAL_SHARE = 0.99  # of the elements of an integer output
CLAIM_DB = 1.0  # between what a report claims and what the engine computes with the same samples
# Two correct runs of one file differ where a sum lies between two codes: the engine adds in another order, or with
# fused constants. A step between codes is 8 deviations / 255, 30 dB below a normal signal, so one such code in 100 is
# an error of 50 dB. Noise below that floor is not compared.
FLOOR_DB = 50.0


def sqnr(reference, values):
    """Returns the dB of values against reference: 99 where they are equal, -99 where only one of the two is finite."""
    reference, values = numpy.asarray(reference, numpy.float64), numpy.asarray(values, numpy.float64)
    same = (reference == values) | (numpy.isnan(reference) & numpy.isnan(values))
    with numpy.errstate(invalid="ignore"):
        error = numpy.where(same, 0, reference - values)
    if not numpy.isfinite(error).all():
        return -EXACT_DB
    noise = float((error ** 2).sum())
    signal = float((numpy.where(numpy.isfinite(reference), reference, 0) ** 2).sum())
    if noise == 0:
        return EXACT_DB
    return float(numpy.clip(10 * numpy.log10(max(signal, 1e-30) / noise), -EXACT_DB, EXACT_DB))


def check_output(name, truth, simulated, engine, loss=LOSS_DB):
    """Compares one output of three runs: the float model and the Q/DQ file in ONNX Runtime, and the Q/DQ file in the
    engine. Returns (row for the table, {check: what fails})."""
    row, failed = {"name": name, "elements": int(truth.size)}, {}
    if engine.shape != truth.shape or engine.dtype != truth.dtype:
        said = f"{name}: {engine.dtype}{list(engine.shape)} instead of {truth.dtype}{list(truth.shape)}"
        failed["shapes"] = said
    if engine.size != truth.size:
        return row, failed
    engine = engine.reshape(truth.shape)
    if truth.dtype.kind != "f":
        equal = float((simulated == engine).mean()) if truth.size else 1.0
        row["equal"] = round(equal, 4)
        if equal < EQUAL_SHARE:
            failed["integers"] = f"{name}: {100 * equal:.1f} % of {truth.size} elements are equal"
        return row, failed
    row["simulated_db"], row["engine_db"] = round(sqnr(truth, simulated), 1), round(sqnr(truth, engine), 1)
    needed = min(row["simulated_db"] - loss, ENOUGH_DB)
    if truth.size >= SMALLEST_OUTPUT and row["engine_db"] < needed:
        failed["values"] = f"{name}: {row['engine_db']:.1f} dB, ONNX Runtime reaches {row['simulated_db']:.1f} dB"
    return row, failed


def check_outputs(names, truth, simulated, engine, loss=LOSS_DB):
    """Returns (rows, {check: what fails}) of all outputs."""
    rows, failed = [], {}
    for values in zip(names, truth, simulated, engine):
        row, more = check_output(*values, loss)
        rows.append(row)
        for check, said in more.items():
            failed[check] = f"{failed[check]}; {said}" if check in failed else said
    return rows, failed


def check_report(coverage, layers):
    """Compares the layers with INT8 weights that the report of `detent quantize` counts, those with activations of 16
    bits apart, with those that `detent lint` finds in the file. Returns {check: what fails}."""
    found = [layer for layer in layers if layer["int8"]]
    counted, macs = (coverage[f"int8_{what}"] + coverage[f"int16_{what}"] for what in ("layers", "macs"))
    if (counted, macs) == (len(found), sum(layer["macs"] for layer in found)):
        return {}
    return {"report": f"{counted} of {coverage['layers']} layers are reported as INT8, lint of the "
                      f"file finds {len(found)}"}


def check_layers(layers, ran):
    """Compares the layers that `detent lint` counts as INT8 ([{name, int8, macs}]) with those that the engine ran in
    INT8 (names). Returns ({share of MACs counted and run}, {check: what fails})."""
    total = sum(layer["macs"] for layer in layers)
    counted = [layer for layer in layers if layer["int8"]]
    missed = [layer["name"] for layer in counted if layer["name"] not in ran]

    def share(chosen):
        return round(sum(layer["macs"] for layer in chosen) / total, 4) if total else 0.0

    shares = {"counted": share(counted), "ran": share([layer for layer in counted if layer["name"] in ran])}
    if not missed:
        return shares, {}
    listed = ", ".join(missed[:3]) + (", ..." if len(missed) > 3 else "")
    return shares, {"layers": f"{len(missed)} of {len(counted)} INT8 layers ran float: {listed}"}


def noise_of(truth, values):
    """Returns the energy of the error over all samples; infinite where only one of the two is finite."""
    truth, values = (numpy.concatenate([numpy.ravel(part).astype(numpy.float64) for part in parts])
                     for parts in (truth, values))
    same = (truth == values) | (numpy.isnan(truth) & numpy.isnan(values))
    with numpy.errstate(invalid="ignore"):
        error = numpy.where(same, 0, truth - values)
    return float((error ** 2).sum()) if numpy.isfinite(error).all() else numpy.inf


def check_claim(claimed_db, truth, values, float_noise=0.0):
    """Compares the dB that a report claims for an output (None: equal) with what the engine measures with the same
    samples, {truth, values} of each. float_noise: the error of the float model in that engine. Returns (dB in the
    engine, what fails or "")."""
    signal = sum(float((numpy.asarray(part, numpy.float64) ** 2).sum()) for part in truth)
    claimed = 0.0 if claimed_db is None else signal * 10 ** (-claimed_db / 10)
    measured = noise_of(truth, values)
    in_engine = float(numpy.clip(-10 * numpy.log10(max(measured, 1e-30) / max(signal, 1e-30)), -EXACT_DB, EXACT_DB))
    floor = signal * 10 ** (-FLOOR_DB / 10) + float_noise + 1e-30
    if abs(10 * numpy.log10((measured + floor) / (claimed + floor))) <= CLAIM_DB:
        return in_engine, ""
    return in_engine, f"{in_engine:.1f} dB, the report claims {EXACT_DB if claimed_db is None else claimed_db:.1f}"
