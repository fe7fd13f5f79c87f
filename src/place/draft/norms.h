#pragma once

#include <optional>
#include <vector>

#include "place/draft/graph_facts.h"

namespace detent {

/// A normalization over one axis, by LayerNormalization, RMSNormalization or primitives: x, or x - mean(x), divided by
/// a number computed from a mean or norm over one axis.
struct Norm {
  ValueId input{};  ///< x
  /// The last Div or Mul and all nodes back to x, for one of primitives; empty for an operator.
  std::vector<NodeId> inside;
};

/// Returns the normalization whose last node is `node`, without the factors and terms behind it; nullopt when there is
/// none.
/// Source  LayerNorm and RMSNorm as PyTorch's exporters write them: with Div, and with Mul by Reciprocal or a Div of 1.
[[nodiscard]] std::optional<Norm> norm_ending_in(const GraphFacts& facts, const Node& node);

}  // namespace detent
