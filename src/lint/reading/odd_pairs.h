#pragma once

#include <string>

#include "lint/reading/qdq_node.h"

namespace detent {

/// Checks the constant scales of all pairs of the main graph. A scale of 0 may stand for a channel of zeros.
/// Errors  InvalidModel naming node and value: a scale that is negative or not finite, or so large that its codes
///         stand for infinite numbers.
void check_scales(const Graph& graph);

/// The same for the pairs of constant codes, of which no other numbers are known. A negative scale is one there.
void check_scales_of_codes(const Graph& graph);

/// True for a scale that codes can have: positive, and so small that they stand for finite numbers.
[[nodiscard]] bool is_usable(float scale, DataType codes);

/// Returns "scale 0 in channel 5", the first scale of a pair that is not usable; "" where all are.
[[nodiscard]] std::string unusable_scale(const QdqNode& pair);

/// Returns "node 'q' (QuantizeLinear) in the body of node 'if' (If)", the first QuantizeLinear or DequantizeLinear in
/// a body of If, Loop or Scan, at any depth; "" where there is none.
[[nodiscard]] std::string pair_in_body(const Graph& graph);

}  // namespace detent
