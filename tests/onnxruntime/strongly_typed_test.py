"""16-bit floats with and without INT8 around them: ONNX Runtime loads Detent's files, computes the same node by node,
and no value becomes Inf or NaN that is a number in FP32."""

import functools

import ml_dtypes
import onnx
from engine import session_of
from measures import finite
from models import FLOAT_MODELS, exported_models
from node_cases import trace_of, write_cases
from program import arrays, cast_to, quantized_from_data, verify, write_inputs
from rounded_models import twin_of
from specification import Specification, each, main

MODELS = [model for model in FLOAT_MODELS if "/" not in model.name] + exported_models()
KINDS = {
    "cast": cast_to,
    # max needs no measuring, and this test does not depend on the numbers of the scales.
    "quantize": lambda model, kind: quantized_from_data(model, "tensorrt:11", "max", "--float-type", kind),
}
# Both programs round a result once: half a unit in the last place each, 2^-11 of FP16 and 2^-8 of BFloat16. Sums that
# cancel differ by as much of their terms; ONNX Runtime's BatchNormalization rounds factor, product and sum to FP16.
ROUNDING = {"fp16": ["--rtol", "1e-3", "--atol", "2e-3"], "bf16": ["--rtol", "8e-3", "--atol", "8e-3"]}


@functools.cache
def first_sample(model):
    return {name: stack[:1] for name, stack in arrays(write_inputs(model, model.samples())).items()}


def infinite_in(values):
    return {name for name, array in values.items() if not finite(array)}


@functools.cache
def infinite_values(model):
    """Returns the names of the values of a float model that are not finite."""
    return infinite_in(trace_of(model.file, first_sample(model)).values)


def trace_typed(file, feeds, kind):
    """Returns the Trace of a file, and its values as floats; BFloat16 by its twin in FP32."""
    if kind == "fp16":
        trace = trace_of(file, feeds)
        return trace, trace.values
    twin, bfloat = twin_of(file)
    trace = trace_of(twin, feeds, lambda name: not name.endswith("__rounded"))
    exact = trace.values
    trace.model = onnx.load(file)
    trace.values = {name: array.astype(ml_dtypes.bfloat16) if name in bfloat else array for name, array in exact.items()}
    return trace, exact


class StronglyTyped(Specification):
    @each(MODELS, KINDS, ROUNDING)
    def test_each_node_agrees_and_nothing_becomes_infinite(self, model, how, kind):
        file = KINDS[how](model, kind)
        if kind == "fp16":
            for level in ("disabled", "all"):
                session_of(file, level)
        trace, exact = trace_typed(file, first_sample(model), kind)
        closing, text = verify(write_cases(trace), *ROUNDING[kind])
        self.tell(closing)
        self.assertRegex(closing, r"^[1-9]\d* passed, 0 failed, 0 unsupported", text)
        found = {name for name in infinite_in(exact) if not name.endswith("__exact")}
        self.assertEqual(found - infinite_values(model), set())


if __name__ == "__main__":
    main()
