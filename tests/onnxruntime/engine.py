"""ONNX Runtime's CPU provider: one session, one sample at a time."""

import numpy
import onnx
import onnxruntime
from program import fresh_file

LEVELS = {"disabled": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC", "extended": "ORT_ENABLE_EXTENDED",
          "all": "ORT_ENABLE_ALL"}
ERROR, FATAL = 3, 4
VERSION = tuple(int(part) for part in onnxruntime.__version__.split(".")[:2])
# Names of the kernels that multiply integers, in an optimized graph.
INTEGER_OPERATORS = {"QLinearConv", "QLinearMatMul", "QGemm", "MatMulIntegerToFloat"}


def session_of(model, level, *, config=None, optimized=None, threads=0, severity=ERROR):
    """Opens a session. model: a path or a model. config: entries of the session. optimized: a file for the graph that
    the optimizer makes."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, LEVELS[level])
    options.log_severity_level = severity
    options.intra_op_num_threads = threads
    for key, value in (config or {}).items():
        options.add_session_config_entry(key, value)
    if optimized:
        options.optimized_model_filepath = str(optimized)
    source = model.SerializeToString() if isinstance(model, onnx.ModelProto) else str(model)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def run_once(session, feeds):
    """Returns {output: array} of one sample {input: array}."""
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, (numpy.asarray(output) for output in session.run(names, feeds))))


def stacked(samples):
    """Stacks samples [1, ...] or [] on axis 0."""
    return numpy.concatenate(samples) if samples[0].shape[:1] == (1,) else numpy.stack(samples)


def samples_of(inputs):
    """Yields each sample of {input: stack}, with a leading axis of 1."""
    for index in range(len(next(iter(inputs.values())))):
        yield {name: stack[index:index + 1] for name, stack in inputs.items()}


def run_stack(session, inputs):
    """Returns {output: stack} of {input: stack}."""
    found = [run_once(session, feeds) for feeds in samples_of(inputs)]
    return {name: stacked([sample[name] for sample in found]) for name in found[0]}


def run_model(model, inputs, level, **options):
    return run_stack(session_of(model, level, **options), inputs)


def optimized_model(file, level="extended", **options):
    """Returns the graph that the engine makes of a file. Level "extended" converts pairs and keeps the standard
    operators; "all" would go on to rename them for the CPU's layout."""
    path = fresh_file("optimized.onnx")
    session_of(file, level, optimized=path, **options)
    return onnx.load(path, load_external_data=False)


def is_refused(file, message):
    """Tells whether the engine refuses a file at level "all" with a message; another refusal is an error."""
    try:
        session_of(file, "all", severity=FATAL)
    except Exception as error:
        if message not in str(error):
            raise
        return True
    return False


def integer_layers(file):
    """Returns the names of the layers that became integer kernels; a MatMul and the Add behind it become
    NAME/MatMulAddFusion."""
    return {node.name.removesuffix("/MatMulAddFusion") for node in optimized_model(file).graph.node
            if node.op_type in INTEGER_OPERATORS}
