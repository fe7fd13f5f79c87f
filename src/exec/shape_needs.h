#pragma once

#include <vector>

#include "model/graph/graph.h"
#include "ops/op_kind.h"

namespace detent {

/// True when the shapes of the outputs follow from the shapes of the inputs that carry data (OpTraits::data_inputs) and
/// the elements of the others.
[[nodiscard]] bool keeps_shapes_apart(OpKind kind);

/// Returns true for values on whose elements the shape of some value may depend, directly or through other nodes: the
/// second input of a Reshape, the input of a NonZero. Unknown operators, and nodes with subgraphs, count as depending
/// on everything that they read.
[[nodiscard]] ValueMap<bool> values_that_decide_shapes(const Graph& graph);

}  // namespace detent
