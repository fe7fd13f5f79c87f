"""g2p.py FOLDER CHECKPOINT.npz: writes the two networks of g2p-en, which turns letters into phonemes for speech
synthesis, as ONNX: encoder.onnx (letters to a state) and decoder.onnx (a phoneme and the state to the next ones). The
package holds arrays of weights only. A step of the decoder is written as products, as exporters of single steps do."""

import json
import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

STATE = 256


def model(nodes, inputs, outputs, weights, path):
    tensors = [numpy_helper.from_array(numpy.ascontiguousarray(array), name) for name, array in weights.items()]
    values = [[helper.make_tensor_value_info(*value) for value in side] for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, path.stem, *values, tensors)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made, full_check=True)
    onnx.save(made, path)


def update_first(gates):
    """Returns rows in the order update, reset, new; the checkpoint's is reset, update, new."""
    return numpy.concatenate([gates[STATE:2 * STATE], gates[:STATE], gates[2 * STATE:]])


def encoder(arrays, path):
    weights = {"table": arrays["enc_emb"], "w": update_first(arrays["enc_w_ih"])[None],
               "r": update_first(arrays["enc_w_hh"])[None], "first": numpy.array([0], numpy.int64),
               "b": numpy.concatenate([update_first(arrays["enc_b_ih"]), update_first(arrays["enc_b_hh"])])[None]}
    nodes = [helper.make_node("Gather", ["table", "letters"], ["embedded"]),
             helper.make_node("Transpose", ["embedded"], ["steps"], perm=[1, 0, 2]),
             helper.make_node("GRU", ["steps", "w", "r", "b"], ["", "last"], hidden_size=STATE, linear_before_reset=1),
             helper.make_node("Squeeze", ["last", "first"], ["state"])]
    model(nodes, [("letters", TensorProto.INT64, ["batch", "length"])], [("state", TensorProto.FLOAT, ["batch", STATE])],
          weights, path)


def decoder(arrays, path):
    weights = {"table": arrays["dec_emb"], "w_in": arrays["dec_w_ih"].T, "b_in": arrays["dec_b_ih"],
               "w_state": arrays["dec_w_hh"].T, "b_state": arrays["dec_b_hh"], "w_out": arrays["fc_w"].T,
               "b_out": arrays["fc_b"], "one": numpy.array(1, numpy.float32), "axis": numpy.array([1], numpy.int64)}
    node = helper.make_node
    nodes = [node("Gather", ["table", "previous"], ["rows"]), node("Squeeze", ["rows", "axis"], ["embedded"]),
             node("Gemm", ["embedded", "w_in", "b_in"], ["in_gates"], "gates_of_input"),
             node("Gemm", ["state", "w_state", "b_state"], ["state_gates"], "gates_of_state"),
             node("Split", ["in_gates"], ["in_reset", "in_update", "in_new"], axis=1),
             node("Split", ["state_gates"], ["state_reset", "state_update", "state_new"], axis=1),
             node("Add", ["in_reset", "state_reset"], ["reset_sum"]), node("Sigmoid", ["reset_sum"], ["reset"]),
             node("Add", ["in_update", "state_update"], ["update_sum"]), node("Sigmoid", ["update_sum"], ["update"]),
             node("Mul", ["reset", "state_new"], ["gated"]), node("Add", ["in_new", "gated"], ["new_sum"]),
             node("Tanh", ["new_sum"], ["new"]), node("Sub", ["one", "update"], ["rest"]),
             node("Mul", ["rest", "new"], ["fresh"]), node("Mul", ["update", "state"], ["kept"]),
             node("Add", ["fresh", "kept"], ["next_state"]),
             node("Gemm", ["next_state", "w_out", "b_out"], ["logits"], "phonemes")]
    model(nodes, [("previous", TensorProto.INT64, ["batch", 1]), ("state", TensorProto.FLOAT, ["batch", STATE])],
          [("logits", TensorProto.FLOAT, ["batch", len(arrays["dec_emb"])]),
           ("next_state", TensorProto.FLOAT, ["batch", STATE])], weights, path)


def main():
    folder, arrays = pathlib.Path(sys.argv[1]), {name: array.astype(numpy.float32) for name, array in
                                                 numpy.load(sys.argv[2]).items()}
    encoder(arrays, folder / "encoder.onnx")
    decoder(arrays, folder / "decoder.onnx")
    (folder / "letters.json").write_text(json.dumps(["<pad>", "<unk>", "</s>", *"abcdefghijklmnopqrstuvwxyz"]))


main()
