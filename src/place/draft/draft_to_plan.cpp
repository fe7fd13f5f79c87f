#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "place/draft/draft.h"
#include "place/draft/float_layers.h"
#include "place/plan/coverage.h"

namespace detent {
namespace {

// Returns the reason for an edge that no rule mentioned.
std::string silence(const GraphFacts& facts, NodeId node, ValueId value) {
  if (!facts.is_float(value)) return "carries no floats of 16 or 32 bits";
  if (facts.is_constant(value)) return "constant operand";
  if (facts.kind(node) == OpKind::ShapeOf) return facts.node(node).op_type + " reads no elements";
  if (facts.is_foreign(node)) return "plugins and operators of other domains read and write float";
  return "no rule puts a pair here: " + facts.node(node).op_type + " runs in float";
}

}  // namespace

Runs PlacementDraft::runs(NodeId node) const {
  switch (nodes_[node].layer.precision) {
    case Precision::Int8: return runs_on(width(node) == 16 ? CodeType::A16W8 : options_->type);
    case Precision::Dynamic: return Runs::Dynamic;
    case Precision::Rounded: return Runs::Rounded;
    default: return Runs::Float;
  }
}

void PlacementDraft::finish_without_weight(const Node& node, PlacementPlan& plan) const {
  if (auto layer = float_layer(facts_->graph(), node)) {
    if (const Decision& decision = nodes_[node.id].layer; decision.is_decided()) {
      layer->runs = runs(node.id);
      layer->rule = decision.rule;
      layer->reason = decision.reason;
    }
    if (layer->runs == Runs::Dynamic)  // an LSTM: W and R have scales for the rows of their gates
      for (const int slot : {1, 2}) plan.weights.push_back({node.id, slot, *node.input(slot), 1, std::nullopt, true});
    plan.layers.push_back(std::move(*layer));
  }
  if (std::string text = inner_layers_text(node); !text.empty()) plan.notes.push_back(std::move(text));
  if (const auto found = operands_.find(node.id); found != operands_.end()) {
    const auto [slot, axis, bias] = found->second;
    plan.weights.push_back(
        {node.id, slot, *node.input(slot), axis, bias < 0 ? std::nullopt : std::optional(Use{node.id, bias})});
  }
}

void PlacementDraft::finish_layers(PlacementPlan& plan) const {
  for (const Node& node : facts_->graph().nodes()) {
    if (!facts_->is_weighted(node.id)) {
      finish_without_weight(node, plan);
      continue;
    }
    const Decision& decision = nodes_[node.id].layer;
    LayerDecision layer{node.id, runs(node.id), decision.rule, decision.reason};
    if (!decision.is_decided()) layer.reason = fmt::format("no rule places it in {}", codes());
    const ValueId weight_value = *node.input(facts_->weight_slot(node.id));
    layer.params = facts_->weight(node.id).element_count();
    if (facts_->traits(node.id).bias_slot >= 0)
      layer.params += constant_elements(facts_->graph(), node.input(facts_->traits(node.id).bias_slot));
    if (layer.runs_on_codes() || nodes_[node.id].weight_quantized)
      plan.weights.push_back({node.id, facts_->weight_slot(node.id), weight_value, facts_->weight_axis(node),
                              added_bias(node.id), layer.runs == Runs::Dynamic});
    plan.layers.push_back(std::move(layer));
  }
}

void PlacementDraft::finish_edges(PlacementPlan& plan) const {
  for (const Node& node : facts_->graph().nodes()) {
    for (const int slot : facts_->data_slots(node.id)) {
      const Decision& decision = edge(node.id, slot);
      EdgeDecision edge{.value = *node.input(slot),
                        .consumer = node.id,
                        .slot = slot,
                        .rule = decision.rule,
                        .reason = decision.reason,
                        .overruled = decision.overruled};
      const bool wide = reads_wide(node.id, slot);
      if (!decision.is_int8())
        edge.reads = runs(node.id) == Runs::Dynamic ? Reads::Dynamic : Reads::Float;
      else
        edge.reads = wide == is_wide(edge.value) ? Reads::Pair : Reads::SecondPair;
      if (edge.reads == Reads::SecondPair && !facts_->is_constant(edge.value))
        edge.reason += wide ? "; converted to 16 bits" : "; converted to 8 bits";
      if (!decision.is_decided()) edge.reason = silence(*facts_, node.id, edge.value);
      plan.edges.push_back(std::move(edge));
    }
  }
  if (options_->scales != PlacementOptions::Scales::Fp16) return;
  // The pair behind such a Cast is written before it (RewriteContext::source_of), and nothing reads the Cast.
  const std::set<NodeId> inside = casts_inside_pairs(facts_->graph(), plan);
  for (EdgeDecision& edge : plan.edges)
    if (edge.reads_pair() && inside.contains(edge.consumer)) {
      edge.reads = Reads::Float;
      edge.reason = "the pair of '" + facts_->value(*facts_->node(edge.consumer).output(0)).name + "' begins here";
    }
}

/// Leaves the decisions about values with a pair, and about those whose range must be known.
void PlacementDraft::finish_values(PlacementPlan& plan) {
  plan.values = values_;
  for (const ValueId value : ranged_) plan.values.try_emplace(value);
  for (const EdgeDecision& edge : plan.edges) {
    if (!edge.reads_pair()) continue;
    plan.values[edge.value].pair = true;
    if (edge.reads == Reads::SecondPair) plan.values[edge.value].second_pair = true;
  }
  for (auto& [id, value] : plan.values) value.pair = value.pair || value.output;
  std::erase_if(plan.values, [&](const auto& one) { return !one.second.pair && !ranged_.contains(one.first); });
  const auto holds = [&](ValueId value) { return plan.values.contains(value); };
  std::ranges::copy_if(masked_sums_, std::back_inserter(plan.masked_sums), [&](const MaskedSum& masked) {
    return holds(masked.sum) && holds(masked.scores) && holds(masked.mask);
  });
  for (const MaskedSum& masked : plan.masked_sums) values_[masked.mask].mask = true;
}

std::set<ValueId> PlacementDraft::roots_of(bool ValueDecision::*mark) {
  std::set<ValueId> roots;
  for (const auto& [id, value] : values_)
    if (value.*mark) roots.insert(scale_root(id));
  return roots;
}

/// Says of all values what holds for those with one scale.
void PlacementDraft::finish_groups(PlacementPlan& plan) {
  for (const auto mark : {&ValueDecision::symmetric, &ValueDecision::near_symmetric, &ValueDecision::unsigned_codes,
                          &ValueDecision::mask}) {
    const std::set<ValueId> roots = roots_of(mark);
    for (auto& [id, value] : plan.values) value.*mark = roots.contains(scale_root(id));
  }
  // By root, in value order: group numbers depend only on these.
  std::map<ValueId, std::vector<ValueId>> members;
  for (const auto& [id, value] : plan.values) members[scale_root(id)].push_back(id);
  int groups = 0;
  for (const auto& [root, ids] : members) {
    const int group = ids.size() < 2 ? -1 : groups++;
    for (const ValueId id : ids) {
      ValueDecision& value = plan.values.at(id);
      value.scale_group = group;
      value.wide = is_wide(id);
    }
  }
}

PlacementPlan PlacementDraft::finish(const ValueShapes& shapes) {
  PlacementPlan plan;
  plan.target = &facts_->target();
  plan.type = options_->type;
  finish_layers(plan);
  finish_edges(plan);
  finish_values(plan);
  finish_groups(plan);
  for (const auto& [node, wide] : wide_nodes_) plan.wide_nodes.push_back(wide);
  plan.doubts = doubts_;
  for (const EngineDoubt& doubt : doubts_) plan.notes.push_back(doubt.reason + "; " + doubt.cure);
  plan.notes.insert(plan.notes.end(), notes_.begin(), notes_.end());
  if (std::string text = float64_text(facts_->graph(), codes()); !text.empty()) plan.notes.push_back(std::move(text));
  plan.attention = attention_;
  std::set<ValueId> activations;
  for (const EdgeDecision& edge : plan.edges)
    if (facts_->is_float(edge.value) && !facts_->is_constant(edge.value)) activations.insert(edge.value);
  count_coverage(facts_->graph(), shapes, std::vector<ValueId>(activations.begin(), activations.end()), plan);
  return plan;
}

}  // namespace detent
