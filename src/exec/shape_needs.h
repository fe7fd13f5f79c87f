#pragma once

#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// Returns true for values on whose elements the shape of some value may depend, directly or through other nodes: the
/// second input of a Reshape, the input of a NonZero. Unknown operators, and nodes with subgraphs, count as depending
/// on everything that they read.
[[nodiscard]] ValueMap<bool> values_that_decide_shapes(const Graph& graph);

}  // namespace detent
