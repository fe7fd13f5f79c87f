#pragma once

#include "equalize/equalization.h"
#include "model/graph_patch.h"

namespace detent {

/// One patch for all shifts. Where the output of a weighted op or of an Add of a constant is shifted, its bias or
/// constant loses the shift; where the input of a weighted op is shifted, its bias gains the shift multiplied by the
/// weights. Layers without a bias get one; no node is added. Constants that another node reads too are copied.
/// Empty   no shifts -> an empty patch.
/// Errors  TableMismatch when a value or constant is not there or has other channels: the shifts are of another model.
[[nodiscard]] GraphPatch make_absorb_patch(const Graph& graph, const Shifts& shifts);

}  // namespace detent
