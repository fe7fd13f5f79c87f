#pragma once

#include <optional>
#include <vector>

#include "place/draft/draft.h"

namespace detent {

/// A normalization over one axis, by LayerNormalization, RMSNormalization or written out: x, or x - mean(x), divided by
/// a number made of a mean or norm over one axis.
struct Norm {
  ValueId input = kNoValue;  ///< x
  std::vector<NodeId>
      inside;  ///< of one written out: the last Div or Mul and all nodes back to x; empty for an operator
};

/// The normalization whose last node is `node`, without the factors and terms behind it; nullopt when there is none.
/// Source  LayerNorm and RMSNorm as PyTorch's exporters write them: by Div, and by Mul with Reciprocal or a Div of 1.
[[nodiscard]] std::optional<Norm> norm_ending_in(const PlacementDraft& draft, const Node& node);

}  // namespace detent
