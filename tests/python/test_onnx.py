"""Models made with onnx.helper go in, and what comes out is judged by onnx.checker and read pair by pair. usage: test_onnx.py"""

import pathlib
import sys
import tempfile
import unittest

try:
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"python.onnx SKIPPED: python3-{missing.name} is not installed")
    sys.exit(77)

import detent

WEIGHTED = ("Conv", "Gemm")


def network(channels=32):
    """Two convolutions, a mean over all pixels and a linear layer, with weights of unit variance at every output."""
    random = numpy.random.default_rng(7)

    def weight(name, *shape):
        fan_in = numpy.prod(shape[1:])
        return numpy_helper.from_array((random.normal(size=shape) / numpy.sqrt(fan_in)).astype("float32"), name)

    nodes = [
        helper.make_node("Conv", ["image", "w1", "b1"], ["c1"], "first", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"], "act1"),
        helper.make_node("Conv", ["r1", "w2"], ["c2"], "second", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c2"], ["r2"], "act2"),
        helper.make_node("GlobalAveragePool", ["r2"], ["mean"], "pool"),
        helper.make_node("Flatten", ["mean"], ["flat"], "flatten"),
        helper.make_node("Gemm", ["flat", "w3", "b3"], ["scores"], "linear", transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 3, 16, 16])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["N", 16])],
        [
            weight("w1", channels, 3, 3, 3),
            numpy_helper.from_array(numpy.zeros(channels, "float32"), "b1"),
            weight("w2", channels, channels, 3, 3),
            weight("w3", 16, channels),
            numpy_helper.from_array(numpy.ones(16, "float32"), "b3"),
        ],
    )
    model = helper.make_model(graph, producer_name="test_onnx", opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    return model


def images(samples=8):
    return numpy.random.default_rng(3).normal(size=(samples, 3, 16, 16)).astype("float32")


class Reading:
    """A model's nodes by what they write, and its constants by name."""

    def __init__(self, model):
        self.nodes = model.graph.node
        self.constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        self.writer = {output: node for node in self.nodes for output in node.output}

    def dequantize_in_front_of(self, name):
        node = self.writer.get(name)
        return node if node is not None and node.op_type == "DequantizeLinear" else None

    def weight_of(self, layer):
        """The codes, scales and zero points behind a layer's second input."""
        dequantize = self.dequantize_in_front_of(layer.input[1])
        return dequantize, [self.constants[name] for name in dequantize.input]


class WithOnnx(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        self.float_model = network()
        self.path = self.folder / "model.onnx"
        onnx.save(self.float_model, str(self.path))

    def quantized(self, name="int8.onnx", **options):
        report = detent.quantize(self.path, self.folder / name, images(), calibrator="max", **options)
        return onnx.load(str(self.folder / name)), report

    def test_a_dict_leaves_out_what_a_state_feeds(self):
        graph = helper.make_graph(
            [helper.make_node("Concat", ["x", "h"], ["both"], axis=1), helper.make_node("MatMul", ["both", "w"], ["next"])],
            "cell",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 8]) for name in ("x", "h")],
            [helper.make_tensor_value_info("next", TensorProto.FLOAT, ["N", 8])],
            [numpy_helper.from_array((numpy.arange(128).reshape(16, 8) % 13 / 30 - 0.2).astype("float32"), "w")],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 8
        x = numpy.random.default_rng(2).normal(size=(6, 8)).astype("float32")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            state = folder / "state.json"
            state.write_text('{"feeds": {"next": "h"}}')
            tables = []
            for form in ({"x": x}, [{"x": row[None]} for row in x]):
                detent.calibrate(model, folder / "t.dct", form, steps=3, state=state, overwrite=True)
                tables.append(detent.inspect(folder / "t.dct").values)
            self.assertEqual(tables[0], tables[1])
            with self.assertRaisesRegex(ValueError, "missing .'h'."):
                detent.calibrate(model, folder / "t.dct", {"x": x}, overwrite=True)
            with self.assertRaisesRegex(ValueError, "unknown .'y'."):
                detent.calibrate(model, folder / "t.dct", {"y": x}, steps=3, state=state, overwrite=True)

    def test_a_pipeline_takes_arrays_by_input(self):
        front, back = network(), network()
        del front.graph.node[4:], front.graph.output[:]
        front.graph.output.append(helper.make_tensor_value_info("r2", TensorProto.FLOAT, ["N", 32, 16, 16]))
        del back.graph.node[:4], back.graph.input[:]
        back.graph.input.append(helper.make_tensor_value_info("r2", TensorProto.FLOAT, ["N", 32, 16, 16]))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(front, folder / "front.onnx")
            onnx.save(back, folder / "back.onnx")
            pipeline = folder / "pair.json"
            pipeline.write_text('{"models": {"a": "front.onnx", "b": "back.onnx"}, "feeds": {"a:r2": "b:r2"}}')
            both = {"model": folder / "front.onnx", "models": [folder / "back.onnx"], "pipeline": pipeline}
            report = detent.quantize(**both, output=folder / "out", data={"a:image": images()}, accept_broken=True)
            self.assertEqual([one.name for one in report.files], ["a", "b"])
            with self.assertRaisesRegex(ValueError, "inputs are .'a:image'.; missing .'a:image'., unknown .'image'."):
                detent.quantize(**both, output=folder / "out", data={"image": images()}, overwrite=True)

    def test_the_checker_accepts_the_result_and_refuses_it_when_a_scale_is_missing(self):
        for target in ("tensorrt", "onnxruntime"):
            model, report = self.quantized(target + ".onnx", target=target)
            onnx.checker.check_model(model, full_check=True)
            scale = next(node for node in model.graph.node if node.op_type == "QuantizeLinear").input[1]
            del model.graph.initializer[[tensor.name for tensor in model.graph.initializer].index(scale)]
            with self.assertRaises(onnx.checker.ValidationError):
                onnx.checker.check_model(model)

    def test_inputs_and_outputs_stay_as_they_were(self):
        model, _ = self.quantized()
        self.assertEqual(model.graph.input, self.float_model.graph.input)
        self.assertEqual(model.graph.output, self.float_model.graph.output)
        described = detent.inspect(self.path)
        self.assertEqual([value["name"] for value in described["inputs"]], ["image"])
        self.assertEqual(described["producer"], "test_onnx")

    def test_every_weighted_layer_reads_pairs_that_the_report_describes(self):
        model, report = self.quantized()
        reading = Reading(model)
        scales = {value["name"]: value["scale"] for value in report["values"]}
        layers = [node for node in model.graph.node if node.op_type in WEIGHTED]
        self.assertEqual([layer.name for layer in layers], ["first", "second", "linear"])
        for layer in layers:
            dequantize = reading.dequantize_in_front_of(layer.input[0])
            self.assertIsNotNone(dequantize, layer.name)
            quantize = reading.writer[dequantize.input[0]]
            self.assertEqual(quantize.op_type, "QuantizeLinear")
            self.assertEqual(list(quantize.input[1:]), list(dequantize.input[1:]))
            value, scale, zero_point = quantize.input
            self.assertAlmostEqual(float(reading.constants[scale]), scales[value], delta=1e-6 * scales[value])
            self.assertEqual(reading.constants[zero_point].dtype, numpy.int8)
            self.assertEqual(int(reading.constants[zero_point]), 0)  # TensorRT has only symmetric codes

    def test_weights_are_codes_per_channel_within_half_a_step(self):
        model, _ = self.quantized()
        reading = Reading(model)
        before = Reading(self.float_model)
        for name in ("first", "second", "linear"):
            layer, was = (next(node for node in r.nodes if node.name == name) for r in (reading, before))
            dequantize, (codes, scale, zero_point) = reading.weight_of(layer)
            weight = before.constants[was.input[1]]
            self.assertEqual(codes.dtype, numpy.int8)
            self.assertEqual(codes.shape, weight.shape)
            self.assertEqual(scale.shape, (weight.shape[0],))
            self.assertFalse(zero_point.any())
            axis = next((a.i for a in dequantize.attribute if a.name == "axis"), 1)
            self.assertEqual(axis, 0)
            steps = scale.reshape(-1, *[1] * (weight.ndim - 1))
            # Half a step, and the rounding of the product in FP32: 127 * 2^-24 of a step.
            self.assertLessEqual(numpy.abs(codes * steps - weight).max() / scale.max(), 0.5 + 1e-5)
            # No code is unused.
            self.assertTrue((numpy.abs(codes).max(axis=tuple(range(1, weight.ndim))) == 127).all())

    def test_a_layer_that_is_excluded_keeps_its_float_weight(self):
        model, _ = self.quantized(exclude=["^second$"])
        onnx.checker.check_model(model, full_check=True)
        reading = Reading(model)
        second = next(node for node in model.graph.node if node.name == "second")
        self.assertEqual([reading.dequantize_in_front_of(name) for name in second.input[:2]], [None, None])
        numpy.testing.assert_array_equal(reading.constants[second.input[1]], Reading(self.float_model).constants["w2"])
        first = next(node for node in model.graph.node if node.name == "first")
        self.assertIsNotNone(reading.dequantize_in_front_of(first.input[1]))

    def test_onnxruntime_gets_unsigned_activations(self):
        model, _ = self.quantized(target="onnxruntime")
        reading = Reading(model)
        types = {reading.constants[node.input[2]].dtype for node in model.graph.node if node.op_type == "QuantizeLinear"}
        self.assertEqual(types, {numpy.dtype("uint8")})

    def test_weights_in_a_file_beside_the_model_give_the_same_pairs(self):
        inside, _ = self.quantized("inside.onnx")
        self.path = self.folder / "beside.onnx"
        onnx.save_model(self.float_model, str(self.path), save_as_external_data=True, location="beside.data", size_threshold=0)
        self.assertTrue((self.folder / "beside.data").stat().st_size > 0)
        beside, _ = self.quantized("from_beside.onnx")
        self.assertEqual(inside.graph, beside.graph)

    def test_evaluate_gets_outputs_whose_shapes_differ_as_the_model_gives_them(self):
        data = numpy.random.default_rng(1).normal(size=(3, 8)).astype(numpy.float32)
        weight = numpy_helper.from_array(numpy.eye(8, dtype=numpy.float32), "w")
        nodes = [
            helper.make_node("MatMul", ["x", "w"], ["y"]),
            helper.make_node("Relu", ["y"], ["r"]),
            helper.make_node("NonZero", ["r"], ["where"]),
        ]
        value = helper.make_tensor_value_info
        outputs = [value("r", TensorProto.FLOAT, ["n", 8]), value("where", TensorProto.INT64, [2, "k"])]
        graph = helper.make_graph(nodes, "g", [value("x", TensorProto.FLOAT, ["n", 8])], outputs, [weight])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(self.path))
        seen = []

        def evaluate(outputs, index):
            seen.append((outputs["r"].shape, outputs["where"].shape))
            return 1

        detent.compare(self.path, data, eval=data, calibrators=["max"], evaluate=evaluate)
        self.assertEqual(seen[:3], [((8,), (2, int((row > 0).sum()))) for row in data])

    def test_a_model_that_the_checker_refuses_is_an_error_of_the_model(self):
        self.float_model.graph.node[2].input[0] = "nobody_writes_this"
        with self.assertRaises(onnx.checker.ValidationError):
            onnx.checker.check_model(self.float_model)
        onnx.save(self.float_model, str(self.path))
        with self.assertRaisesRegex(detent.Error, "nobody_writes_this") as caught:
            self.quantized()
        self.assertEqual(caught.exception.code, 10)


if __name__ == "__main__":
    unittest.main()
