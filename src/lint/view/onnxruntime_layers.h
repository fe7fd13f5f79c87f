#pragma once

#include <optional>
#include <string>

#include "lint/view/pair_view.h"

namespace detent {

/// Why ONNX Runtime does not make an integer kernel of a weighted op, in words; empty when it does.
/// Source  tried in ONNX Runtime 1.30, CPU, one operator after the other.
[[nodiscard]] std::string onnxruntime_obstacle(const PairView& view, NodeId layer);

/// A Relu or Clip for which ONNX Runtime 1.30 calls the whole model invalid ("two nodes with same node name") at levels
/// extended and all: one pass takes it for absorbed and makes an integer kernel, another does not remove it.
struct RefusedActivation {
  NodeId node = kNoNode;
  std::string why;  ///< it is not removed
};
/// The one behind `node`; nullopt where the engine makes no integer kernel of `node`, or removes or keeps what stands
/// behind it.
/// Source  tried in ONNX Runtime 1.30, CPU, 18 operators: bounds compared in codes, and in real numbers with
/// 2^-23 to spare.
[[nodiscard]] std::optional<RefusedActivation> refused_activation(const PairView& view, const Node& node);

/// Relative distance of the INT32 bias's scales from input scale * weight scale where it is too large for an integer
/// kernel: more than 1e-6 + 1 % of the product. nullopt where it is not, or a scale is not known.
/// Source  tried in ONNX Runtime 1.30 with products from 1e-5 to 5e-2.
[[nodiscard]] std::optional<double> bias_scale_error(const PairView& view, NodeId layer);

}  // namespace detent
