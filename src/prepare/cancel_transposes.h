#pragma once

#include <cstddef>

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent {

/// Moves nodes that work element by element, a Concat and reductions from behind a Transpose to the front of it, where
/// it then meets its inverse and both go: Conv, Transpose, Add, Relu, Transpose back, Conv becomes Conv, Add, Relu,
/// Conv. Constants of the nodes get the layout of the values that they meet. A value that something reads in the
/// old layout, or that the graph writes, gets a Transpose behind it. Nodes that hang together are moved when fewer
/// Transposes remain. Values keep their names where they keep their layout. Subgraphs stay as they are.
/// Exact, except for the order in which reductions sum.
/// Empty  nothing to move -> an empty patch.
[[nodiscard]] GraphPatch cancel_transposes(const Graph& graph);

/// Leaves out Casts to the type that comes among the nodes to move, which stand between a Conv and its normalization in
/// such exports, and applies the patch. Returns the number of Transposes that are gone.
size_t cancel_transposes(Model& model);

}  // namespace detent
