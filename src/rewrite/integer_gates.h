#pragma once

#include "model/graph_patch.h"

namespace detent {

/// Writes each HardSwish behind a pair of UINT8 as a product, whatever operators it consists of:
///
///   before:  c --> DequantizeLinear(s, z) --> HardSwish --> y
///   after:   c --> DequantizeLinear(s, z) -----------------> Mul --> y
///            +--> Clip(0, 2z) --> DequantizeLinear(s/6, 0) ---^
///
/// It computes the same: where z * s = 3 the codes from 0 to 2z are the numbers from -3 to 3, and a code times s/6 is
/// HardSigmoid of the number. With a pair behind y the Mul is a product of codes.
/// Empty   no such node; the range of its input begins elsewhere; others read a value in between
[[nodiscard]] GraphPatch integer_gates(const Graph& graph);

/// Writes the Clip and DequantizeLinear of such a product as the HardSigmoid that they compute.
[[nodiscard]] GraphPatch float_gates(const Graph& graph);

/// Applies float_gates() to a file that was read.
void restore_float_gates(Model& model);

}  // namespace detent
