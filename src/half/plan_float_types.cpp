#include "half/plan_float_types.h"

#include <algorithm>
#include <array>

#include "half/float_rules.h"
#include "ops/traits.h"

namespace detent {

OpKind FloatDraft::kind(const Node& node) const { return traits_of(graph_, node).kind; }

const ValueReach* FloatDraft::reach(MaybeValue value) const {
  const auto found = value ? reaches_.find(*value) : reaches_.end();
  return found == reaches_.end() ? nullptr : &found->second;
}

bool FloatDraft::is_float(MaybeValue value) const {
  if (!value) return false;
  if (!graph_.value(*value).is_constant) return reach(value) != nullptr;
  const Tensor* constant = graph_.constant(value);
  return constant && constant->type() == DataType::Float32;
}

int64_t FloatDraft::elements(MaybeValue value) const {
  if (const Tensor* constant = graph_.constant(value)) return constant->shape().element_count();
  const ValueReach* measured = reach(value);
  return measured ? std::max<int64_t>(1, static_cast<int64_t>(measured->elements)) : 1;
}

bool FloatDraft::makes_output(const Node& node) const {
  return kind(node) == OpKind::Cast && !is_float(node.input(0)) && graph_.value(*node.output(0)).is_output;
}

bool FloatDraft::concerns(const Node& node) const {
  if (kind(node) == OpKind::Constant || makes_output(node)) return false;
  const auto is_float_value = [&](MaybeValue value) { return is_float(value); };
  return std::ranges::any_of(node.inputs, is_float_value) || std::ranges::any_of(node.outputs, is_float_value);
}

void FloatDraft::keep(FloatException exception) {
  if (concerns(graph_.node(exception.node))) kept_.try_emplace(exception.node, std::move(exception));
}

void FloatDraft::keep_around(ValueId id, const FloatException& why) {
  const Value& value = graph_.value(id);
  const auto keep_node = [&](NodeId node) {
    FloatException exception = why;
    exception.node = node;
    keep(std::move(exception));
  };
  if (value.producer) keep_node(*value.producer);
  for (const Use& use : value.uses) keep_node(use.node);
}

FloatPlan FloatDraft::take() {
  FloatPlan plan{format_, NodeMap<DataType>(graph_.nodes().size(), DataType::Undefined), {}};
  for (const Node& node : graph_.nodes())
    if (concerns(node)) plan.types[node.id] = is_kept(node.id) ? DataType::Float32 : format_.type;
  for (auto& [node, exception] : kept_) plan.exceptions.push_back(std::move(exception));
  return plan;
}

std::span<const FloatRule> float_rules() {
  static constexpr std::array<FloatRule, 9> kRules{half::operators,      half::overflow,  half::inner_sums,
                                                   half::rounding,       half::constants, half::cancellation,
                                                   half::normalizations, half::between,   half::pairs};
  return kRules;
}

FloatPlan plan_float_types(const Graph& graph, const FloatFormat& format, const ValueReaches& reaches,
                           const ForcedFloat32& forced) {
  FloatDraft draft(graph, format, reaches);
  for (const auto& [name, why] : forced)
    if (const MaybeNode node = graph.find_node(name))
      draft.keep(
          {*node, why.rule, why.rule == "bound" ? graph.node(*node).output(0) : kNoValue, why.measured, why.reason});
  for (const FloatRule rule : float_rules()) rule(draft);
  return draft.take();
}

}  // namespace detent
