#pragma once

#include <functional>

#include "model/graph/graph.h"

namespace detent {

/// Returns the number that a Pad puts around its input, from the attribute or a constant input; 0 for the modes that
/// repeat numbers of the input, NaN where it is only known when the network runs.
[[nodiscard]] float number_of_pad(const Graph& graph, const Node& pad);

/// True for an operator whose output has no number below 0, whatever its input has.
[[nodiscard]] bool cuts_below_zero(const Graph& graph, const Node& node);

/// Returns which values are never negative, as the operators say: Relu, Softmax and others, and what keeps the sign of
/// its inputs.
/// cut  asked for each value that can be negative, in the order of the graph; true: its readers see no number below 0
[[nodiscard]] ValueMap<bool> never_negative(const Graph& graph, const std::function<bool(const Value&)>& cut = {});

}  // namespace detent
