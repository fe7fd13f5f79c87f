// TensorRT takes INT8 codes alone, with every zero point 0; up to 8.6 it has to be written out. From version 11 on (its
// parser since 10.15) UINT8 zero points of 0 are read as INT8, with no more than a line in the parser's log.

#include <algorithm>

#include "lint/findings/findings.h"
#include "lint/findings/pair_numbers.h"
#include "lint/view/tensorrt_layers.h"

namespace detent::findings {
namespace {

constexpr std::string_view kParser = "github.com/onnx/onnx-tensorrt, onnxOpImporters.cpp, QuantizeLinear";

bool is_int16(DataType type) { return type == DataType::Int16 || type == DataType::UInt16; }
bool is_bias(const QdqNode& node) { return node.role == QdqRole::Bias; }
bool shifted(const QdqNode& node) {
  return std::any_of(node.zero_points.begin(), node.zero_points.end(), [](int64_t point) { return point != 0; });
}

void check_missing_zero_points(const LintView& view, FindingLog& log) {
  const bool optional = view.target().version_major >= 10;
  // A constant of codes says itself what they are, and where it is a weight alone no INT8 kernel asks for a zero point.
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
                (optional
                     ? " has no zero point: ONNX takes that for UINT8, TensorRT for INT8, and codes beyond 127 are lost"
                     : " has no zero point; TensorRT's parser wants one, and ONNX takes its absence for UINT8"),
            "write an INT8 zero point of 0 for each scale", view.layers_of(index));
  }
}

constexpr const char* kSymmetric =
    "quantize symmetrically to INT8 with zero point 0 (here: --activation int8; in onnxruntime.quantization QInt8 and "
    "ActivationSymmetric)";

void check_uint8(const LintView& view, FindingLog& log) {
  const auto refused = [&](const QdqNode& node) {
    return !is_bias(node) && node.has_zero_point && node.codes == DataType::UInt8 && !is_read_as_int8(view, node);
  };
  add_each(view, log, refused, "holds UINT8 codes, which TensorRT takes for DLA only", kSymmetric);
}

void check_read_as_int8(const LintView& view, FindingLog& log) {
  add_each(
      view, log, [&](const QdqNode& node) { return !is_bias(node) && is_read_as_int8(view, node); },
      "has a UINT8 zero point, which TensorRT reads as INT8: what is larger than 127 times the scale is cut off",
      kSymmetric);
}

void check_int16(const LintView& view, FindingLog& log) {
  add_each(
      view, log, [](const QdqNode& node) { return !is_bias(node) && is_int16(node.codes); },
      "holds codes of 16 bits, a type that TensorRT's parser does not take", "quantize to INT8");
}

void check_other(const LintView& view, FindingLog& log) {
  const auto behind_cast = [&](int index) {  // that has a finding of its own
    return std::ranges::any_of(view.operands_of(index), [&](const QuantizedOperand* operand) {
      return operand->cast && operand->dequantize == index;
    });
  };
  for (const int index : nodes_where(view, [](const QdqNode& node) {
         return !is_bias(node) && !node.is_weight_alone() && node.has_zero_point && node.codes != DataType::Int8 &&
                node.codes != DataType::UInt8 && !is_fp8(node);
       })) {
    if (behind_cast(index) || (view.target().strongly_typed && is_int16(view.qdq(index).codes))) continue;
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
  return {"missing-zero-point",     FindingLevel::Error, std::nullopt, "a pair without a zero point", kParser,
          check_missing_zero_points};
}

FindingKind uint8_codes() {
  return {"uint8-codes", FindingLevel::Error, std::nullopt, "UINT8 where TensorRT takes INT8", kParser, check_uint8};
}

FindingKind uint8_zero_point() {
  return {"uint8-zero-point",
          FindingLevel::Warning,
          std::nullopt,
          "a UINT8 zero point, read as INT8",
          "github.com/onnx/onnx-tensorrt, onnxOpImporters.cpp, QuantDequantLinearHelper, main behind 10.13",
          check_read_as_int8,
          FindingScope::TypedPairs};
}

FindingKind int16_codes() {
  return {"int16-codes",
          FindingLevel::Error,
          std::nullopt,
          "codes of 16 bits",
          "github.com/onnx/onnx-tensorrt, onnxOpImporters.cpp, QuantDequantLinearHelper, main behind 10.13",
          check_int16,
          FindingScope::TypedPairs};
}

FindingKind other_codes() {
  return {"codes-not-8-bit",
          FindingLevel::Warning,
          FindingLevel::Warning,
          "codes of 4 or 16 bits, or floats other than float8e4m3fn",
          "onnx.ai/onnx/operators/onnx__QuantizeLinear.html",
          check_other};
}

FindingKind nonzero_zero_point() {
  return {"nonzero-zero-point", FindingLevel::Error, std::nullopt, "an INT8 zero point that is not 0", kParser,
          check_shifted};
}

}  // namespace detent::findings
