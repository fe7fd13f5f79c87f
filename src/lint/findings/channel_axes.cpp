// Scales per channel: never on activations, and on weights along the operator's output channels.
//
//   Conv 0, ConvTranspose 1, Gemm 0 with transB else 1, MatMul the last; a Transpose behind the DQ moves it.

#include <algorithm>

#include "lint/findings/findings.h"
#include "lint/view/pair_numbers.h"

namespace detent::findings {
namespace {

// Returns the axis of the DequantizeLinear's data that counts output channels; nullopt when none is right or wrong.
std::optional<int64_t> channel_axis(const LintView& view, const QuantizedOperand& operand) {
  const MaybeNode layer = view.graph().find_node(operand.node);
  if (!layer || !view.facts().is_weighted(*layer) || view.facts().weight_slot(*layer) != operand.slot)
    return std::nullopt;
  const int axis = view.facts().weight_axis(view.node(*layer));
  if (axis < 0) return std::nullopt;
  return operand.axes.empty() ? axis : static_cast<int64_t>(operand.axes[static_cast<size_t>(axis)]);
}

size_t rank_of(const LintView& view, const QuantizedOperand& operand) {
  return view.facts().weight(*view.graph().find_node(operand.node)).shape().rank();
}

std::string operator_and_axis(const LintView& view, const QuantizedOperand& operand, int64_t axis) {
  return view.facts().describe(*view.graph().find_node(operand.node)) + " has its output channels on axis " +
         std::to_string(axis);
}

// True except for a ConvTranspose in ONNX Runtime, which computes it in float whatever the axis.
bool concerns(const LintView& view, const QuantizedOperand& operand) {
  return view.target().engine.pairs_in_front_suffice ||
         view.facts().kind(*view.graph().find_node(operand.node)) != OpKind::ConvTranspose;
}

/// True when the engine assumes axis 1 for a missing axis. Source: tried in ONNX Runtime 1.30; onnx-tensorrt,
/// QuantDequantLinearHelper: 0 for scales per channel in 8.x and 9.x, 1 from opset 13 on in main after 10.13.
bool reads_default(const Target& target) { return target.default_axis_is_1; }

// Returns the reader whose output channels lie on another axis than the written one; nullptr when there is none.
const QuantizedOperand* wrong_reader(const LintView& view, const QdqNode& node) {
  if (node.role != QdqRole::Weight || !node.per_channel() || node.block > 0 || !node.axis) return nullptr;
  for (const QuantizedOperand* operand : view.operands_of(static_cast<int>(&node - view.reading().nodes.data()))) {
    const auto axis = channel_axis(view, *operand);
    if (!axis || !concerns(view, *operand)) continue;
    const int64_t written = *node.axis < 0 ? *node.axis + static_cast<int64_t>(rank_of(view, *operand)) : *node.axis;
    if (written != *axis) return operand;
  }
  return nullptr;
}

}  // namespace

void missing_axis(const LintView& view, FindingLog& log) {
  constexpr int64_t kDefault = 1;  // ONNX's
  for (const int index : nodes_where(view, [](const QdqNode& node) {
         return node.role == QdqRole::Weight && node.per_channel() && node.block == 0 && !node.axis;
       })) {
    for (const QuantizedOperand* operand : view.operands_of(index)) {
      const auto axis = channel_axis(view, *operand);
      if (!axis || !concerns(view, *operand)) continue;
      if (reads_default(view.target()) && *axis == kDefault) continue;
      log.add(view.qdq(index).name,
              subject(view, index) + " has a scale for each channel and no axis: ONNX assumes axis 1" +
                  (reads_default(view.target()) ? "; " : ", older parsers of TensorRT assume 0; ") +
                  operator_and_axis(view, *operand, *axis),
              "write axis=" + std::to_string(*axis), view.layers_of(index));
      break;
    }
  }
}

void wrong_axis(const LintView& view, FindingLog& log) {
  for (const int index : nodes_where(view, [&](const QdqNode& node) { return wrong_reader(view, node) != nullptr; })) {
    const QuantizedOperand& reader = *wrong_reader(view, view.qdq(index));
    const int64_t axis = *channel_axis(view, reader);
    log.add(view.qdq(index).name,
            subject(view, index) + " has its scales along axis " + std::to_string(*view.qdq(index).axis) + ", but " +
                operator_and_axis(view, reader, axis) + ": engines refuse it or apply the scales to other channels",
            "compute the scales along axis " + std::to_string(axis) + " and write axis=" + std::to_string(axis),
            view.layers_of(index));
  }
}

void per_channel_activation(const LintView& view, FindingLog& log) {
  add_each(
      view, log, [](const QdqNode& node) { return node.role == QdqRole::Activation && node.per_channel(); },
      "has a scale for each channel; TensorRT takes one scale a tensor for activations",
      "calibrate one scale for the tensor");
}

}  // namespace detent::findings
