#pragma once

#include <optional>
#include <string>

#include "lint/view/pair_view.h"

namespace detent {

/// Why ONNX Runtime does not make an integer kernel of a weighted op, in words; empty when it does.
/// Source  tried in ONNX Runtime 1.30, CPU, one operator after the other.
[[nodiscard]] std::string onnxruntime_obstacle(const PairView& view, NodeId layer);

/// Relative distance of the INT32 bias's scales from input scale * weight scale where it is too large for an integer
/// kernel: more than 1e-6 + 1 % of the product. nullopt where it is not, or a scale is not known.
/// Source  tried in ONNX Runtime 1.30 with products from 1e-5 to 5e-2.
[[nodiscard]] std::optional<double> bias_scale_error(const PairView& view, NodeId layer);

}  // namespace detent
