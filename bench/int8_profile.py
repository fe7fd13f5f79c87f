"""Reads the profile that ONNX Runtime writes of a file, node by node. Times are milliseconds, the least of all runs."""

import collections
import dataclasses
import json
import math
import pathlib
import re
import tempfile
import time

import onnxruntime

LAYERS = re.compile(r"(Conv|FusedConv|ConvTranspose|QLinearConv|Gemm|FusedGemm|QGemm|MatMul|FusedMatMul|QLinearMatMul|"
                    r"MatMulIntegerToFloat)")
INTEGER = re.compile(r"QLinear|QGemm|QAttention|MatMulInteger|DynamicQuantize")


@dataclasses.dataclass
class Node:
    """A node; `shape` is that of its first output, "float[1,3,224,224]"."""
    name: str
    kind: str
    shape: str
    ms: float = math.inf

    @property
    def is_layer(self):
        return LAYERS.fullmatch(self.kind) is not None


def options_of(threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 3
    return options


def open_session(path, options):
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def profile_of(path, feeds, threads, seconds):
    """Returns the nodes in the order of execution."""
    options, end = options_of(threads), time.monotonic() + 10 * seconds
    with tempfile.TemporaryDirectory() as folder:
        options.enable_profiling, options.profile_file_prefix = True, str(pathlib.Path(folder) / "profile")
        session, runs = open_session(path, options), 0
        # The profiler keeps a million events and drops the rest.
        while runs < 5 or (time.monotonic() < end and runs < 200):
            session.run(None, feeds)
            runs += 1
        events = json.loads(pathlib.Path(session.end_profiling()).read_text())
    nodes = {}
    for event in events:
        if event["cat"] != "Node" or not event["name"].endswith("_kernel_time"):
            continue
        arguments = event["args"]
        shapes = [f"{kind}{dims}".replace(" ", "") for one in arguments.get("output_type_shape", ()) for kind, dims in one.items()]
        node = nodes.setdefault(arguments["node_index"], Node(event["name"].removesuffix("_kernel_time"), arguments["op_name"],
                                                              (shapes or [""])[0]))
        node.ms = min(node.ms, event["dur"] / 1000)
    return list(nodes.values())


def total(nodes):
    return sum(node.ms for node in nodes)


def kinds_of(before, after):
    """Returns [(kind, its nodes before, after)], the costliest first."""
    kinds = collections.defaultdict(lambda: ([], []))
    for side, nodes in enumerate((before, after)):
        for node in nodes:
            kinds[node.kind][side].append(node)
    return sorted(((kind, *sides) for kind, sides in kinds.items()), key=lambda row: -total(row[1]) - total(row[2]))


def float_nodes(nodes, graph):
    """Returns [(node, operators that it reads from, that read it)] of the nodes of the quantized file that are not
    integer kernels, worst first, with their neighbours in the optimized graph."""
    by_name, producer = {one.name: one for one in graph.node}, {name: one.op_type for one in graph.node for name in one.output}
    readers = collections.defaultdict(list)
    for one in graph.node:
        for name in one.input:
            readers[name].append(one.op_type)
    found = []
    for node in sorted((node for node in nodes if not INTEGER.match(node.kind)), key=lambda node: -node.ms):
        one = by_name.get(re.sub(r"_(nchwc|token_\d+)$", "", node.name))
        sources = [producer[name] for name in one.input if name in producer] if one else []
        found.append((node, ", ".join(sources), ", ".join(kind for name in one.output for kind in readers[name]) if one else ""))
    return found


def layers_of(before, after):
    """Returns [(before, after)] of the k-th layers of both files, largest loss in INT8 first. Names differ, because
    fusions rename nodes."""
    floats, integers = ([node for node in nodes if node.is_layer] for nodes in (before, after))
    pairs = list(zip(floats, integers)) if len(floats) == len(integers) else []
    return sorted(pairs, key=lambda pair: pair[0].ms - pair[1].ms)


def standalone_pairs(nodes):
    return [node for node in nodes if node.kind in ("QuantizeLinear", "DequantizeLinear")]
