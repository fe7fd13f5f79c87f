// TensorRT takes only INT8 codes with zero points of 0; up to 8.6 the zero point must be written. From version 11 on
// (its parser since 10.15) UINT8 zero points of 0 are read as INT8, with only a line in the parser's log.

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "lint/findings/findings.h"
#include "lint/view/pair_numbers.h"
#include "place/draft/flow.h"

namespace detent::findings {
namespace {

bool is_bias(const QdqNode& node) { return node.role == QdqRole::Bias; }
bool shifted(const QdqNode& node) {
  return std::any_of(node.zero_points.begin(), node.zero_points.end(), [](int64_t point) { return point != 0; });
}

bool is_wide_activation(const QdqNode& node) { return node.role == QdqRole::Activation && is_wide(node); }

/// True where int16_codes() or wide_activations() reports the codes.
bool is_told_as_wide(const LintView& view, const QdqNode& node) {
  if (view.target().strongly_typed) return is_wide(node);
  return view.target().find_activation(node.codes) && is_wide_activation(node);
}

constexpr const char* kSymmetric =
    "quantize symmetrically to INT8 with zero point 0 (here: --activation int8; in onnxruntime.quantization QInt8 and "
    "ActivationSymmetric)";

}  // namespace

void missing_zero_point(const LintView& view, FindingLog& log) {
  const bool optional = view.target().version_major >= 10;
  // A constant of codes has a type, and no INT8 kernel needs a zero point of a weight that is quantized alone.
  const auto told = [&](int index) {
    const std::vector<NodeId> layers = view.layers_of(index);
    return optional && view.qdq(index).codes != DataType::UInt8 && !layers.empty() &&
           std::ranges::none_of(layers, [&](NodeId layer) { return view.weight_alone(layer).empty(); });
  };
  for (const int index :
       nodes_where(view, [](const QdqNode& node) { return !is_bias(node) && !node.has_zero_point && !is_fp8(node); })) {
    if (told(index)) continue;
    log.add(view.qdq(index).name,
            subject(view, index) +
                (optional ? " has no zero point: ONNX assumes UINT8, TensorRT INT8, and codes beyond 127 are lost"
                          : " has no zero point; TensorRT's parser needs one, and ONNX assumes UINT8 without it"),
            "write an INT8 zero point of 0 for each scale", view.layers_of(index));
  }
}

void uint8_codes(const LintView& view, FindingLog& log) {
  const auto refused = [&](const QdqNode& node) {
    return !is_bias(node) && node.has_zero_point && node.codes == DataType::UInt8 && !is_read_as_int8(view, node);
  };
  add_each(view, log, refused, "holds UINT8 codes, which TensorRT takes for DLA only", kSymmetric);
}

void uint8_zero_point(const LintView& view, FindingLog& log) {
  add_each(
      view, log, [&](const QdqNode& node) { return !is_bias(node) && is_read_as_int8(view, node); },
      "has a UINT8 zero point, which TensorRT reads as INT8: numbers above 127 times the scale are cut off",
      kSymmetric);
}

void int16_codes(const LintView& view, FindingLog& log) {
  add_each(
      view, log, [](const QdqNode& node) { return !is_bias(node) && is_wide(node); },
      "holds codes of 16 bits, which TensorRT's parser does not take", fmt::format("quantize to {}", view.codes()));
}

void other_codes(const LintView& view, FindingLog& log) {
  const auto behind_cast = [&](int index) {  // cast-between-q-and-dq reports it
    return std::ranges::any_of(view.operands_of(index), [&](const QuantizedOperand* operand) {
      return operand->cast && operand->dequantize == index;
    });
  };
  for (const int index : nodes_where(view, [](const QdqNode& node) {
         return !is_bias(node) && !node.is_weight_alone() && node.has_zero_point && node.codes != DataType::Int8 &&
                node.codes != DataType::UInt8 && !is_fp8(node);
       })) {
    if (behind_cast(index) || is_told_as_wide(view, view.qdq(index))) continue;
    log.add(view.qdq(index).name,
            fmt::format("{} holds codes of type {}, which no {} kernel takes", subject(view, index),
                        name_of(view.qdq(index).codes), view.codes()),
            fmt::format("quantize to {}", view.codes()), view.layers_of(index));
  }
}

// One note for the file: such a file is for another execution provider of the engine, and right on the CPU.
void wide_activations(const LintView& view, FindingLog& log) {
  const std::vector<int> nodes = nodes_where(view, is_wide_activation);
  if (nodes.empty()) return;
  std::set<NodeId> layers;
  for (const int index : nodes)
    for (const NodeId layer : view.layers_of(index)) layers.insert(layer);
  for (const Node& node : view.graph().nodes()) {  // layers with a wide pair behind them, also behind an activation
    if (!view.facts().is_weighted(node.id)) continue;
    const auto behind = view.pairs_on(fused_output(view.facts(), view.found(), node.id));
    if (std::ranges::any_of(behind, [&](const QuantizedOperand* pair) { return is_wide(view.grid(*pair)); }))
      layers.insert(node.id);
  }
  log.add(
      view.qdq(nodes.front()).name,
      plural(static_cast<size_t>(std::ranges::count_if(nodes, [&](int index) { return view.qdq(index).quantizes; })),
             "QuantizeLinear writes", "QuantizeLinear write") +
          " codes of 16 bits, which no integer kernel of ONNX Runtime's CPU provider takes: the layers beside them "
          "run in float, with the accuracy of the codes",
      "nothing to cure for an engine with 16-bit kernels; --activation uint8 gives integer kernels here",
      {layers.begin(), layers.end()});
  log.explain(layers);
}

void nonzero_zero_point(const LintView& view, FindingLog& log) {
  add_each(
      view, log, [](const QdqNode& node) { return !is_bias(node) && node.codes != DataType::UInt8 && shifted(node); },
      fmt::format("has a zero point other than 0; TensorRT's {} is symmetric", view.codes()),
      "calibrate symmetrically: scale = amax / 127, zero point 0");
}

}  // namespace detent::findings
