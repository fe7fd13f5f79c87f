#pragma once

#include "equalize/equalization.h"
#include "model/graph_patch.h"

namespace detent {

/// Returns one patch for all factors: multiplies weights, biases and other constants around the named values, gives
/// each gate a Mul by one factor a channel before its product, and the layers that read a Branch one Mul of it. Values
/// and nodes keep their names. Constants that other nodes read too are copied.
/// Empty   nothing to multiply -> an empty patch.
/// Errors  TableMismatch when a value or node is missing or has other channels: the equalization belongs to another
/// model.
[[nodiscard]] GraphPatch make_equalize_patch(const Graph& graph, const Equalization& equalization);

}  // namespace detent
