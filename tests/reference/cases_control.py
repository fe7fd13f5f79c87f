"""If, Loop, Scan, sequences and optionals."""

import numpy as np
from onnx import TensorProto, helper

from cases import Case, case, f32, i64


def tensor(name, dtype=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, dtype, shape)


def graph_case(name, nodes, inputs, outputs, values, opset=21):
    graph = helper.make_graph(nodes, name, inputs, outputs)
    return Case(name, "", values, opset, len(outputs), {}, graph)


def conditions(draw):
    then = helper.make_graph([helper.make_node("Add", ["x", "x"], ["t"])], "then", [], [tensor("t")])
    other = helper.make_graph([helper.make_node("ReduceSum", ["x"], ["e"], keepdims=0)], "else", [], [tensor("e")])
    for flag in (True, False):
        node = helper.make_node("If", ["c"], ["y"], then_branch=then, else_branch=other)
        yield graph_case(f"if_{flag}", [node], [tensor("c", TensorProto.BOOL, []), tensor("x", shape=[3])], [tensor("y")], [np.array(flag), draw.normal(3)])


def loops(draw):
    body = helper.make_graph(
        [helper.make_node("Mul", ["s", "w"], ["m"]), helper.make_node("Cast", ["i"], ["f"], to=1), helper.make_node("Add", ["m", "f"], ["s2"]),
         helper.make_node("Identity", ["s2"], ["scan"]), helper.make_node("ReduceSum", ["s2"], ["r"], keepdims=0), helper.make_node("Less", ["r", "limit"], ["go"])],
        "body", [tensor("i", TensorProto.INT64, []), tensor("g", TensorProto.BOOL, []), tensor("s", shape=[2])],
        [tensor("go", TensorProto.BOOL, []), tensor("s2", shape=[2]), tensor("scan", shape=[2])])
    inputs = [tensor("w", shape=[2]), tensor("limit", shape=[]), tensor("s0", shape=[2])]
    values = [f32(1.5, 0.5), np.float32(9).reshape(()), f32(1, 2)]
    outputs = [tensor("last", shape=[2]), tensor("all", shape=[None, 2])]
    counted = [tensor("n", TensorProto.INT64, []), tensor("c", TensorProto.BOOL, [])]
    for name, arguments, count, go in (("count", ["n", ""], 3, None), ("condition", ["", "c"], None, True), ("both", ["n", "c"], 9, True), ("none", ["n", "c"], 5, False), ("zero", ["n", ""], 0, None)):
        extra = [(counted[0], np.array(count))] if arguments[0] else []
        extra += [(counted[1], np.array(go))] if arguments[1] else []
        node = helper.make_node("Loop", [*arguments, "s0"], ["last", "all"], body=body)
        yield graph_case(f"loop_{name}", [node], [e[0] for e in extra] + inputs, outputs, [e[1] for e in extra] + values)


def scans(draw):
    body = helper.make_graph([helper.make_node("Add", ["s", "a"], ["t"]), helper.make_node("Mul", ["t", "b"], ["p"])], "body",
                             [tensor("s", shape=[2]), tensor("a", shape=[2]), tensor("b", shape=[2])], [tensor("t", shape=[2]), tensor("p", shape=[2])])
    for name, attributes, shapes in (("plain", {}, ((4, 2), (4, 2))), ("reverse", {"scan_input_directions": [1, 0]}, ((4, 2), (4, 2))), ("output", {"scan_output_directions": [1]}, ((4, 2), (4, 2))),
                                     ("axes", {"scan_input_axes": [1, 0], "scan_output_axes": [1]}, ((2, 4), (4, 2))), ("negative", {"scan_input_axes": [-1, -2], "scan_output_axes": [-1]}, ((2, 4), (4, 2)))):
        node = helper.make_node("Scan", ["s0", "a0", "b0"], ["last", "all"], body=body, num_scan_inputs=2, **attributes)
        yield graph_case(f"scan_{name}", [node], [tensor("s0", shape=[2]), tensor("a0", shape=list(shapes[0])), tensor("b0", shape=list(shapes[1]))],
                         [tensor("last", shape=[2]), tensor("all")], [draw.normal(2), draw.normal(*shapes[0]), draw.normal(*shapes[1])])


def sequences(draw):
    items = [draw.normal(2, 3), draw.normal(1, 3), draw.normal(4, 3)]
    for position in (0, 2, -1, -3):
        yield case(f"sequence_at_{position}".replace("-", "m"), "SequenceAt", [items, np.array(position)], 11)
        yield case(f"sequence_erase_{position}".replace("-", "m"), "SequenceErase", [items, np.array(position)], 11)
        yield case(f"sequence_insert_{position}".replace("-", "m"), "SequenceInsert", [items, draw.normal(1, 3), np.array(position)], 11)
    yield case("sequence_erase_last", "SequenceErase", [items], 11)
    yield case("sequence_insert_end", "SequenceInsert", [items, draw.normal(5, 3)], 11)
    yield case("sequence_insert_after", "SequenceInsert", [items, draw.normal(5, 3), np.array(3)], 11)
    yield case("sequence_construct", "SequenceConstruct", items, 11)
    yield case("sequence_length", "SequenceLength", [items], 11)
    yield case("concat_from", "ConcatFromSequence", [items], 11, axis=0)
    stacked = [draw.normal(2, 3) for _ in range(3)]
    for axis in (0, 1, -1, 2):
        yield case(f"concat_from_new_{axis}".replace("-", "m"), "ConcatFromSequence", [stacked], 11, axis=axis, new_axis=1)
    x = draw.normal(5, 6)
    for opset in (11, 24):
        for keep in (0, 1):
            yield case(f"split_each_{opset}_{keep}", "SplitToSequence", [x], opset, axis=1, keepdims=keep)
            yield case(f"split_two_{opset}_{keep}", "SplitToSequence", [x, np.array(2)], opset, axis=0, keepdims=keep)
            yield case(f"split_one_{opset}_{keep}", "SplitToSequence", [x, np.array(1)], opset, axis=0, keepdims=keep)
        yield case(f"split_list_{opset}", "SplitToSequence", [x, i64(1, 4)], opset, axis=-2)
    body = helper.make_graph([helper.make_node("Add", ["e", "k"], ["r"])], "body", [tensor("e"), tensor("k")], [tensor("r")])
    node = helper.make_node("SequenceMap", ["s", "a"], ["y"], body=body)
    kind = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)
    out = helper.make_tensor_sequence_value_info("y", TensorProto.FLOAT, None)
    yield graph_case("sequence_map", [node], [kind, tensor("a", shape=[3])], [out], [items, draw.normal(3)], 17)


def optionals(draw):
    x = draw.normal(3)
    kind = helper.make_tensor_type_proto(TensorProto.FLOAT, [3])
    for opset in (15, 18, 28):
        nodes = [helper.make_node("Optional", ["x"], ["o"]), helper.make_node("OptionalHasElement", ["o"], ["h"]), helper.make_node("OptionalGetElement", ["o"], ["y"])]
        yield graph_case(f"optional_{opset}", nodes, [tensor("x", shape=[3])], [tensor("h", TensorProto.BOOL, []), tensor("y", shape=[3])], [x], opset)
        nodes = [helper.make_node("Optional", [], ["o"], type=kind), helper.make_node("OptionalHasElement", ["o"], ["h"])]
        yield graph_case(f"optional_empty_{opset}", nodes, [], [tensor("h", TensorProto.BOOL, [])], [], opset)
    yield case("optional_has_tensor", "OptionalHasElement", [x], 18)
    yield case("optional_get_tensor", "OptionalGetElement", [x], 18)
    nodes = [helper.make_node("OptionalHasElement", [], ["h"])]
    yield graph_case("optional_none", nodes, [], [tensor("h", TensorProto.BOOL, [])], [], 18)


def cases(draw):
    for family in (conditions, loops, scans, sequences, optionals):
        yield from family(draw)
