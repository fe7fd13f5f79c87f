"""Scores of a network's outputs, named in networks.py. Each takes (outputs, the float model's outputs, truths, ...) with
[{output: array}] in the order of the test samples, and returns a number. Units are in SCORES of networks.py."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("DETENT_SHARED") or ROOT.parent / "shared")

def first(sample):
    return next(iter(sample.values()))


def top1(outputs, _, truths):
    return 100 * numpy.mean([first(sample).reshape(-1).argmax() == truth for sample, truth in zip(outputs, truths)])


def same_class(outputs, floats, _):
    return 100 * numpy.mean([first(ours).argmax() == first(theirs).argmax() for ours, theirs in zip(outputs, floats)])


def speech_frames(outputs, floats, _):
    """The share of frames on the same side of the threshold. One probability for a frame, or classes with silence first."""
    def spoken(sample):
        array = first(sample)
        return array.reshape(-1) > .5 if array.shape[-1] == 1 else array[..., 0].reshape(-1) < .5
    return 100 * numpy.mean(numpy.concatenate([spoken(ours) == spoken(theirs) for ours, theirs in zip(outputs, floats)]))


def mean_iou(outputs, _, truths, classes):
    from PIL import Image
    common, either = numpy.zeros(classes), numpy.zeros(classes)
    for sample, truth in zip(outputs, truths):
        told, mask = first(sample)[0].argmax(0), numpy.asarray(Image.open(truth))
        for one in range(classes):
            common[one] += ((told == one) & (mask == one)).sum()
            either[one] += ((told == one) | (mask == one)).sum()
    return 100 * numpy.mean(common[either > 0] / either[either > 0])


def occupancy_iou(outputs, _, truths):
    common = either = 0
    for sample, (file, number) in zip(outputs, truths):
        truth = numpy.unpackbits(numpy.load(file)[number]).reshape(-1)[:first(sample).size].astype(bool)
        told = first(sample).reshape(-1) > 0
        common, either = common + (told & truth).sum(), either + (told | truth).sum()
    return 100 * common / either


def mean_average_precision(outputs, _, truths, form, labels):
    """Calls score_map.py of the shared folder, which shares no code with any tool."""
    with tempfile.TemporaryDirectory(prefix="detent-showcase-") as temporary:
        folder = pathlib.Path(temporary)
        listed = json.loads((SHARED / "images" / labels).read_text())
        listed["images"] = [listed["images"][i] for i in truths]
        (folder / "labels.json").write_text(json.dumps(listed))
        numpy.save(folder / "out.npy", numpy.concatenate([first(sample) for sample in outputs]))
        done = subprocess.run([sys.executable, SHARED / "models/score_map.py", form, folder / "labels.json",
                               folder / "out.npy"], capture_output=True, text=True, check=True)
    return 100 * json.loads(done.stdout)["mAP50-95"]


def topic_retrieval(outputs, _, truths, pooling):
    """The share of sentences whose nearest other sentence, by cosine, is of the same topic."""
    def embedding(sample):
        hidden, mask = first(sample)[0], sample["attention_mask"][0].astype(bool)
        return hidden[0] if pooling == "first" else hidden[mask].mean(0)
    rows = numpy.stack([embedding(sample) for sample in outputs]).astype(numpy.float64)
    rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
    near = rows @ rows.T
    numpy.fill_diagonal(near, -2)
    return 100 * numpy.mean([truths[i] == truths[near[i].argmax()] for i in range(len(rows))])


def next_symbol(outputs, _, truths):
    return 100 * numpy.mean([(first(sample)[0].argmax(-1) == numpy.array(truth)).mean()
                             for sample, truth in zip(outputs, truths)])


def greedy(scores, tokens, blank=0):
    """Returns the text of CTC: the best class of each frame, without repetitions and blanks."""
    best = scores.argmax(-1)
    return "".join(tokens[c] for i, c in enumerate(best) if c != blank and (i == 0 or c != best[i - 1]))


def edits(ours, theirs):
    """Returns the Levenshtein distance of two sequences."""
    row = list(range(len(theirs) + 1))
    for i, one in enumerate(ours, 1):
        corner, row[0] = row[0], i
        for j, other in enumerate(theirs, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (one != other))
    return row[-1]


def rate(pairs):
    return 100 * sum(edits(told, truth) for told, truth in pairs) / sum(len(truth) for _, truth in pairs)


def word_errors(outputs, _, truths):
    tokens = ["", " ", *"abcdefghijklmnopqrstuvwxyz"]
    return rate([(greedy(first(sample)[0], tokens).split(), truth.split()) for sample, truth in zip(outputs, truths)])


def line_errors(outputs, _, truths, tokens):
    return rate([(greedy(first(sample)[0], tokens).replace(" ", "").lower(), truth.replace(" ", ""))
                 for sample, truth in zip(outputs, truths)])
