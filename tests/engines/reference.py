"""What the file says: ONNX Runtime on the CPU without graph optimizations."""

import numpy
import onnxruntime


def run(path, feed):
    """Returns (names, arrays) of the outputs."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 2
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    outputs = session.run(None, feed)
    return [output.name for output in session.get_outputs()], [numpy.asarray(output) for output in outputs]
