#pragma once

#include "rewrite/block_inserter.h"

namespace detent {

/// The weights of the plan in their nearest codes, each value once; scales in the type of the weight, whatever
/// format.scales. Tables too, in INT8 whatever the format: exact_codes() where there are such, column_codes() where the
/// plan allows them, else none. threads  that work beside each other; they change nothing.
/// Errors   those of
/// quantize_blocks, with the weight's name.
[[nodiscard]] BlockedWeights quantize_weights(const Graph& graph, const PlacementPlan& plan, const BlockFormat& format,
                                              size_t threads);

/// The model in which the plan's weights are these codes.
[[nodiscard]] Model with_blocks(const Model& model, const PlacementPlan& plan, const BlockedWeights& weights,
                                const BlockFormat& format);

}  // namespace detent
