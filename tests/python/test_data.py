"""Samples from Python's iterables. usage: test_data.py SOURCE"""

import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from sample import MODEL, SOURCE, noise

import detent
import numpy

# Prints the memory, in MB, that calibration on so many samples of 0.2 MB took at its peak. usage: SOURCE SAMPLES
MEASURE = """
import resource, sys, tempfile
count = int(sys.argv.pop())
sys.path.insert(0, sys.argv[1] + "/tests/python")
from sample import MODEL, noise
import detent
images = noise(4)
with tempfile.TemporaryDirectory() as folder:
    detent.calibrate(MODEL, folder + "/t.dct", (images[i % 4] for i in range(count)), threads=2)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


class Tensor:
    """A tensor of a library that has DLPack alone."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class Data(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        patch = mock.patch("tempfile.tempdir", str(self.temporary))
        patch.start()
        self.addCleanup(patch.stop)

    def table(self, data, **options):
        """What a table holds after calibration on the data."""
        detent.calibrate(MODEL, self.folder / "t.dct", data, overwrite=True, **options)
        self.assertEqual(list(self.temporary.iterdir()), [])
        table = detent.inspect(self.folder / "t.dct")
        return table.samples, table.values

    def test_every_form_of_an_item_gives_the_ranges_of_the_array(self):
        images = noise(4)
        expected = self.table(images)
        self.assertEqual(expected[0], 4)
        forms = {
            "generator": (image for image in images),
            "list": list(images),
            "batches": (images[i : i + 3] for i in (0, 3)),
            "batches of one": [image[None] for image in images],
            "dicts": ({"image": image} for image in images),
            "tuples": ((image,) for image in images),
            "with labels": ((image, numpy.array(7)) for image in images),
            "DLPack": map(Tensor, images),
        }
        for name, form in forms.items():
            self.assertEqual(self.table(form), expected, name)
        self.assertNotEqual(self.table([images[0]] * 4), expected)

    def test_a_loader_of_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("python3-torch is not installed")
        images = noise(5)
        tensors = torch.from_numpy(images)
        data = torch.utils.data.TensorDataset(tensors, torch.arange(5))
        expected = self.table(images)
        self.assertEqual(self.table(torch.utils.data.DataLoader(data, batch_size=2)), expected)
        self.assertEqual(self.table(list(tensors.requires_grad_())), expected)
        shuffled = torch.utils.data.DataLoader(data, shuffle=True)  # in another order each time it is read
        report = detent.quantize(MODEL, self.folder / "out.onnx", shuffled, calibrator="max")
        array = detent.quantize(MODEL, self.folder / "array.onnx", images, calibrator="max")
        self.assertEqual([value.scale for value in report.values], [value.scale for value in array.values])

    def test_samples_of_different_sizes(self):
        with self.assertRaisesRegex(detent.Error, "^data, item 2: .*64x128"):
            detent.calibrate(MODEL, self.folder / "t.dct", [noise(1)[0], numpy.zeros((3, 64, 128), numpy.float32)])
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_reading_stops_at_the_limit(self):
        images = noise(4)
        self.assertEqual(self.table(itertools.cycle(images), limit=3), self.table(images[:3]))
        batches = iter([images[:2], images[2:], None])  # None is not read
        self.assertEqual(self.table(batches, limit=4), self.table(images))
        with self.assertRaisesRegex(TypeError, "data, item 3: NoneType"):
            self.table(iter([images[:2], images[2:], None]), limit=5)

    def test_shuffle_needs_all_samples(self):
        images = noise(6)
        self.assertEqual(self.table(iter(images), limit=2, shuffle=3)[1], self.table(list(images), limit=2, shuffle=3)[1])
        self.assertNotEqual(self.table(iter(images), limit=2, shuffle=3)[1], self.table(images[:2])[1])

    def test_a_generator_that_was_read_is_refused_with_the_cure(self):
        generator = (image for image in noise(2))
        self.table(generator)
        with self.assertRaisesRegex(ValueError, "data gave no sample. A generator can be read once: .* a list"):
            self.table(generator)
        one = iter(noise(2))
        with self.assertRaisesRegex(ValueError, "^eval gave no sample"):
            detent.quantize(MODEL, self.folder / "out.onnx", one, eval=one, min_sqnr=1)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_what_is_no_sample_is_refused_with_its_place(self):
        image = noise(1)[0]
        for error, words, data in (
            (TypeError, "data, item 2: object is no array", [image, object()]),
            (TypeError, "data, item 1: str is no array", ["folder", image]),
            (TypeError, "data: int is neither", 5),
            (ValueError, "data, item 1 holds 3 arrays", [(image, image, image)]),
            (ValueError, "data, item 1: .*missing .*image.*unknown .*picture", [{"picture": image}]),
            (ValueError, "data, item 1: masked", [numpy.ma.masked_less(image, 0)]),
        ):
            with self.assertRaisesRegex(error, words):
                self.table(data)
            self.assertEqual(list(self.temporary.iterdir()), [])

    def test_an_exception_of_the_iterable_reaches_the_caller(self):
        def broken():
            yield noise(1)[0]
            raise RuntimeError("the disk is gone")

        with self.assertRaisesRegex(RuntimeError, "the disk is gone"):
            self.table(broken())
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_progress_of_reading_has_the_length_if_there_is_one(self):
        def seen(data):
            calls = []
            self.table(data, progress=lambda *call: calls.append(call))
            return [call for call in calls if call[0] == "reading data"]

        self.assertEqual(seen(list(noise(2))), [("reading data", 1, 2), ("reading data", 2, 2)])
        self.assertEqual(seen(image for image in noise(2)), [("reading data", 1, 0), ("reading data", 2, 0)])
        self.assertEqual(seen(noise(2)), [])

    def test_a_full_disk_is_foreseen(self):
        with mock.patch("shutil.disk_usage") as usage:
            usage.return_value.free = int(noise(3).nbytes / 0.9) - 1
            with self.assertRaisesRegex(OSError, "data: after 2 samples .*limit.*TMPDIR"):
                self.table(itertools.cycle(noise(1)))
            self.assertEqual(self.table(iter(noise(2)))[0], 2)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_memory_does_not_grow_with_the_samples(self):
        def peak(samples):
            command = [sys.executable, "-c", MEASURE, str(SOURCE), str(samples)]
            return int(subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ).stdout)

        few, many = peak(50), peak(800)  # 10 and 157 MB
        self.assertLess(many - few, 50)


class Labels(unittest.TestCase):
    """A classifier of 3 classes, whose loader gives (samples, class numbers)."""

    def setUp(self):
        try:
            from onnx import TensorProto, helper, numpy_helper
        except ImportError:
            self.skipTest("python3-onnx is not installed")
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        source = numpy.random.default_rng(5)
        weight = numpy_helper.from_array(source.normal(size=(8, 3)).astype(numpy.float32), "w")
        value = lambda name, size: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size])  # noqa: E731
        graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [value("x", 8)], [value("y", 3)], [weight])
        self.model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        self.model.ir_version = 8
        self.samples = source.normal(size=(12, 8)).astype(numpy.float32)
        self.labels = source.integers(0, 3, 12)

    def judged(self, items, **options):
        return detent.compare(self.model, self.samples, eval=items, calibrators=["max"], **options)

    def batches(self, labels):
        return [(self.samples[i : i + 4], labels[i : i + 4]) for i in range(0, 12, 4)]

    def test_of_a_loader_score_a_classifier(self):
        numpy.save(self.folder / "x.npy", self.samples)
        lines = [f"x.npy[{i}],{label}\n" for i, label in enumerate(self.labels)]
        (self.folder / "labels.csv").write_text("file,label\n" + "".join(lines))
        expected = self.judged(str(self.folder / "x.npy"), labels=self.folder / "labels.csv")
        self.assertEqual(expected.criterion, "top1")
        single = [(x, y) for x, y in zip(self.samples, self.labels)]
        for items in (self.batches(self.labels), single, (one for one in single), self.batches(self.labels.astype("uint8"))):
            found = self.judged(items)
            self.assertEqual(found.variants[0].metrics, expected.variants[0].metrics)
        report = detent.quantize(self.model, self.folder / "out.onnx", self.samples, eval=single, max_drop=1.0)
        self.assertEqual(report.bound.metric, "top1")

    def test_that_are_no_class_numbers_are_not_read(self):
        for labels in (self.labels + 3, self.labels - 5, self.labels.astype(float), numpy.eye(3)[self.labels]):
            self.assertEqual(self.judged(self.batches(labels)).criterion, "sqnr_db")
        self.assertEqual(self.judged([x for x in self.samples]).criterion, "sqnr_db")

    def test_give_way_to_a_metric_of_the_callers(self):
        found = self.judged(self.batches(self.labels), evaluate=lambda outputs, index: 1.0)
        self.assertEqual(found.criterion, "metric")


if __name__ == "__main__":
    unittest.main()
