#include "place/draft/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>

#include "ops/traits.h"

namespace detent {
namespace {

constexpr int kWideBits = 16;

}  // namespace

PlacementDraft::PlacementDraft(const GraphFacts& facts, const PlacementRequest& options, MeasuredFacts measured)
    : facts_(&facts), options_(&options), measured_(std::move(measured)) {
  nodes_.resize(facts.graph().nodes().size());
  for (const Node& node : facts.graph().nodes()) nodes_[node.id].edges.resize(node.inputs.size());
  for (const Value& value : facts.graph().values()) scale_parent_.push_back(value.id);
}

const std::string* PlacementDraft::why_unreached(ValueId id) const {
  if (measured_.unreached.empty()) return nullptr;
  const auto found = measured_.unreached.find(facts_->value(id).name);
  return found == measured_.unreached.end() ? nullptr : &found->second;
}

void PlacementDraft::keep_out(NodeId node, const std::string& reason) {
  if (is_out(node)) return;
  nodes_[node].out = true, nodes_[node].out_by = rule_;
  ends_ = {};
  for (const int slot : facts_->data_slots(node)) keep_float(node, slot, reason);
  // An LSTM says why it has no INT8 weights if the engine has such an operator.
  const bool recurrent = facts_->target().engine.runs_qoperators && is_recurrent(facts_->node(node));
  if (facts_->is_weighted(node) || recurrent) run_float(node, reason);
}

void PlacementDraft::run_dynamic(NodeId node, const std::string& reason) {
  if (is_out(node)) return;
  decide_layer(node, Precision::Dynamic, reason);
  keep_out(node, reason);
}

void PlacementDraft::exclude(NodeId node, const std::string& reason) {
  nodes_[node].excluded = true;
  keep_out(node, reason);
}

std::string PlacementDraft::why_out(NodeId node) const {
  if (nodes_[node].excluded) return "is excluded";
  const auto& slots = facts_->data_slots(node);
  const RuleId rule = slots.empty() ? nodes_[node].layer.rule : edge(node, slots.front()).rule;
  return rule ? "stays float by " + name_of(rule) : "stays float";
}

void PlacementDraft::decide(NodeId node, int slot, Precision precision, const std::string& reason) {
  if (slot < 0) return;
  if (!is_decided(node, slot)) return replace(node, slot, precision, reason);
  Decision& decision = edge(node, slot);
  if (decision.precision == precision || decision.rule == rule_ || decision.overruled) return;
  if (precision == Precision::Float || facts_->is_float(facts_->node(node).input(slot))) decision.overruled = rule_;
}

void PlacementDraft::replace(NodeId node, int slot, Precision precision, const std::string& reason) {
  const auto& slots = facts_->data_slots(node);
  if (std::find(slots.begin(), slots.end(), slot) == slots.end()) return;
  const MaybeValue input = facts_->node(node).input(slot);
  if (precision == Precision::Int8 && (!facts_->is_float(input) || why_unreached(*input))) return;
  Decision& decision = edge(node, slot);
  const bool turns = decision.is_decided() && decision.precision != precision && decision.rule != rule_;
  decision = {precision, rule_, reason, turns ? decision.rule : decision.overruled};
  tell(node, fmt::format("reads '{}'", facts_->value(*facts_->node(node).input(slot)).name), decision);
}

void PlacementDraft::decide_layer(NodeId node, Precision precision, const std::string& reason) {
  if (!nodes_[node].layer.is_decided()) set_layer(node, {precision, rule_, reason});
}

void PlacementDraft::set_layer(NodeId node, const Decision& decision) {
  nodes_[node].layer = decision;
  tell(node, "runs in", decision);
}

void PlacementDraft::tell(NodeId node, const std::string& what, const Decision& decision) const {
  if (!told_) return;
  *told_ += fmt::format("{}: {} {} {}: {}{}\n", decision.rule ? name_of(decision.rule) : "no rule",
                        facts_->describe(node), what, decision.is_int8() ? codes() : "float", decision.reason,
                        decision.overruled ? ", not as " + name_of(decision.overruled) + " says" : "");
}

bool PlacementDraft::is_decided(NodeId node, int slot) const {
  return slot < std::ssize(nodes_[node].edges) && edge(node, slot).is_decided();
}

bool PlacementDraft::is_pair(NodeId node, int slot) const { return slot >= 0 && edge(node, slot).is_int8(); }

bool PlacementDraft::has_pair(MaybeValue value) const {
  if (!value) return false;
  const auto& uses = facts_->value(*value).uses;
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return is_pair(use.node, use.slot); }) ||
         has_output_pair(*value);
}

size_t PlacementDraft::pair_count() const {
  auto count = static_cast<size_t>(
      std::ranges::count_if(values_, [](const auto& one) { return one.second.output.has_value(); }));
  for (const NodeDraft& node : nodes_)
    count += static_cast<size_t>(std::ranges::count_if(node.edges, &Decision::is_int8));
  return count;
}

void PlacementDraft::fix_range_of_constant(ValueId value) {
  const Tensor* constant =
      facts_->is_constant(value) && facts_->is_float(value) ? facts_->graph().constant(value) : nullptr;
  if (!constant) return;
  constexpr float kLargest = std::numeric_limits<float>::max();
  const Tensor numbers = cast(*constant, DataType::Float32);
  Range range;
  for (const float number : numbers.data<float>()) {
    range.min = std::min(range.min, std::max(number, -kLargest));  // masks may hold -inf
    range.max = std::max(range.max, std::min(number, kLargest));
  }
  fix_range(value, range);
}

void PlacementDraft::pair_output(ValueId value, const std::string& reason) {
  if (has_output_pair(value) || !facts_->is_float(value) || why_unreached(value)) return;
  values_[value].output = {rule_, reason};
}

bool PlacementDraft::is_int8(NodeId node) const { return nodes_[node].layer.is_int8(); }

ValueId PlacementDraft::scale_root(ValueId value) {
  while (scale_parent_[value] != value) {
    ValueId& parent = scale_parent_[value];
    parent = scale_parent_[parent];
    value = parent;
  }
  return value;
}

void PlacementDraft::share_scale(MaybeValue a, MaybeValue b) {
  if (!a || !b) return;
  const ValueId x = scale_root(*a), y = scale_root(*b);
  scale_parent_[std::max(x, y)] = std::min(x, y);
}

bool PlacementDraft::is_wide(MaybeValue value) const {
  if (!value) return false;
  if (options_->type == CodeType::A16W8) return true;
  const auto root = [&](ValueId at) {
    while (scale_parent_[at] != at) at = scale_parent_[at];
    return at;
  };
  const bool named = std::ranges::any_of(options_->wide_values, [&](const std::string& name) {
    const MaybeValue wanted = facts_->graph().find_value(name);
    return wanted && root(*wanted) == root(*value);
  });
  const Value& v = facts_->value(*value);
  if (named) return true;
  if (!v.is_constant && v.producer && nodes_[*v.producer].width != 0) return nodes_[*v.producer].width == kWideBits;
  const auto wide = [&](const Use& use) { return use.slot >= 0 && nodes_[use.node].width == kWideBits; };
  const auto narrow = [&](const Use& use) { return is_pair(use.node, use.slot) && !wide(use); };
  return std::ranges::any_of(v.uses, wide) && !(v.is_constant && std::ranges::any_of(v.uses, narrow));
}

void PlacementDraft::widen(NodeId node, const std::string& reason) {
  nodes_[node].width = kWideBits;
  wide_nodes_[node] = {node, rule_, reason};
  if (is_int8(node)) nodes_[node].layer = {Precision::Int8, rule_, "16-bit activations: " + reason};
}

bool PlacementDraft::reads_wide(NodeId node, int slot) const {
  const int bits = options_->type == CodeType::A16W8 ? kWideBits : nodes_[node].width;
  return bits == 0 ? is_wide(facts_->node(node).input(slot)) : bits == kWideBits;
}

void PlacementDraft::explain_pairs(ValueId value, const std::string& sentence) {
  for (const Use& use : facts_->value(value).uses)
    if (is_pair(use.node, use.slot)) edge(use.node, use.slot).reason += "; " + sentence;
}

}  // namespace detent
