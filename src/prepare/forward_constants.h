#pragma once

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent {

/// Patch that lets every reader of Identity(constant) read the constant itself and removes the Identity. Exporters that
/// store equal tensors once leave such nodes between them and their readers, where nobody would take a weight or a bias
/// for constant. An Identity that writes a graph output, or is read in a subgraph, stays. Nothing to do -> empty patch.
[[nodiscard]] GraphPatch find_constant_identities(const Graph& graph);

/// Applies find_constant_identities; returns how many nodes went.
size_t forward_constants(Model& model);

}  // namespace detent
