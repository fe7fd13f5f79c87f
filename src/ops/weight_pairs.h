#pragma once

#include "core/pair_order.h"
#include "model/graph/graph.h"

namespace detent {

/// Returns which weights of a Conv, Gemm or MatMul an x86 CPU without VNNI multiplies side by side, where activations
/// are UINT8 and weights INT8. Kind::None for every other operator, for a depthwise Conv (one channel and one output a
/// group), and for a weight that is not operand 1.
/// weight      the shape of the constant in input slot `slot`
/// taps_apart  what the engine does without groups (PairOrder)
[[nodiscard]] PairOrder weight_pairs(const Graph& graph, const Node& node, int slot, const Shape& weight,
                                     bool taps_apart = false);

}  // namespace detent
