// One scale a channel: never on activations, and on weights along the operator's output channels.
//
//   Conv 0, ConvTranspose 1, Gemm 0 with transB else 1, MatMul the last; a Transpose behind the DQ moves it.

#include <algorithm>

#include "lint/findings/findings.h"
#include "lint/findings/pair_numbers.h"

namespace detent::findings {
namespace {

// Axis of the DequantizeLinear's data that counts output channels; nullopt where no axis is right or wrong.
std::optional<int64_t> channel_axis(const LintView& view, const QuantizedOperand& operand) {
  const NodeId layer = view.graph().find_node(operand.node);
  if (layer == kNoNode || !view.found().is_weighted(layer) || view.found().weight_slot(layer) != operand.slot)
    return std::nullopt;
  const int axis = view.found().weight_axis(view.node(layer));
  if (axis < 0) return std::nullopt;
  return operand.axes.empty() ? axis : static_cast<int64_t>(operand.axes[static_cast<size_t>(axis)]);
}

size_t rank_of(const LintView& view, const QuantizedOperand& operand) {
  return view.found().weight(view.graph().find_node(operand.node)).shape().rank();
}

std::string operator_and_axis(const LintView& view, const QuantizedOperand& operand, int64_t axis) {
  return view.found().describe(view.graph().find_node(operand.node)) + " has its output channels on axis " +
         std::to_string(axis);
}

// ONNX Runtime computes a ConvTranspose in float, whatever the axis of its weight's scales.
bool concerns(const LintView& view, const QuantizedOperand& operand) {
  return view.target().engine == Engine::TensorRT ||
         view.found().kind(view.graph().find_node(operand.node)) != OpKind::ConvTranspose;
}

/// The engine takes axis 1 where none is written. Source: tried in ONNX Runtime 1.30; onnx-tensorrt,
/// QuantDequantLinearHelper: 0 for scales per channel in 8.x and 9.x, 1 from opset 13 on in main behind 10.13.
bool reads_default(const Target& target) { return target.engine == Engine::OnnxRuntime || target.version_major >= 11; }

void check_missing_channel_axes(const LintView& view, FindingLog& log) {
  constexpr int64_t kDefault = 1;  // ONNX's
  for (const int index : nodes_where(view, [](const QdqNode& node) {
         return node.role == QdqRole::Weight && node.per_channel() && node.block == 0 && !node.axis;
       })) {
    for (const QuantizedOperand* operand : view.operands_of(index)) {
      const auto axis = channel_axis(view, *operand);
      if (!axis || !concerns(view, *operand)) continue;
      if (reads_default(view.target()) && *axis == kDefault) continue;
      log.add(view.qdq(index).name,
              subject(view, index) + " has a scale for each channel and no axis: ONNX then means 1" +
                  (reads_default(view.target()) ? "; " : ", older parsers of TensorRT take 0; ") +
                  operator_and_axis(view, *operand, *axis),
              "write axis=" + std::to_string(*axis), view.layers_of(index));
      break;
    }
  }
}

// The reader whose output channels lie on another axis than the one written; nullptr when there is none.
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

void check_wrong(const LintView& view, FindingLog& log) {
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

void check_activation(const LintView& view, FindingLog& log) {
  add_each(
      view, log, [](const QdqNode& node) { return node.role == QdqRole::Activation && node.per_channel(); },
      "has a scale for each channel; TensorRT takes one scale a tensor for activations",
      "calibrate one scale for the tensor");
}

}  // namespace

FindingKind missing_axis() {
  return {"missing-axis",
          FindingLevel::Error,
          FindingLevel::Error,
          "scales per channel without an axis attribute",
          "github.com/onnx/onnx-tensorrt, onnxOpImporters.cpp; tried in ONNX Runtime 1.30",
          check_missing_channel_axes};
}

FindingKind wrong_axis() {
  return {"wrong-axis",
          FindingLevel::Error,
          FindingLevel::Error,
          "weight scales along another axis than the operator's output channels",
          "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/quantization; tried in ONNX Runtime 1.30",
          check_wrong};
}

FindingKind per_channel_activation() {
  return {"per-channel-activation",
          FindingLevel::Error,
          std::nullopt,
          "an activation with a scale for each channel",
          "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/"
          "quantized-types-explicit-quantization.html",
          check_activation};
}

}  // namespace detent::findings
