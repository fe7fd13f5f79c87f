#include <algorithm>
#include <array>

#include "model/model.h"

namespace detent {

namespace {

/// Operators that only quantized graphs hold. Source: ONNX Operators.md, ORT ContribOperators.md.
constexpr std::array<std::string_view, 6> kQuantizedOperators = {"QuantizeLinear",        "DequantizeLinear",
                                                                 "DynamicQuantizeLinear", "ConvInteger",
                                                                 "MatMulInteger",         "MatMulIntegerToFloat"};

}  // namespace

bool is_quantized(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) {
    return node.op_type.starts_with("QLinear") || node.op_type == "QGemm" ||
           std::ranges::find(kQuantizedOperators, node.op_type) != kQuantizedOperators.end();
  });
}

}  // namespace detent
