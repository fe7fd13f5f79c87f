#pragma once

#include <functional>

#include "model/graph/graph.h"

namespace detent {

/// True for an operator that makes 0 of every number below 0.
[[nodiscard]] bool cuts_below_zero(const Graph& graph, const Node& node);

/// Returns which values are never negative, as the operators say: Relu, Softmax and others, and what keeps the sign of
/// its inputs.
/// cut  asked for each value that can be negative, in the order of the graph; true: its readers see no number below 0
[[nodiscard]] ValueMap<bool> never_negative(const Graph& graph, const std::function<bool(const Value&)>& cut = {});

}  // namespace detent
