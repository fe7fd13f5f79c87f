#pragma once

#include "model/graph_patch.h"

namespace detent {

/// Takes the Casts from a 16-bit float type to the same one, as the file's own become where what they read is half too.
/// They cost a kernel, and ONNX Runtime 1.30 refuses a model that has one where it inserts its own. Those that write a
/// graph output, or that If, Loop and Scan bodies read, become Identity. Empty where there are none.
[[nodiscard]] GraphPatch take_idle_casts(const Graph& graph);

}  // namespace detent
