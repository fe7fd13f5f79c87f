#pragma once

#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// True where the shape of some value may depend on the elements of this one, as on the second input of a Reshape or
/// what a NonZero reads, directly or through other nodes. Operators that this does not know about, and nodes with
/// subgraphs, count as depending on everything that they read.
[[nodiscard]] ValueMap<bool> values_that_decide_shapes(const Graph& graph);

}  // namespace detent
