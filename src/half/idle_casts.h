#pragma once

#include <set>
#include <string>

#include "model/graph_patch.h"

namespace detent {

/// Takes the Casts that cast a type to itself (CastPatch::idle, node names), as the file's own become where what they read is half too. They cost a
/// kernel, and ONNX Runtime 1.30 refuses a model that has one where it inserts its own. Those that write a graph output, or
/// that If, Loop and Scan bodies read, stay. Empty where there are none.
[[nodiscard]] GraphPatch take_idle_casts(const Graph& graph, const std::set<std::string>& idle);

}  // namespace detent
