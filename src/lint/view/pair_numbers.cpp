#include "lint/view/pair_numbers.h"

#include <fmt/core.h>

#include <algorithm>

namespace detent::findings {

std::vector<int> nodes_where(const LintView& view, const std::function<bool(const QdqNode&)>& flawed) {
  std::set<int> second_halves;
  for (const QuantizedOperand& operand : view.reading().operands)
    if (operand.quantize >= 0 && operand.dequantize >= 0 && flawed(view.qdq(operand.quantize)))
      second_halves.insert(operand.dequantize);
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(view.reading().nodes.size()); ++i)
    if (flawed(view.qdq(i)) && !second_halves.contains(i)) found.push_back(i);
  return found;
}

std::string subject(const LintView& view, int index) {
  const QdqRole role = view.qdq(index).role;
  for (const QuantizedOperand* operand : view.operands_of(index)) {
    const MaybeNode node = view.graph().find_node(operand->node);
    if (!node) continue;
    if (role == QdqRole::Weight) return "the weight of " + view.facts().describe(*node);
    if (role == QdqRole::Bias) return "the bias of " + view.facts().describe(*node);
    const MaybeValue value = view.node(*node).input(operand->slot);
    return "the pair on '" + (!value ? "" : view.value(*value).name) + "'";
  }
  return view.qdq(index).quantizes ? "this QuantizeLinear" : "this DequantizeLinear";
}

std::string number_text(double value) { return fmt::format("{:.4g}", value); }

void add_each(const LintView& view, FindingLog& log, const std::function<bool(const QdqNode&)>& flawed,
              const std::string& message, const std::string& cure) {
  for (const int index : nodes_where(view, flawed))
    log.add(view.qdq(index).name, subject(view, index) + " " + message, cure, view.layers_of(index));
}

}  // namespace detent::findings
