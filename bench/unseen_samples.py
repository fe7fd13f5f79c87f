#!/usr/bin/env python3
"""Default, `--accuracy best` and a bound, judged on samples that none of them saw.

    bench/unseen_samples.py DETENT SHARED [--more NETWORKS.json] [NETWORK...]
    bench/unseen_samples.py DETENT SHARED [--before DETENT] --splits 20 [--counts 2,4,8,24] [NETWORK...]

Calibrates each network on 64 samples. The bound chooses by one half of the network's evaluation samples (--max-drop
.005 with labels, else --min-sqnr); all three files are scored on the other half: dB of the worst output (mean of
samples), share of equal argmax, share of right classes, and the paired 95 % interval of best minus default.
NETWORKS.json adds networks: {"NAME": {"model", "calib", "eval", "unseen", "labels", "unseen_labels", "preprocess",
"min_sqnr", "classes"}}: paths as --data takes them, labels as --labels takes them; classes: false where the first
output's last axis holds none. Needs numpy.

With --splits: how good the default's choice of a calibrator is on few samples. Each split calibrates on as many samples
as --counts says, drawn by its number from the folder `calib`, with the default (of DETENT and of --before) and with max,
mse and entropy, and prints the dB of each on `unseen` samples, and what the default loses to the best of the three.
"""
import argparse
import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import numpy as np

CIFAR = "unit,mean=.4914/.4822/.4465,std=.2470/.2435/.2616"
TORCHVISION = "unit,mean=.485/.456/.406,std=.229/.224/.225"
# folder of the model: calibration data, evaluation data, its labels, preprocessing, bound in dB without labels
CIFAR10 = ("images/cifar10/calib", "images/cifar10/eval", "images/cifar10/eval.csv", CIFAR, None)
IMAGENET = ("images/imagenet/calib", "images/imagenet/eval", "images/imagenet/eval.csv", "imagenet", None)
NETWORKS = {
    "cifar10_resnet18": CIFAR10,
    "cifar10_efficientnet_b0": CIFAR10,
    "imagenet_mobilenetv2": IMAGENET,
    "imagenet_squeezenet1.1": IMAGENET,
    "shapes_unet": ("models/shapes_unet/calib", "models/shapes_unet/eval/images", None, TORCHVISION, 30),
    "bccd_dfl": ("images/bccd/calib", "images/bccd/eval", None, "unit", 30),
    "chars_gpt": ("models/chars_gpt/calib_ids.npy", "models/chars_gpt/eval_ids.npy", None, None, 24),
}


def halves(items, folder, name, save):
    """Returns two files in `folder`, each with one half of the items."""
    items = sorted(items)
    random.Random(1).shuffle(items)
    half = len(items) // 2
    parts = ("eval", items[:half]), ("unseen", items[half:])
    return [save(folder / f"{name}_{part}", chosen) for part, chosen in parts]


def save_list(path, files):
    path = path.with_suffix(".txt")
    path.write_text("".join(f"{file}\n" for file in files))
    return path


def shared_network(shared, name, folder):
    calib, data, labels, preprocess, decibels = NETWORKS[name]
    network = {"model": next((shared / "models" / name).glob("model_opset1*.onnx")), "calib": shared / calib,
               "preprocess": preprocess, "min_sqnr": decibels, "classes": name != "bccd_dfl"}
    if data.endswith(".npy"):
        rows = np.load(shared / data)

        def save(path, chosen):
            np.save(path.with_suffix(".npy"), rows[chosen])
            return path.with_suffix(".npy")
        network["eval"], network["unseen"] = halves(range(len(rows)), folder, name, save)
    else:
        files = [file for file in (shared / data).iterdir() if file.suffix.lower() in (".jpg", ".jpeg", ".png")]
        network["eval"], network["unseen"] = halves(files, folder, name, save_list)
    if labels:
        with open(shared / labels, newline="") as file:
            classes = {row["file"]: row["label"] for row in csv.DictReader(file)}
        for part, key in (("eval", "labels"), ("unseen", "unseen_labels")):
            network[key] = folder / f"{name}_{part}.csv"
            rows = [f"{file},{classes[pathlib.Path(file).name]}" for file in network[part].read_text().splitlines()]
            network[key].write_text("\n".join(["file,label", *rows]) + "\n")
    return network


def run_detent(arguments):
    begin = time.time()
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stderr[-800:]}")
    return done.returncode, time.time() - begin


def outputs(detent, model, network, folder):
    preprocess = ["--preprocess", network["preprocess"]] if network.get("preprocess") else []
    run_detent([detent, "run", model, "--data", network["unseen"], "-o", folder, "--overwrite", *preprocess])
    return {file.name: np.load(file).astype(np.float64) for file in sorted(folder.glob("*.npy"))}


def decibels_of(expected, found):
    """SQNR of each sample's worst output. A sample's power is at least the mean of all: an empty one is no loss."""
    worst = []
    for name, values in expected.items():
        rows = values.reshape(len(values), -1)
        power = (rows ** 2).mean(1)
        noise = ((rows - found[name].reshape(rows.shape)) ** 2).mean(1) + 1e-30
        worst.append(np.minimum(10 * np.log10(np.maximum(power, power.mean()) / noise), 100))
    return np.min(worst, 0)


def classes_of(found):
    first = found[sorted(found)[0]]
    return first.reshape(len(first), -1, first.shape[-1]).argmax(-1)


def show(detent, name, network, folder):
    float32 = outputs(detent, network["model"], network, folder / "float")
    right = None
    if network.get("unseen_labels"):
        with open(network["unseen_labels"], newline="") as file:
            right = np.array([int(row["label"]) for row in csv.DictReader(file)])
    bound = ["--eval", network["eval"]]
    if network.get("labels"):
        bound += ["--labels", network["labels"], "--max-drop", ".005"]
    else:
        bound += ["--min-sqnr", network.get("min_sqnr") or 30]
    start = [detent, "quantize", network["model"], "--overwrite",
             "--data", network["calib"], "--limit", "64", "--shuffle", "1"]
    if network.get("preprocess"):
        start += ["--preprocess", network["preprocess"]]
    decibels = {}
    for way, more in (("default", []), ("best", ["--accuracy", "best"]), ("bound", bound)):
        file, report = folder / f"{way}.onnx", folder / f"{way}.json"
        status, seconds = run_detent([*start, "-o", file, "--json", report, *more])
        coverage = json.loads(report.read_text())["coverage"]
        found = outputs(detent, file, network, folder / way)
        decibels[way] = decibels_of(float32, found)
        line = f"{name} {way}: {seconds:.0f} s, exit {status}, {coverage['int8_layers']} of {coverage['layers']} " \
               f"layers INT8, {decibels[way].mean():.2f} dB"
        if network.get("classes", True):
            line += f", argmax {100 * (classes_of(float32) == classes_of(found)).mean():.2f} %"
        if right is not None:
            scores = [100 * (classes_of(outcome)[:, 0] == right).mean() for outcome in (float32, found)]
            line += f", right {scores[1]:.2f} % (FP32 {scores[0]:.2f} %)"
        print(line, flush=True)
    gain = decibels["best"] - decibels["default"]
    error = 1.96 * gain.std(ddof=1) / len(gain) ** 0.5
    print(f"{name} best - default: {gain.mean():+.2f} +- {error:.2f} dB on {len(gain)} samples", flush=True)
    return gain.mean() >= -error


def drawn(network, count, split, folder):
    """Returns a list of `count` calibration files, drawn by the number of the split."""
    files = sorted(file for file in pathlib.Path(network["calib"]).iterdir() if file.is_file())
    return save_list(folder / f"calib_{count}_{split}", random.Random(1000 * count + split).sample(files, count))


def show_splits(programs, name, network, folder, counts, splits):
    """Prints a line for each split, and the mean and the largest loss of each program's choice."""
    float32 = outputs(programs[0], network["model"], network, folder / "float")
    preprocess = ["--preprocess", network["preprocess"]] if network.get("preprocess") else []
    for count in counts:
        losses = {program: [] for program in programs}
        for split in range(splits):
            data, line, others = drawn(network, count, split, folder), f"{name} {count} samples, split {split}:", []
            ways = [(programs[0], calibrator) for calibrator in ("max", "mse", "entropy")]
            for program, calibrator in ways + [(program, None) for program in programs]:
                file, report = folder / "split.onnx", folder / "split.json"
                named = ["--calibrator", calibrator] if calibrator else []
                run_detent([program, "quantize", network["model"], "--overwrite", "--data", data, *preprocess, "-o", file,
                            "--json", report, "--target", network.get("target", "onnxruntime"), *named])
                decibels = decibels_of(float32, outputs(programs[0], file, network, folder / "way")).mean()
                told = json.loads(report.read_text())
                line += f" {told['calibrator'] if not calibrator else calibrator} {decibels:.1f}"
                if calibrator:
                    others.append(decibels)
                else:
                    losses[program].append(max(others) - decibels)
                    line += f" ({told['error']['sqnr_db']:.1f} told)"
            print(line, flush=True)
        for program, loss in losses.items():
            print(f"{name} {count} samples, {program}: loses {np.mean(loss):.2f} dB to the best of three, at most "
                  f"{max(loss):.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("detent", type=pathlib.Path)
    parser.add_argument("shared", type=pathlib.Path)
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--more", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--splits", type=int)
    parser.add_argument("--counts", default="2,4,8,16,24")
    given = parser.parse_args()
    more = json.loads(given.more.read_text()) if given.more else {}
    worse = []
    for name in given.networks or [*NETWORKS, *more]:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            network = more[name] if name in more else shared_network(given.shared.resolve(), name, folder)
            if given.splits:
                programs = [path for path in (given.before, given.detent) if path]
                show_splits(programs, name, network, folder, map(int, given.counts.split(",")), given.splits)
            elif not show(given.detent, name, network, folder):
                worse.append(name)
    sys.exit(f"best is below default: {', '.join(worse)}" if worse else 0)


main()
