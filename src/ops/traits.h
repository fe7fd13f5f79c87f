#pragma once

#include "model/graph/graph.h"
#include "ops/op_kind.h"

namespace detent {

/// Returns the traits of a node, also for operators of unknown opset; default traits when unknown.
[[nodiscard]] const OpTraits& traits_of(const Graph& graph, const Node& node);

/// True for an operator that is in ONNX's domain and that Detent knows at some opset. A plugin is none.
[[nodiscard]] bool is_known(const Node& node);

/// True for operators whose output holds elements of the first input, unchanged (copies, selections, MaxPool), besides
/// the constants of a Pad.
[[nodiscard]] inline bool keeps_elements(const OpTraits& traits) {
  return traits.commutes && traits.kind != OpKind::Concat;
}

/// True for LSTM, GRU and RNN.
[[nodiscard]] inline bool is_recurrent(const Node& node) {
  return node.domain.empty() && (node.op_type == "LSTM" || node.op_type == "GRU" || node.op_type == "RNN");
}

}  // namespace detent
