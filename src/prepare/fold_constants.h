#pragma once

#include <cstddef>

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent {

/// Some node reads constants alone.
[[nodiscard]] bool computes_constants(const Graph& graph);

/// Patch that puts results in the place of nodes which compute them from constants: weights and biases of weighted
/// operators (Transpose(E) of a tied embedding, Mul(W, s), Unsqueeze(W)), and results of at most 64 KiB. A weight is
/// folded where it has no more elements than the constants that it is computed from; so what Tile, Expand or
/// ConstantOfShape make large stays computed. Results keep their names; equal weights become one. A result that is a
/// graph output, comes from an operator that draws numbers, holds graphs or cannot run here stays computed. Nothing to
/// do -> empty patch.
[[nodiscard]] GraphPatch find_constant_folds(const Graph& graph);

/// Applies it. Returns how many nodes went.
size_t fold_constants(Model& model);

}  // namespace detent
