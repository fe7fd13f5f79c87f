#pragma once

#include "model/graph_patch.h"

namespace detent {

/// Writes each MatMul of a constant matrix in codes as MatMulNBits of com.microsoft: codes without a sign, of 8 or 4
/// bits, a row of the transposed matrix after the other. Scales of columns are repeated for each block of 128 rows. A
/// matrix stays as it is if its codes have a zero point other than 0, or blocks that are no power of two from 16 on.
/// Empty   a graph without such products
[[nodiscard]] GraphPatch pack_products(const Graph& graph);

}  // namespace detent
