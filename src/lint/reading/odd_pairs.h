#pragma once

#include <string>

#include "model/graph/graph.h"

namespace detent {

/// Checks the constant scales of all pairs of the main graph. A scale of 0 may stand for a channel of zeros.
/// Errors  InvalidModel naming node and value: a scale that is negative or not finite, or so large that its codes
///         stand for infinite numbers.
void check_scales(const Graph& graph);

/// Returns "node 'q' (QuantizeLinear) in the body of node 'if' (If)", the first QuantizeLinear or DequantizeLinear in
/// a body of If, Loop or Scan, at any depth; "" where there is none.
[[nodiscard]] std::string pair_in_body(const Graph& graph);

}  // namespace detent
