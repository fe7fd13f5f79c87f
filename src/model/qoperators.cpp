#include "model/qoperators.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/text.h"
#include "detent/base/error.h"

namespace detent {

namespace {

/// Such operators besides QLinear*.
constexpr std::array<std::string_view, 9> kQOperators = {
    "ConvInteger", "MatMulInteger",         "MatMulIntegerToFloat", "DynamicQuantizeLinear", "QGemm",
    "QAttention",  "DynamicQuantizeMatMul", "ConvIntegerToFloat",   "DynamicQuantizeLSTM"};

}  // namespace

bool is_qoperator(const Node& node) {
  return node.op_type.starts_with("QLinear") || std::ranges::find(kQOperators, node.op_type) != kQOperators.end();
}

std::string integer_operators_text(const Graph& graph) {
  std::map<std::string, int> counts;
  for (const Node& node : graph.nodes())
    if (is_qoperator(node)) ++counts[node.op_type];
  if (counts.empty()) return {};
  const auto counted = [](const auto& entry) { return std::to_string(entry.second) + " " + entry.first; };
  return "integer operators (" + join(counts, ", ", counted) + ")";
}

void refuse_integer_operators(const Graph& graph, const std::string& file, const std::string& wants) {
  if (const std::string text = integer_operators_text(graph); !text.empty())
    throw Error(ErrorCode::InvalidModel, file + " holds " + text + ", but " + wants, kIntegerOperatorsCure);
}

bool is_quantized(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) {
    return node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear" || is_qoperator(node);
  });
}

const Node* find_quantized_body(const Graph& graph) {
  const auto holds_codes = [](const Node& node) {
    return std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
      const auto* held = std::get_if<std::shared_ptr<const Graph>>(&attribute.value);
      return held && *held && (is_quantized(**held) || find_quantized_body(**held));
    });
  };
  const auto found = std::ranges::find_if(graph.nodes(), holds_codes);
  return found == graph.nodes().end() ? nullptr : &*found;
}

}  // namespace detent
