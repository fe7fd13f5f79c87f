// TensorRT takes INT8 codes alone, with every zero point 0 and written out.

#include <algorithm>

#include "lint/findings/findings.h"
#include "lint/findings/pair_numbers.h"

namespace detent::findings {
namespace {

constexpr std::string_view kParser = "github.com/onnx/onnx-tensorrt, onnxOpImporters.cpp, QuantizeLinear";

bool is_bias(const QdqNode& node) { return node.role == QdqRole::Bias; }
bool shifted(const QdqNode& node) {
  return std::any_of(node.zero_points.begin(), node.zero_points.end(), [](int64_t point) { return point != 0; });
}

void check_missing(const LintView& view, FindingLog& log) {
  add_each(
      view, log, [](const QdqNode& node) { return !is_bias(node) && !node.has_zero_point; },
      "has no zero point; TensorRT's parser wants one, and ONNX takes its absence for UINT8",
      "write an INT8 zero point of 0 for each scale");
}

void check_uint8(const LintView& view, FindingLog& log) {
  add_each(
      view, log,
      [](const QdqNode& node) { return !is_bias(node) && node.has_zero_point && node.codes == DataType::UInt8; },
      "holds UINT8 codes, which TensorRT takes for DLA only",
      "quantize symmetrically to INT8 with zero point 0 (here: --activation int8; in onnxruntime.quantization QInt8 "
      "and "
      "ActivationSymmetric)");
}

void check_other(const LintView& view, FindingLog& log) {
  const auto behind_cast = [&](int index) {  // that has a finding of its own
    return std::ranges::any_of(view.operands_of(index), [&](const QuantizedOperand* operand) {
      return operand->cast && operand->dequantize == index;
    });
  };
  for (const int index : nodes_where(view, [](const QdqNode& node) {
         return !is_bias(node) && node.has_zero_point && node.codes != DataType::Int8 && node.codes != DataType::UInt8;
       })) {
    if (behind_cast(index)) continue;
    log.add(view.qdq(index).name,
            subject(view, index) + " holds codes of type " + std::string(name_of(view.qdq(index).codes)) +
                ", from which no INT8 kernel is made",
            "quantize to INT8", view.layers_of(index));
  }
}

void check_shifted(const LintView& view, FindingLog& log) {
  add_each(
      view, log, [](const QdqNode& node) { return !is_bias(node) && node.codes != DataType::UInt8 && shifted(node); },
      "has a zero point other than 0; TensorRT's INT8 is symmetric",
      "calibrate symmetrically: scale = amax / 127, zero point 0");
}

}  // namespace

FindingKind missing_zero_point() {
  return {"missing-zero-point", FindingLevel::Error, std::nullopt, "a pair without a zero point", kParser,
          check_missing};
}

FindingKind uint8_codes() {
  return {"uint8-codes", FindingLevel::Error, std::nullopt, "UINT8 where TensorRT takes INT8", kParser, check_uint8};
}

FindingKind other_codes() {
  return {"codes-not-8-bit",
          FindingLevel::Warning,
          FindingLevel::Warning,
          "codes of 4 or 16 bits, or 8-bit floats",
          "onnx.ai/onnx/operators/onnx__QuantizeLinear.html",
          check_other};
}

FindingKind nonzero_zero_point() {
  return {"nonzero-zero-point", FindingLevel::Error, std::nullopt, "an INT8 zero point that is not 0", kParser,
          check_shifted};
}

}  // namespace detent::findings
