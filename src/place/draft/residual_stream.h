#pragma once

#include <vector>

#include "place/draft/draft.h"

namespace detent {

/// The residual stream of a transformer: inputs and outputs of its normalizations over features, and the Adds of two
/// activations between. Networks without such a normalization have none.
///
/// A normalization is LayerNormalization, RMSNormalization, or one of primitives: x, or x without its mean, divided by
/// a number computed from a mean over one axis. Constant factors, constant terms, casts and copies of its output count
/// as its output.
struct ResidualStream {
  ValueMap<bool> values;
  std::vector<NodeId> adds;  ///< in node order

  [[nodiscard]] bool contains(MaybeValue value) const { return value && values[*value]; }
};

/// Finds the stream. No nodes -> nothing.
/// Source  pre- and post-norm blocks as PyTorch exports them.
[[nodiscard]] ResidualStream residual_stream(const PlacementDraft& draft);

}  // namespace detent
