"""Imports modules in a given order, uses each, and quantizes. usage: beside_others.py SAMPLE OUTPUT MODULE..."""

import importlib
import sys

import numpy

sample, output, *names = sys.argv[1:]
modules = {name: importlib.import_module(name) for name in names}
images = numpy.random.default_rng(1).normal(size=(4, 3, 128, 128)).astype(numpy.float32)


def use(name, module):
    if name == "cv2":
        picture = numpy.arange(48, dtype=numpy.uint8).reshape(4, 4, 3)
        assert (module.imdecode(module.imencode(".png", picture)[1], module.IMREAD_COLOR) == picture).all()
    elif name == "onnx":
        module.checker.check_model(module.load(output), full_check=True)
    elif name == "onnxruntime":
        session = module.InferenceSession(output, providers=["CPUExecutionProvider"])
        assert numpy.isfinite(session.run(None, {session.get_inputs()[0].name: images[:1]})[0]).all()
    elif name == "torch":
        weight = numpy.ones((1, 3, 1, 1), numpy.float32)
        sums = module.nn.functional.conv2d(module.from_numpy(images), module.from_numpy(weight))
        assert numpy.allclose(sums.numpy(), images.sum(axis=1, keepdims=True), atol=1e-5)


# The others run before and after Detent, so that neither's threads and registries disturb the other.
detent = modules["detent"]
options = {"preprocess": "imagenet,resize=128x128,crop=128", "overwrite": True}
for _ in range(2):
    detent.quantize(sample + "/model_opset13.onnx", output, sample + "/calib", **options)
    for name, module in modules.items():
        use(name, module)

# The wheel's libraries are in the process whatever others are: torch has oneDNN, too.
with open("/proc/self/maps", encoding="utf-8") as maps:
    files = {line.split()[-1] for line in maps if "/" in line}
for library in ("libdnnl", "libomp-"):
    assert any(library in file and "detent.libs" in file for file in files), library
