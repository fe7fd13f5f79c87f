#pragma once

#include <optional>
#include <string>

#include "lint/view/lint_view.h"

namespace detent {

/// Why TensorRT does not run a weighted op in INT8, in words; empty when it does. It needs a pair that TensorRT takes on the
/// data input (or in front of commuting ops) and on the weight; a 3-D ConvTranspose one behind it too.
/// Source  placement rules R1 and R6; what pairs it takes: src/place/targets/tensorrt.cpp.
[[nodiscard]] std::string tensorrt_obstacle(const LintView& view, NodeId layer);

/// Why TensorRT refuses the numbers of a QuantizeLinear or DequantizeLinear; empty when it takes them.
[[nodiscard]] std::string tensorrt_refusal(const LintView& view, const QdqNode& node);

/// A 3-D ConvTranspose with readers and no pair behind its activation, and no BatchNormalization there that would be the
/// reason.
[[nodiscard]] bool lacks_closing_pair(const LintView& view, NodeId layer);

/// The BatchNormalization that reads the layer's output alone; kNoNode when there is none.
[[nodiscard]] NodeId batchnorm_behind(const LintView& view, NodeId layer);

/// Why ONNX Runtime does not make an integer kernel of a weighted op, in words; empty when it does.
/// Source  tried in ONNX Runtime 1.30, CPU, one operator after the other.
[[nodiscard]] std::string onnxruntime_obstacle(const LintView& view, NodeId layer);

/// Relative distance of the INT32 bias's scales from input scale * weight scale where it is too large for an integer
/// kernel: more than 1e-6 + 1 % of the product. nullopt where it is not, or a scale is not known.
/// Source  tried in ONNX Runtime 1.30 with products from 1e-5 to 5e-2.
[[nodiscard]] std::optional<double> bias_scale_error(const LintView& view, NodeId layer);

/// The pair's QuantizeLinear has exactly one DequantizeLinear and that one reader.
[[nodiscard]] bool has_one_reader(const LintView& view, const QuantizedOperand& operand);

/// Pairs that close what an integer kernel writes: on every reading of `value`, or behind the copies that are its only
/// reader. Empty: somebody reads floats, or the pairs differ.
[[nodiscard]] std::vector<const QuantizedOperand*> closing_pairs(const LintView& view, ValueId value);

}  // namespace detent
