#include "model/qoperators.h"

#include <algorithm>
#include <array>

namespace detent {

namespace {

/// Such operators besides QLinear*.
constexpr std::array<std::string_view, 8> kQOperators = {
    "ConvInteger", "MatMulInteger", "MatMulIntegerToFloat",  "DynamicQuantizeLinear",
    "QGemm",       "QAttention",    "DynamicQuantizeMatMul", "ConvIntegerToFloat"};

}  // namespace

bool is_qoperator(const Node& node) {
  return node.op_type.starts_with("QLinear") || std::ranges::find(kQOperators, node.op_type) != kQOperators.end();
}

bool is_quantized(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) {
    return node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear" || is_qoperator(node);
  });
}

}  // namespace detent
