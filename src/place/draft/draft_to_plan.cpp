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

void PlacementDraft::finish_without_weight(const Node& node, PlacementPlan& plan) const {
  if (auto layer = float_layer(facts_->graph(), node)) {
    if (const Decision& decision = layers_[node.id]; decision.is_decided()) {
      layer->int8 = decision.is_int8();
      layer->rule = decision.rule;
      layer->reason = decision.reason;
    }
    plan.layers.push_back(std::move(*layer));
  }
  if (std::string text = inner_layers_text(node); !text.empty()) plan.notes.push_back(std::move(text));
  if (const auto found = operands_.find(node.id); found != operands_.end()) {
    const auto [slot, bias] = found->second;
    plan.weights.push_back(
        {node.id, slot, *node.input(slot), -1, bias < 0 ? std::nullopt : std::optional(Use{node.id, bias})});
  }
}

void PlacementDraft::finish_layers(PlacementPlan& plan) const {
  for (const Node& node : facts_->graph().nodes()) {
    if (!facts_->is_weighted(node.id)) {
      finish_without_weight(node, plan);
      continue;
    }
    const Decision& decision = layers_[node.id];
    LayerDecision layer{node.id, decision.is_int8(), decision.rule, decision.reason};
    layer.rounded = rounded_[node.id];
    layer.dynamic = dynamic_[node.id];
    if (!decision.is_decided()) layer.reason = fmt::format("no rule places it in {}", codes());
    const ValueId weight_value = *node.input(facts_->weight_slot(node.id));
    layer.params = facts_->weight(node.id).element_count();
    if (facts_->traits(node.id).bias_slot >= 0)
      layer.params += constant_elements(facts_->graph(), node.input(facts_->traits(node.id).bias_slot));
    if (layer.int8 || weight_quantized_[node.id])
      plan.weights.push_back({node.id, facts_->weight_slot(node.id), weight_value, facts_->weight_axis(node),
                              added_bias(node.id), layer.dynamic});
    plan.layers.push_back(std::move(layer));
  }
}

void PlacementDraft::finish_edges(PlacementPlan& plan) const {
  for (const Node& node : facts_->graph().nodes()) {
    for (const int slot : facts_->data_slots(node.id)) {
      const Decision& decision = edge(node.id, slot);
      EdgeDecision edge{*node.input(slot), node.id,         slot,  decision.is_int8(), -1,
                        decision.rule,     decision.reason, false, decision.overruled, dynamic_[node.id]};
      if (!decision.is_decided()) edge.reason = silence(*facts_, node.id, edge.value);
      plan.edges.push_back(std::move(edge));
    }
  }
  plan.output_pairs = output_pairs_;
  if (options_->scales != PlacementOptions::Scales::Fp16) return;
  // The pair behind such a Cast is written before it (RewriteContext::source_of), and nothing reads the Cast.
  const std::set<NodeId> inside = casts_inside_pairs(facts_->graph(), plan);
  for (EdgeDecision& edge : plan.edges)
    if (edge.pair && inside.contains(edge.consumer)) {
      edge.pair = false;
      edge.reason = "the pair of '" + facts_->value(*facts_->node(edge.consumer).output(0)).name + "' begins here";
    }
}

void PlacementDraft::finish_ranged(PlacementPlan& plan) const {
  const std::vector<ValueId> paired = plan.paired_values();
  for (const ValueId value : std::set<ValueId>(ranged_.begin(), ranged_.end()))
    if (!std::ranges::binary_search(paired, value) && !why_unreached(value)) plan.ranged_values.push_back({value});
}

void PlacementDraft::finish_groups(PlacementPlan& plan) {
  // By root, in value order: group numbers depend only on these.
  std::map<ValueId, std::set<ValueId>> members;
  for (const ValueId value : plan.quantized_values()) members[scale_root(value)].insert(value);
  std::map<ValueId, int> group_of;
  int next = 0;
  for (const auto& [root, values] : members) {
    if (values.size() < 2) continue;
    for (const ValueId value : values) group_of[value] = next;
    ++next;
  }
  const auto group = [&](ValueId value) {
    const auto found = group_of.find(value);
    return found == group_of.end() ? -1 : found->second;
  };
  for (EdgeDecision& edge : plan.edges)
    if (edge.pair) edge.scale_group = group(edge.value);
  for (OutputPair& pair : plan.output_pairs) pair.scale_group = group(pair.value);
  for (RangedValue& ranged : plan.ranged_values) ranged.scale_group = group(ranged.value);
}

void PlacementDraft::finish_wide(PlacementPlan& plan) const {
  if (options_->type != CodeType::A16W8)
    for (const ValueId value : plan.quantized_values())
      if (is_wide(value)) plan.wide_values.insert(value);
  for (EdgeDecision& edge : plan.edges) {
    edge.wide = edge.pair && reads_wide(edge.consumer, edge.slot);
    if (plan.reads_second_grid(edge) && !facts_->is_constant(edge.value))
      edge.reason += edge.wide ? "; converted to 16 bits" : "; converted to 8 bits";
  }
  for (LayerDecision& layer : plan.layers) layer.wide = layer.int8 && width(layer.node) == 16;
  for (const auto& [node, wide] : wide_nodes_) plan.wide_nodes.push_back(wide);
}

bool PlacementDraft::shares_scale_with(const std::vector<ValueId>& values, ValueId value) {
  const ValueId root = scale_root(value);
  return std::ranges::any_of(values, [&](ValueId one) { return scale_root(one) == root; });
}

void PlacementDraft::finish_symmetric(PlacementPlan& plan) {
  if (symmetric_.empty() && unsigned_.empty()) return;
  for (const ValueId value : plan.quantized_values()) {
    if (is_symmetric(value)) plan.symmetric_values.insert(value);
    if (shares_scale_with(unsigned_, value)) plan.unsigned_values.insert(value);
  }
}

void PlacementDraft::finish_ranges(PlacementPlan& plan) const {
  const std::vector<ValueId> values = plan.quantized_values();
  const auto paired = [&](const FixedRange& range) {
    return std::binary_search(values.begin(), values.end(), range.value);
  };
  std::copy_if(fixed_ranges_.begin(), fixed_ranges_.end(), std::back_inserter(plan.fixed_ranges), paired);
  std::copy_if(range_limits_.begin(), range_limits_.end(), std::back_inserter(plan.range_limits), paired);
  const auto holds = [&](ValueId value) { return std::ranges::binary_search(values, value); };
  std::ranges::copy_if(masked_sums_, std::back_inserter(plan.masked_sums), [&](const MaskedSum& masked) {
    return holds(masked.sum) && holds(masked.scores) && holds(masked.mask);
  });
}

PlacementPlan PlacementDraft::finish(const ValueShapes& shapes) {
  PlacementPlan plan;
  plan.target = &facts_->target();
  plan.type = options_->type;
  finish_layers(plan);
  finish_edges(plan);
  finish_ranged(plan);
  finish_groups(plan);
  finish_wide(plan);
  finish_symmetric(plan);
  finish_ranges(plan);
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
