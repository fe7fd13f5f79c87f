#pragma once

#include "equalize/equalization.h"
#include "model/graph_patch.h"

namespace detent {

/// One patch for all shifts: biases, and constants that are added, lose what is subtracted from what they write and gain what the
/// weights make of what is subtracted from what they read. Layers without a bias get one; no node is added. Constants that
/// another node reads too are copied.
/// Empty   no shifts -> an empty patch.
/// Errors  TableMismatch when a value or constant is not there or has other channels: the shifts are of another model.
[[nodiscard]] GraphPatch make_absorb_patch(const Graph& graph, const Shifts& shifts);

}  // namespace detent
