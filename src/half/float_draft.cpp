#include "half/float_draft.h"

#include <fmt/core.h>

#include <algorithm>

#include "ops/traits.h"

namespace detent {

FloatDraft::FloatDraft(const Graph& graph, const FloatFormat& format, const ValueReaches& reaches)
    : graph_(graph), format_(format), reaches_(reaches) {}

OpKind FloatDraft::kind(const Node& node) const { return traits_of(graph_, node).kind; }

const ValueReach* FloatDraft::reach(ValueId value) const {
  const auto found = reaches_.find(value);
  return found == reaches_.end() ? nullptr : &found->second;
}

bool FloatDraft::is_float(ValueId value) const {
  if (value == kNoValue) return false;
  if (!graph_.value(value).is_constant) return reach(value) != nullptr;
  const Tensor* constant = graph_.constant(value);
  return constant && constant->type() == DataType::Float32;
}

int64_t FloatDraft::elements(ValueId value) const {
  if (const Tensor* constant = graph_.constant(value)) return constant->shape().element_count();
  const ValueReach* measured = reach(value);
  return measured ? std::max<int64_t>(1, static_cast<int64_t>(measured->elements)) : 1;
}

bool FloatDraft::concerns(const Node& node) const {
  const auto is_float_value = [&](ValueId value) { return is_float(value); };
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
  if (value.producer != kNoNode) keep_node(value.producer);
  for (const Use& use : value.uses) keep_node(use.node);
}

FloatPlan FloatDraft::take() {
  FloatPlan plan{format_, NodeMap<DataType>(graph_.nodes().size(), DataType::Undefined), {}};
  for (const Node& node : graph_.nodes())
    if (concerns(node)) plan.types[node.id] = is_kept(node.id) ? DataType::Float32 : format_.type;
  for (auto& [node, exception] : kept_) plan.exceptions.push_back(std::move(exception));
  return plan;
}

std::string reaches_text(const Graph& graph, ValueId value, double amax) {
  return fmt::format("'{}' reaches {:.5g}", graph.value(value).name, amax);
}

}  // namespace detent
