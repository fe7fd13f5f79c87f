"""What the file says: ONNX Runtime on the CPU without graph optimizations."""

import numpy
from onnxruntime_engine import session_of


def run_all(path, feeds):
    """Returns (names of the outputs, arrays of each feed)."""
    session = session_of(path, "ORT_DISABLE_ALL")
    names = [output.name for output in session.get_outputs()]
    return names, [[numpy.asarray(output) for output in session.run(None, feed)] for feed in feeds]


def run(path, feed):
    """Returns (names, arrays) of the outputs."""
    names, (outputs,) = run_all(path, [feed])
    return names, outputs
