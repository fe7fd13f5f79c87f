#pragma once

#include <optional>
#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// A Softmax, by its operator or by primitives: Div(e, ReduceSum(e)) with e = Exp(Sub(x, ReduceMax(x))).
struct SoftmaxForm {
  ValueId input{};            ///< x
  std::vector<NodeId> nodes;  ///< the last writes the output
  int64_t axis = -1;
};

/// Returns the Softmax that ends in the node; nullopt when there is none.
/// Source  jax.nn.softmax, whose exporters write its primitives: the maximum and the sum may be reshaped or expanded.
[[nodiscard]] std::optional<SoftmaxForm> softmax_ending_in(const Graph& graph, const Node& node);

}  // namespace detent
