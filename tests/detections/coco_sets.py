#!/usr/bin/env python3
"""Writes random sets of detections and objects with pycocotools' mAP of each: coco_sets.py [SETS [SEED]] > coco_sets.txt

A line a thing: "set CATEGORIES mAP mAP50 small medium large" (-1: no such object), "image", "object X Y W H CATEGORY CROWD
AREA" and "found X Y W H SCORE CATEGORY". All numbers given to pycocotools are exact in float32. Needs numpy, pycocotools.
"""
import contextlib
import io
import sys

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

MOST_DETECTIONS = 100


def quarters(values):
    return np.round(np.asarray(values) * 4) / 4


def random_image(rng, categories, detections):
    """Returns objects (box, category, crowd, area) and detections (box, score, category); boxes are x, y, w, h."""
    count = rng.integers(0, 7)
    boxes = quarters(np.concatenate([rng.uniform(0, 300, (count, 2)),
                                     np.exp(rng.uniform(np.log(5), np.log(200), (count, 2)))], 1))
    objects = [(box, int(rng.integers(categories)), bool(rng.random() < 0.15), float(box[2] * box[3] * rng.choice([0.5, 1])))
               for box in boxes]
    found = []
    for _ in range(detections):
        if objects and rng.random() < 0.9:
            near = objects[rng.integers(len(objects))]
            box, category = near[0] + quarters(rng.normal(0, 1, 4) * rng.choice([0, 1, 5, 20])), near[1]
        else:
            box, category = quarters(rng.uniform(5, 200, 4)), 0
        box = np.concatenate([box[:2], np.maximum(box[2:], 1)])
        category = category if rng.random() < 0.8 else int(rng.integers(categories))
        score = rng.integers(1, 10) / 8 if rng.random() < 0.2 else rng.integers(1, 1024) / 1024
        found.append((box, float(score), category))
    return objects, found


def pycocotools_map(images, categories):
    truth = {"images": [{"id": i} for i in range(len(images))], "categories": [{"id": c} for c in range(categories)],
             "annotations": []}
    results = []
    for i, (objects, found) in enumerate(images):
        for box, category, crowd, area in objects:
            truth["annotations"].append({"id": len(truth["annotations"]) + 1, "image_id": i, "category_id": category,
                                         "bbox": box.tolist(), "iscrowd": int(crowd), "area": area})
        results += [{"image_id": i, "category_id": category, "bbox": box.tolist(), "score": score}
                    for box, score, category in found]
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = truth
        coco.createIndex()
        evaluation = COCOeval(coco, coco.loadRes(results) if results else COCO(), "bbox")
        if not results:
            evaluation.cocoDt.createIndex()
        evaluation.params.maxDets = [MOST_DETECTIONS]
        evaluation.evaluate()
        evaluation.accumulate()
    precision = evaluation.eval["precision"]  # [threshold, recall, category, area, limit]

    def mean(part):
        return float(part[part > -1].mean()) if (part > -1).any() else -1.0
    return [mean(precision[:, :, :, 0, 0]), mean(precision[0, :, :, 0, 0])] + [
        mean(precision[:, :, :, area, 0]) for area in (1, 2, 3)]


def main():
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 180
    rng = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    for number in range(sets):
        categories = int(rng.integers(1, 4))
        images = [random_image(rng, categories, int(rng.integers(0, 14)) if number % 30 else 3 * MOST_DETECTIONS)
                  for _ in range(int(rng.integers(1, 6)) if number % 30 else 1)]
        print("set", categories, *("%.17g" % value for value in pycocotools_map(images, categories)))
        for objects, found in images:
            print("image")
            for box, category, crowd, area in objects:
                print("object", *("%.9g" % side for side in box), category, int(crowd), "%.9g" % area)
            for box, score, category in found:
                print("found", *("%.9g" % side for side in box), "%.9g" % score, category)


main()
