"""Writes random cases of ONNX operators with the outputs of the reference evaluator: see README.md."""

import importlib
import os
import pathlib
import sys
import traceback
import warnings

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from cases import BFLOAT16, Draw
from models import graph_of, value_info

os.environ["ALLOW_RELEASED_ONNX_OPSET_ONLY"] = "0"
import onnxruntime  # noqa: E402

AREAS = ("casts", "quantize", "attention", "norm", "resize", "sample", "windows", "movement", "indexing", "reduction",
         "elementwise", "signal", "recurrent", "control", "old", "fuzz", "fuzz_more", "graphs", "constants", "layout")
# Relative, and absolute as a part of the largest magnitude: those of `detent verify`.
RTOL, ATOL = 1e-3, 1e-5
EXACT_AREAS = ("casts", "quantize", "movement")  # nothing is added up there
HALF_RTOL, HALF_ATOL = 2e-2, 1e-2  # judges differ in where they round to half precision
onnxruntime.set_default_logger_severity(4)
warnings.filterwarnings("ignore")


def model_of(case):
    graph = case.graph or graph_of(case)
    opsets = [helper.make_opsetid("", case.opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=max(4, helper.find_min_ir_version_for(opsets)))


def feeds_of(model, case):
    given = [value for i, value in enumerate(case.inputs) if value is not None and i not in case.initializers]
    given = [value if isinstance(value, list) else np.asarray(value) for value in given]
    return dict(zip([info.name for info in model.graph.input], given))


def run_reference(model, feeds):
    copies = {k: [x.copy() for x in v] if isinstance(v, list) else v.copy() for k, v in feeds.items()}
    return [x if isinstance(x, list) or x is None else np.asarray(x) for x in ReferenceEvaluator(model).run(None, copies)]


def is_exotic(value):
    """Of a type that NumPy itself does not have."""
    return isinstance(value, np.ndarray) and value.dtype.num > 255


def for_onnxruntime(model, feeds):
    """Values of exotic types cannot be handed over: inputs become constants, and outputs are cast to float."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    exotic = {name: value for name, value in feeds.items() if is_exotic(value)}
    kept = [info for info in model.graph.input if info.name not in exotic]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    model.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in exotic.items())
    for info in model.graph.output:
        element = info.type.tensor_type.elem_type
        if element in helper.get_all_tensor_dtypes() and helper.tensor_dtype_to_np_dtype(element).num > 255:
            model.graph.node.append(helper.make_node("Cast", [info.name], [info.name + "_wide"], to=onnx.TensorProto.FLOAT))
            info.CopyFrom(helper.make_tensor_value_info(info.name + "_wide", onnx.TensorProto.FLOAT, None))
    return model, {name: value for name, value in feeds.items() if name not in exotic}


def run_onnxruntime(declared, feeds):
    model, feeds = for_onnxruntime(declared, feeds)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    outputs = session.run(None, feeds)
    for i, (info, ran) in enumerate(zip(declared.graph.output, model.graph.output)):
        if info.name != ran.name:
            outputs[i] = outputs[i].astype(helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type))
    return outputs


def attempt(run, model, feeds):
    """(outputs, None) or (None, the message)."""
    try:
        return run(model, feeds), None
    except Exception as error:  # a judge that cannot run a case is no judge of it
        return None, f"{type(error).__name__}: {str(error).strip().splitlines()[-1][:300] if str(error).strip() else ''}"


def computes_in_half(case):
    return any(getattr(value, "dtype", None) in (np.float16, BFLOAT16) for value in case.inputs)


def same(a, b, half):
    if isinstance(a, list) or isinstance(b, list):
        return isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and all(same(x, y, half) for x, y in zip(a, b))
    if a is None or b is None:
        return a is b
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    if a.dtype.kind in "OUS":
        return a.astype(str).tolist() == b.astype(str).tolist()
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    a, b = a.astype(wide), b.astype(wide)
    finite = np.abs(a[np.isfinite(a)])
    rtol, atol = (HALF_RTOL, HALF_ATOL) if half else (RTOL, ATOL)
    return np.allclose(a, b, rtol=rtol, atol=atol * (finite.max() if finite.size else 0) + 1e-12, equal_nan=True)


def declare_outputs(model, outputs):
    """Writes the types of `outputs`, or those that shape inference finds where no judge has run yet."""
    if outputs is None:
        inferred = onnx.shape_inference.infer_shapes(model)
        model.graph.CopyFrom(inferred.graph)
        return
    for info, value in zip(model.graph.output, outputs):
        if not info.type.WhichOneof("value") and value is not None:
            info.CopyFrom(value_info(info.name, value))


def write_pb(path, value, name):
    if isinstance(value, list):
        proto = numpy_helper.from_list(value, name)
    else:
        proto = numpy_helper.from_array(np.asarray(value), name)
    path.write_bytes(proto.SerializeToString())


def write(folder, model, feeds, outputs):
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for i, (name, value) in enumerate(feeds.items()):
        write_pb(data / f"input_{i}.pb", value, name)
    for i, (info, value) in enumerate(zip(model.graph.output, outputs)):
        write_pb(data / f"output_{i}.pb", value, info.name)


def make(case, folder):
    """What became of the case: 'both', 'reference', 'onnxruntime', 'disputed' or 'nobody', and messages."""
    model = model_of(case)
    feeds = feeds_of(model, case)
    reference, reference_error = attempt(run_reference, model, feeds)
    declare_outputs(model, reference)
    runtime, runtime_error = attempt(run_onnxruntime, model, feeds)
    if runtime is not None and reference is None:
        declare_outputs(model, runtime)
    messages = [m for m in (reference_error and "reference " + reference_error, runtime_error and "ort " + runtime_error) if m]
    if reference is None and runtime is None:
        return "nobody", messages
    if reference is not None and runtime is not None and not same(reference, runtime, case.name.startswith("half_")):
        write(folder / (case.name + "_disputed_reference"), model, feeds, reference)
        write(folder / (case.name + "_disputed_onnxruntime"), model, feeds, runtime)
        return "disputed", messages
    write(folder / case.name, model, feeds, runtime if reference is None else reference)
    return ("both" if not messages else "reference" if runtime is None else "onnxruntime"), messages


def main(folder, areas):
    counts = {}
    with open(folder / "log.txt", "w", encoding="utf-8") as log:
        for area in areas or AREAS:
            seen = set()
            try:
                for case in importlib.import_module("cases_" + area).cases(Draw(area + os.environ.get("SEED", ""))):
                    assert case.name not in seen, f"two cases are called {case.name}"
                    seen.add(case.name)
                    half = computes_in_half(case) and area not in EXACT_AREAS
                    case.name = f"{'half_' if half else ''}{area}_{case.name}"
                    outcome, messages = attempt(lambda m, f: make(case, folder), None, None)[0] or ("broken", [traceback.format_exc()])
                    counts[outcome] = counts.get(outcome, 0) + 1
                    print(outcome, case.name, " | ".join(messages), file=log)
            except Exception:
                print("area stopped:", area, traceback.format_exc(), file=log)
                print("area stopped:", area, traceback.format_exc())
    print(counts)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
