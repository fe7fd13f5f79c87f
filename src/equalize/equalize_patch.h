#pragma once

#include "equalize/equalization.h"
#include "model/graph_patch.h"

namespace detent {

/// One patch for all factors: weights, biases and other constants around the values named are multiplied, and each gate
/// gets a Mul by one factor a channel before its product. Values and nodes keep their names. Constants that another
/// node reads too are copied.
/// Empty   nothing to multiply -> an empty patch.
/// Errors  TableMismatch when a value or node is not there or has other channels: the equalization is of another model.
[[nodiscard]] GraphPatch make_equalize_patch(const Graph& graph, const Equalization& equalization);

}  // namespace detent
