#include "half/plan_float_types.h"

#include <array>

#include "half/float_rules.h"

namespace detent {

std::span<const FloatRule> float_rules() {
  static constexpr std::array<FloatRule, 7> kRules{half::operators, half::overflow,  half::inner_sums,
                                                   half::rounding,  half::constants, half::normalizations,
                                                   half::between};
  return kRules;
}

FloatPlan plan_float_types(const Graph& graph, const FloatFormat& format, const ValueReaches& reaches,
                           const ForcedFloat32& forced) {
  FloatDraft draft(graph, format, reaches);
  for (const auto& [name, why] : forced)
    if (const NodeId node = graph.find_node(name); node != kNoNode)
      draft.keep({node, "bound", graph.node(node).output(0), why.measured, why.reason});
  for (const FloatRule rule : float_rules()) rule(draft);
  return draft.take();
}

}  // namespace detent
