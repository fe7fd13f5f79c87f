"""ONNX Runtime's CPU provider, with all graph optimizations."""

import pathlib
import re
import tempfile

import numpy
import onnx
import onnxruntime

INTEGER_OPERATORS = ("QLinearConv", "QLinearMatMul", "QGemm", "MatMulIntegerToFloat", "DynamicQuantizeMatMul",
                     "MatMulInteger", "ConvInteger", "DynamicQuantizeLSTM")


def session_of(path, level="ORT_ENABLE_ALL", optimized=None):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    options.intra_op_num_threads = 2
    options.log_severity_level = 4
    if optimized:
        options.optimized_model_filepath = str(optimized)
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run(path, feeds, layers):
    """Returns (outputs of each feed, names of the layers that ran in INT8, [])."""
    with tempfile.TemporaryDirectory() as folder:
        optimized = pathlib.Path(folder) / "optimized.onnx"
        session = session_of(path, optimized=optimized)
        nodes = onnx.load(optimized, load_external_data=False).graph.node
    # An integer node has the name of its layer, and an ending where it was copied or made of a MatMul and an Add.
    names = {re.split("/|_token_", node.name)[0] for node in nodes if node.op_type in INTEGER_OPERATORS}
    outputs = [[numpy.asarray(output) for output in session.run(None, feed)] for feed in feeds]
    return outputs, [layer["name"] for layer in layers if layer["name"] in names], []
