#pragma once

#include <cstddef>

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent {

/// Patch that makes a Cast of every CastLike whose output type is known: what it reads for the type is then free to be
/// of another type. ONNX Runtime 1.30 refuses a CastLike to FP16 that reads FP16. Nothing to do -> empty patch.
[[nodiscard]] GraphPatch find_cast_likes(const Graph& graph);

/// Applies find_cast_likes; returns how many nodes became a Cast.
size_t replace_cast_likes(Model& model);

}  // namespace detent
