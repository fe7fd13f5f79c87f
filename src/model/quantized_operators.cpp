#include <algorithm>
#include <array>

#include "model/model.h"

namespace detent {

namespace {

/// Operators that compute with codes, besides QLinear*. Source: ONNX Operators.md, ORT ContribOperators.md.
constexpr std::array<std::string_view, 8> kIntegerOperators = {
    "ConvInteger", "MatMulInteger", "MatMulIntegerToFloat",  "DynamicQuantizeLinear",
    "QGemm",       "QAttention",    "DynamicQuantizeMatMul", "ConvIntegerToFloat"};

}  // namespace

bool is_integer_operator(const Node& node) {
  return node.op_type.starts_with("QLinear") ||
         std::ranges::find(kIntegerOperators, node.op_type) != kIntegerOperators.end();
}

bool is_quantized(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) {
    return node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear" || is_integer_operator(node);
  });
}

}  // namespace detent
