// TensorRT takes only INT8 codes with zero points of 0; up to 8.6 the zero point must be written. From version 11 on
// (its parser since 10.15) UINT8 zero points of 0 are read as INT8, with only a line in the parser's log.

#include <algorithm>

#include "lint/findings/findings.h"
#include "lint/findings/pair_numbers.h"
#include "lint/view/tensorrt_layers.h"

namespace detent::findings {
namespace {

bool is_int16(DataType type) { return type == DataType::Int16 || type == DataType::UInt16; }
bool is_bias(const QdqNode& node) { return node.role == QdqRole::Bias; }
bool shifted(const QdqNode& node) {
  return std::any_of(node.zero_points.begin(), node.zero_points.end(), [](int64_t point) { return point != 0; });
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
      view, log, [](const QdqNode& node) { return !is_bias(node) && is_int16(node.codes); },
      "holds codes of 16 bits, which TensorRT's parser does not take", "quantize to INT8");
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
    if (behind_cast(index) || (view.target().strongly_typed && is_int16(view.qdq(index).codes))) continue;
    log.add(view.qdq(index).name,
            subject(view, index) + " holds codes of type " + std::string(name_of(view.qdq(index).codes)) +
                ", which no INT8 kernel takes",
            "quantize to INT8", view.layers_of(index));
  }
}

void nonzero_zero_point(const LintView& view, FindingLog& log) {
  add_each(
      view, log, [](const QdqNode& node) { return !is_bias(node) && node.codes != DataType::UInt8 && shifted(node); },
      "has a zero point other than 0; TensorRT's INT8 is symmetric",
      "calibrate symmetrically: scale = amax / 127, zero point 0");
}

}  // namespace detent::findings
