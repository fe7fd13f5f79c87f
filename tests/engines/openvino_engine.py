"""OpenVINO's CPU plugin."""

import openvino

LAYER_TYPES = ("Convolution", "GroupConvolution", "Deconvolution", "FullyConnected", "MatMul", "RNNCell", "RNNSeq")
SOURCES = 16  # operators between a layer and its weights, at most


def _compile(path, feed):
    core = openvino.Core()
    model = core.read_model(path)
    names = {port: next(name for name in port.get_names() if name in feed) for port in model.inputs}
    model.reshape({names[port]: list(feed[names[port]].shape) for port in model.inputs})
    # In FP32: else floats are BF16 on CPUs that have it, and the outputs would not be those of the file.
    return core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "PERF_COUNT": "YES",
                                             "INFERENCE_NUM_THREADS": "2", "PERFORMANCE_HINT": "LATENCY"})


def _text(op, key):
    info = op.get_rt_info()
    return str(info[key].astype(str)) if key in info else ""


def _weights_of(op):
    """Returns the names of the constants that an operator reads, also through operators that only move them."""
    names, waiting = [], [port.get_node() for port in op.input_values()]
    for _ in range(SOURCES):
        if not waiting:
            break
        source = waiting.pop()
        kind = _text(source, "layerType")
        if kind == "Const":
            names += _text(source, "originalLayersNames").split(",")
        elif kind in ("Reorder", "Reshape", "Transpose", "Convert"):
            waiting += [port.get_node() for port in source.input_values()]
    return names


def _executed(compiled):
    """Returns {name: {precision}} of the layers that compute products: by the names of the nodes that each was made
    of, and by those of its weights."""
    by_name, by_weight = {}, {}
    for op in compiled.get_runtime_model().get_ops():
        if _text(op, "layerType") in LAYER_TYPES:
            precision = _text(op, "runtimePrecision")
            if _text(op, "primitiveType").endswith("f32"):  # INT8 weights, multiplied as floats
                precision = "f32"
            for name in _text(op, "originalLayersNames").split(","):
                by_name.setdefault(name, set()).add(precision)
            for name in _weights_of(op):
                by_weight.setdefault(name, set()).add(precision)
    return by_name, by_weight


def _ran_in_int8(layer, by_name, by_weight):
    """Tells whether a layer ran in INT8. Its name may have a suffix, because its bias became a layer. A layer that was
    merged with the next one, a Mul by a constant, say, has only that one's name; its weights still name it."""
    wanted = [layer["name"] + end for end in ("", "/WithoutBiases")]
    wanted += [layer["output"] + end for end in ("", "/WithoutBiases")]
    exact = set().union(*(by_name.get(name, ()) for name in wanted))
    inside = set().union(*(kinds for name, kinds in by_name.items()
                           if name.startswith((layer["name"] + "/", layer["output"] + "/"))))
    return bool((exact or inside or by_weight.get(layer["weight"], set())) & {"i8", "u8"})


def run(path, feeds, layers):
    """Returns (outputs of each feed, names of the layers that ran in INT8, [what the engine left to another one])."""
    compiled = _compile(path, feeds[0])
    request = compiled.create_infer_request()
    outputs = []
    for feed in feeds:
        request.infer(feed)
        outputs.append([request.get_output_tensor(index).data.copy() for index in range(len(compiled.outputs))])
    executed = _executed(compiled)
    return outputs, [layer["name"] for layer in layers if _ran_in_int8(layer, *executed)], []
