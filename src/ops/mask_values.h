#pragma once

#include "model/graph/graph.h"

namespace detent {

/// Returns which float values are computed like masks of attention: from constants, integers, booleans and graph inputs
/// with "mask" in their name alone, by Cast, Where, arithmetic and copies. Constants themselves are not among them, nor
/// rows of tables.
[[nodiscard]] ValueMap<bool> mask_values(const Graph& graph);

}  // namespace detent
