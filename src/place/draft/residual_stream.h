#pragma once

#include <vector>

#include "place/draft/draft.h"

namespace detent {

/// The residual stream of a transformer: what its normalizations over features read and write, and the Adds of two
/// activations between. Networks without such a normalization have none.
///
/// A normalization is LayerNormalization, RMSNormalization, or one written out: x, or x without its mean, divided by a
/// number made of a mean over one axis. What constant factors, constant terms, casts and copies make of its output
/// counts as its output.
struct ResidualStream {
  ValueMap<bool> values;
  std::vector<NodeId> adds;  ///< in node order

  [[nodiscard]] bool contains(ValueId value) const { return value != kNoValue && values[value]; }
};

/// Source  pre- and post-norm blocks as PyTorch exports them. No nodes -> nothing.
[[nodiscard]] ResidualStream residual_stream(const PlacementDraft& draft);

}  // namespace detent
