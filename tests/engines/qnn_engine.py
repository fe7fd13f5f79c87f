"""Qualcomm's QNN: the HTP graph compiler of its phones, whose graphs an emulator runs on x86-64."""

import collections
import functools
import re

import onnx
import onnxruntime
import onnxruntime_qnn


@functools.cache
def _register():
    onnxruntime.register_execution_provider_library("QNNExecutionProvider", onnxruntime_qnn.get_library_path())


def _session(path):
    _register()
    device = [d for d in onnxruntime.get_ep_devices() if d.ep_name == "QNNExecutionProvider"][:1]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    options.add_provider_for_devices(device, {"backend_path": onnxruntime_qnn.get_qnn_htp_path(),
                                              "htp_graph_finalization_optimization_mode": "0"})
    return onnxruntime.InferenceSession(path, options)


def _inner_nodes(path):
    """Returns the names of the file's nodes, except the quantizers of graph inputs and outputs, also behind and in front
    of Casts: these belong to the application, which ONNX Runtime's CPU plays."""
    graph = onnx.load(path, load_external_data=False).graph
    inputs, outputs = {value.name for value in graph.input}, {value.name for value in graph.output}
    casts = [node for node in graph.node if node.op_type == "Cast"]
    inputs |= {node.output[0] for node in casts if node.input[0] in inputs}
    outputs |= {node.input[0] for node in casts if node.output[0] in outputs}
    return {node.name for node in graph.node
            if not (node.op_type == "QuantizeLinear" and node.input[0] in inputs) and
            not (node.op_type == "DequantizeLinear" and node.output[0] in outputs)}


def _name_in_file(node):
    """Returns a node's name without what ONNX Runtime appends to copies and to nodes in another layout."""
    return re.sub(r"(/duplicated)?(_token_\d+)?$", "", node.name)


def run(path, feeds, layers):
    """Returns (outputs of each feed, names of the layers that HTP ran, [nodes that it left to the CPU, counted by operator])."""
    session = _session(path)
    outputs = [session.run(None, feed) for feed in feeds]
    taken, left, inner = set(), collections.Counter(), _inner_nodes(path)
    for part in session.get_provider_graph_assignment_info():
        for node in part.get_nodes():
            if part.ep_name == "QNNExecutionProvider":
                taken.add(_name_in_file(node))
            elif _name_in_file(node) in inner or node.op_type not in ("QuantizeLinear", "DequantizeLinear"):
                left[node.op_type] += 1
    listed = [f"{count} {op}" for op, count in sorted(left.items())]
    return outputs, [layer["name"] for layer in layers if layer["name"] in taken], listed
