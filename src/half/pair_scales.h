#pragma once

#include <string>

#include "detent/reports/kept_pairs.h"
#include "half/float_format.h"
#include "model/graph_patch.h"

namespace detent {

/// Returns why scales do not fit the type; empty when they do. A scale may change by 1/254 of itself, which moves the
/// largest 8-bit code by half a step, or by as much as the type rounds the largest scale of the tensor.
[[nodiscard]] std::string trouble_of_scales(const Tensor& scales, const FloatFormat& format);

/// The scales of all pairs as FP32 numbers that the type holds exactly.
struct RoundedScales {
  GraphPatch patch;
  KeptPairs pairs;  ///< the members about scales
};

/// Rounds every constant of Float32 scales to numbers of the type, never to 0. Nodes that stay FP32 have the same
/// scales as their partners in 16 bits that way. Scales with trouble stay as they are, all do without
/// format.half_scales, and those of a QuantizeLinear that reads a constant do: its codes would change.
/// Empty  no scale changes -> an empty patch; the counts are always given.
[[nodiscard]] RoundedScales round_scales(const Graph& graph, const FloatFormat& format);

}  // namespace detent
