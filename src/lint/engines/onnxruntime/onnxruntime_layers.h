#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lint/view/pair_view.h"

namespace detent {

/// Returns in words why ONNX Runtime does not make an integer kernel of a weighted op; empty when it does.
/// Source  tried in ONNX Runtime 1.30, CPU, operator by operator.
[[nodiscard]] std::string onnxruntime_obstacle(const PairView& view, NodeId layer);

/// A Relu or Clip because of which ONNX Runtime 1.30 calls the whole model invalid ("two nodes with same node name") at
/// levels extended and all: one pass assumes that it is absorbed and makes an integer kernel, another does not remove
/// it.
struct RefusedActivation {
  NodeId node{};
  std::string why;  ///< why it is not removed
};
/// Returns the one behind `node`; nullopt when the engine makes no integer kernel of `node`, or removes or keeps the
/// activation.
/// Source  tried in ONNX Runtime 1.30, CPU, 18 operators: bounds compared in codes, and in real numbers with 2^-23 to
/// spare.
[[nodiscard]] std::optional<RefusedActivation> refused_activation(const PairView& view, const Node& node);

/// The pairs of an Add, Mul or AveragePool of which the engine makes an integer kernel whatever the shapes of scales
/// and zero points. The kernel takes scalars only: with others ONNX Runtime calls the whole model invalid at levels
/// extended and all ("Scale and Zero-point must be a scalar"). Source  tried in ONNX Runtime 1.20 to 1.31, CPU, 30
/// operators; 1.32 takes such files.
struct ScalarKernel {
  std::vector<const QuantizedOperand*> read;  ///< one for each float input; with a DequantizeLinear
  const QuantizedOperand* written = nullptr;
};
/// Returns nullopt for other operators, and where the engine makes no integer kernel.
[[nodiscard]] std::optional<ScalarKernel> scalar_kernel(const PairView& view, const Node& node);

/// Returns the relative distance of the INT32 bias's scales from input scale * weight scale when it is too large for an
/// integer kernel: more than 1e-6 + 1 % of the product. nullopt when it is not, or a scale is unknown.
/// Source  tried in ONNX Runtime 1.30 with products from 1e-5 to 5e-2.
[[nodiscard]] std::optional<double> bias_scale_error(const PairView& view, NodeId layer);

}  // namespace detent
