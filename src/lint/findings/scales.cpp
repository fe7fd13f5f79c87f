// Scales that are not constants, not positive, halves of a pair that differ, FP16 scales before ONNX had them.

#include <algorithm>
#include <cmath>

#include "core/float_type.h"
#include "lint/findings/findings.h"
#include "lint/findings/pair_numbers.h"

namespace detent::findings {
namespace {

constexpr std::string_view kGuide =
    "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html";

bool computed(const QdqNode& node) { return !node.scale_constant; }

bool unusable(const QdqNode& node) {
  return std::any_of(node.scales.begin(), node.scales.end(),
                     [](float scale) { return !std::isfinite(scale) || scale <= 0; });
}

void check_constant(const LintView& view, FindingLog& log) {
  add_each(view, log, computed,
           "has a scale that is computed at run time; engines build integer kernels for constant scales only",
           "write the scale as an initializer");
}

void check_positive(const LintView& view, FindingLog& log) {
  for (const int index : nodes_where(view, unusable)) {
    const auto& scales = view.qdq(index).scales;
    const auto bad =
        std::find_if(scales.begin(), scales.end(), [](float scale) { return !std::isfinite(scale) || scale <= 0; });
    std::string which = number_text(static_cast<double>(*bad));
    if (scales.size() > 1) which += " in channel " + std::to_string(bad - scales.begin());
    log.add(view.qdq(index).name,
            subject(view, index) + " has scale " + which + "; a scale has to be positive and finite",
            "write a positive scale: 1 where the channel is all zero", view.layers_of(index));
  }
}

/// Zero points as they act: 0 where none is written; nothing where they are computed at run time.
std::vector<int64_t> points_of(const QdqNode& node) {
  return node.has_zero_point ? node.zero_points : std::vector<int64_t>(node.scales.size(), 0);
}

bool same_points(const QdqNode& q, const QdqNode& dq) {
  const std::vector<int64_t> a = points_of(q), b = points_of(dq);
  return a.empty() || b.empty() || a == b;
}

/// "scale 0.5 and 0.25", "zero point 0 and 128": what differs first.
std::string difference(const QdqNode& q, const QdqNode& dq) {
  if (q.scales != dq.scales)
    return "scale " + number_text(static_cast<double>(q.scales.front())) + " and " +
           number_text(static_cast<double>(dq.scales.front()));
  return "zero point " + std::to_string(points_of(q).front()) + " and " + std::to_string(points_of(dq).front());
}

void check_halves(const LintView& view, FindingLog& log) {
  std::set<std::pair<int, int>> seen;
  for (const QuantizedOperand& operand : view.reading().operands) {
    if (operand.quantize < 0 || operand.dequantize < 0 || !seen.insert({operand.quantize, operand.dequantize}).second)
      continue;
    const QdqNode &q = view.qdq(operand.quantize), &dq = view.qdq(operand.dequantize);
    if (computed(q) || computed(dq) || unusable(q) || unusable(dq)) continue;
    if (q.scales == dq.scales && same_points(q, dq)) continue;
    log.add(dq.name,
            subject(view, operand.dequantize) + " is quantized with other numbers than it is dequantized with (" +
                difference(q, dq) + "): the values change",
            "give QuantizeLinear and DequantizeLinear one scale and one zero point",
            view.layers_of(operand.dequantize));
  }
}

void check_half_precision(const LintView& view, FindingLog& log) {
  constexpr int64_t kFirst = 19;
  if (view.graph().opset() >= kFirst) return;
  const std::string opset = std::to_string(view.graph().opset());
  const bool taken = view.target().fp16_scales_below_opset19;
  add_each(
      view, log, [](const QdqNode& node) { return is_half(node.scale_type); },
      "has an FP16 scale at opset " + opset + "; ONNX knows them from opset 19 on" +
          (taken ? ": TensorRT's parser takes it all the same" : ", and ONNX Runtime refuses the model"),
      "raise the opset to 19, or write FP32 scales with a Cast before Q and behind DQ (--scales fp32)");
}

}  // namespace

FindingKind scale_not_constant() {
  return {"scale-not-constant", FindingLevel::Error, FindingLevel::Error, "a scale is computed at run time", kGuide,
          check_constant};
}

FindingKind scale_not_positive() {
  return {
      "scale-not-positive", FindingLevel::Error, FindingLevel::Error, "a scale is 0, negative, infinite or NaN", kGuide,
      check_positive};
}

FindingKind unequal_halves() {
  return {"q-and-dq-differ",
          FindingLevel::Error,
          FindingLevel::Error,
          "QuantizeLinear and DequantizeLinear of a pair have different scales or zero points",
          "onnx.ai/onnx/operators/onnx__DequantizeLinear.html",
          check_halves};
}

FindingKind fp16_scale() {
  return {"fp16-scale-below-opset-19",
          FindingLevel::Note,
          FindingLevel::Error,
          "an FP16 scale before opset 19",
          "onnx.ai/onnx/operators/onnx__QuantizeLinear.html; tried in ONNX Runtime 1.30",
          check_half_precision};
}

}  // namespace detent::findings
