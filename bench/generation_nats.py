#!/usr/bin/env python3
"""Nats of a decoder with a cache that generates token by token, each file on its own cache.

    bench/generation_nats.py DETENT MODEL CALIB_IDS.npy EVAL_IDS.npy STATE.json [SAMPLES]

Quantizes MODEL for ONNX Runtime on 16 rows of CALIB_IDS, once on whole rows with empty caches and once with --steps 64,
each with attention in floats and in INT8. Runs FP32 and the four files over 256 steps of SAMPLES rows of EVAL_IDS
(257 ids each) and prints the mean of -ln p(next token) after 64 and after 256 steps. MODEL and ids are those of
bench/train_transformers.py; STATE.json holds what --state takes, with "cut": {"ids": 1}.
"""
import array
import ast
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

STEPS = 256


def read_npy(path, code):
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    values = array.array(code)
    values.frombytes(data[10 + length:])
    return ast.literal_eval(data[10:10 + length].decode())["shape"], values


def nats(logits, ids, steps):
    (rows, _, classes), scores = logits
    (_, width), tokens = ids
    total = 0.0
    for sample in range(rows // STEPS):
        for step in range(steps):
            at = (sample * STEPS + step) * classes
            row = scores[at:at + classes]
            largest = max(row)
            total += largest + math.log(sum(math.exp(x - largest) for x in row)) - row[tokens[sample * width + step + 1]]
    return total / (rows // STEPS * steps)


def main():
    detent, model, calibration, evaluation, state = sys.argv[1:6]
    samples = sys.argv[6] if len(sys.argv) > 6 else "8"
    ids = read_npy(pathlib.Path(evaluation), "q")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        whole = json.loads(pathlib.Path(state).read_text())
        whole["cut"] = {"ids": {"axis": 1, "length": STEPS}}
        (folder / "whole.json").write_text(json.dumps(whole))

        def run(*arguments):
            subprocess.run([detent, *map(str, arguments), "--quiet"], check=True, stdout=subprocess.DEVNULL)

        def report(words, file):
            out = folder / "out"
            run("run", file, "--data", f"ids={evaluation}", "--limit", samples, "--steps", STEPS, "--state", state,
                "-o", out, "--overwrite")
            logits = read_npy(out / "logits.npy", "f")
            print(f"| {words} | {nats(logits, ids, 64):.4f} | {nats(logits, ids, STEPS):.4f} |", flush=True)

        print("| file | 64 steps | 256 steps |\n| --- | --- | --- |")
        report("FP32", model)
        for attention in "float", "int8":
            for words, steps, chosen in (("empty caches", 1, folder / "whole.json"), ("64 steps", 64, state)):
                file = folder / "quantized.onnx"
                run("quantize", model, "--data", f"ids={calibration}", "--limit", 16, "--calibrator", "mse",
                    "--accuracy", "fast", "--target", "onnxruntime", "--policy", f"attention={attention}", "--steps", steps,
                    "--state", chosen, "-o", file, "--overwrite", "--accept-broken")
                report(f"attention {attention}, calibrated on {words}", file)


if __name__ == "__main__":
    main()
