"""Files with pairs that were cast: ONNX Runtime loads them at the lowest and the highest level, computes what it
computed from the file before, and still runs the layers between UINT8 pairs with integers."""

import numpy
from engine import INTEGER_OPERATORS, run_once, session_of
from graph_parts import read
from measures import finite, sqnr
from program import detent, fresh_file, quantize
from selection import selected_to_write
from specification import Specification, each, main

FORMS = [("tensorrt",), ("tensorrt:8.6", "--format", "weights=fp32"), ("onnxruntime",)]


def run(file, level, feeds):
    """Returns the outputs of a sample, and the number of integer layers."""
    optimized = fresh_file("optimized.onnx")
    outputs = run_once(session_of(file, level, optimized=optimized), feeds)
    return outputs, sum(node.op_type in INTEGER_OPERATORS for node in read(optimized).graph.node)


class CastPairs(Specification):
    @each(selected_to_write(), FORMS, ["with data", "without data"])
    def test_the_cast_file_computes_what_the_file_before_did(self, model, form, data):
        target, *more = form
        before = quantize(model.file, target, "--accuracy", "fast", "--calibrator", "max", "--float-type", "fp32", *more,
                          *model.data)
        after = fresh_file("cast.onnx")
        detent("cast", before, "-o", after, "--quiet", "--float-type", "fp16", *(model.data if data == "with data" else []))
        for level in ("disabled", "all"):
            (old, old_integers), (cast, integers) = run(before, level, model.feeds()), run(after, level, model.feeds())
            if target == "onnxruntime":
                self.assertEqual(integers, old_integers, f"integer layers at level {level}")
            for name, array in cast.items():
                self.assertTrue(finite(array), f"{name} at level {level}")
                if array.dtype == old[name].dtype == numpy.float32:
                    db = sqnr(old[name], array)
                    self.tell(f"{name}, level {level}: {db:.1f} dB")
                    self.assertGreater(db, 12, f"{name} at level {level}")


if __name__ == "__main__":
    main()
