// Scales that are not constant or not positive, pairs of different scales, FP16 scales below opset 19.

#include <algorithm>
#include <cmath>

#include "core/float_type.h"
#include "lint/findings/findings.h"
#include "lint/view/pair_numbers.h"

namespace detent::findings {
namespace {

/// Blocks are those of weights and of rows of tables: no integer kernel reads them.
bool computed(const QdqNode& node) { return !node.scale_constant && node.block == 0; }

bool unusable(const QdqNode& node) {
  return std::any_of(node.scales.begin(), node.scales.end(),
                     [](float scale) { return !std::isfinite(scale) || scale <= 0; });
}

/// Returns the effective zero points: 0 when none is written; nothing when they are computed at run time.
std::vector<int64_t> points_of(const QdqNode& node) {
  return node.has_zero_point ? node.zero_points : std::vector<int64_t>(node.scales.size(), 0);
}

bool same_points(const QdqNode& q, const QdqNode& dq) {
  const std::vector<int64_t> a = points_of(q), b = points_of(dq);
  return a.empty() || b.empty() || a == b;
}

/// Returns the first difference: "scale 0.5 and 0.25", "zero point 0 and 128".
std::string difference(const QdqNode& q, const QdqNode& dq) {
  if (q.scales != dq.scales)
    return "scale " + number_text(static_cast<double>(q.scales.front())) + " and " +
           number_text(static_cast<double>(dq.scales.front()));
  return "zero point " + std::to_string(points_of(q).front()) + " and " + std::to_string(points_of(dq).front());
}

}  // namespace

void scale_not_constant(const LintView& view, FindingLog& log) {
  add_each(view, log, computed,
           "has a scale that is computed at run time; engines build integer kernels for constant scales only",
           "write the scale as an initializer");
}

void scale_not_positive(const LintView& view, FindingLog& log) {
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

void unequal_halves(const LintView& view, FindingLog& log) {
  std::set<std::pair<int, int>> seen;
  for (const QuantizedOperand& operand : view.reading().operands) {
    if (operand.quantize < 0 || operand.dequantize < 0 || !seen.insert({operand.quantize, operand.dequantize}).second)
      continue;
    const QdqNode &q = view.qdq(operand.quantize), &dq = view.qdq(operand.dequantize);
    if (computed(q) || computed(dq) || unusable(q) || unusable(dq)) continue;
    if (q.scales == dq.scales && same_points(q, dq)) continue;
    log.add(dq.name,
            subject(view, operand.dequantize) + " has different numbers in QuantizeLinear and DequantizeLinear (" +
                difference(q, dq) + "): the values change",
            "give QuantizeLinear and DequantizeLinear one scale and one zero point",
            view.layers_of(operand.dequantize));
  }
}

void fp16_scale(const LintView& view, FindingLog& log) {
  constexpr int64_t kFirst = 19;
  if (view.graph().opset() >= kFirst) return;
  const std::string opset = std::to_string(view.graph().opset());
  const bool taken = view.target().engine.half_scales_below_opset19;
  add_each(
      view, log, [](const QdqNode& node) { return is_half(node.scale_type); },
      "has an FP16 scale at opset " + opset + "; ONNX has them from opset 19 on" +
          (taken ? ": TensorRT's parser accepts it nevertheless" : ", and ONNX Runtime refuses the model"),
      "raise the opset to 19, or write FP32 scales with a Cast before Q and behind DQ (--format scales=fp32)");
}

}  // namespace detent::findings
