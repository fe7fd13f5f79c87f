#include "place/plan/placement_plan.h"

#include <algorithm>
#include <map>
#include <ranges>

namespace detent {

std::vector<ValueId> PlacementPlan::quantized_values() const {
  const auto ids = std::views::keys(values);
  return {ids.begin(), ids.end()};
}

std::vector<ValueId> PlacementPlan::paired_values() const {
  std::vector<ValueId> paired;
  for (const auto& [id, value] : values)
    if (value.pair) paired.push_back(id);
  return paired;
}

const ValueDecision& PlacementPlan::about(ValueId value) const {
  static const ValueDecision none;
  const auto found = values.find(value);
  return found == values.end() ? none : found->second;
}

CodeType PlacementPlan::codes_of(const EdgeDecision& edge) const {
  const bool wide = about(edge.value).wide != (edge.reads == Reads::SecondPair);
  return edge.reads_pair() && wide ? CodeType::A16W8 : type;
}

std::vector<std::vector<ValueId>> PlacementPlan::scale_groups() const {
  std::map<int, std::vector<ValueId>> groups;
  for (const auto& [id, value] : values)
    if (value.scale_group >= 0) groups[value.scale_group].push_back(id);
  const auto members = std::views::values(groups);
  return {members.begin(), members.end()};
}

std::vector<std::vector<ValueId>> PlacementPlan::range_units() const {
  std::vector<std::vector<ValueId>> units = scale_groups();
  for (const auto& [id, value] : values)
    if (value.scale_group < 0) units.push_back({id});
  std::ranges::sort(units);
  return units;
}

void PlacementPlan::take_pairs(const std::function<bool(ValueId)>& of) {
  for (EdgeDecision& edge : edges)
    if (edge.reads_pair() && of(edge.value)) edge.reads = Reads::Float;
  std::erase_if(values, [&](const auto& one) { return one.second.pair && of(one.first); });
}

bool is_near_symmetric(const Range& range) {
  constexpr float kMostSteps = 1.25F;  // 2 dB more noise of that value at most (src/decisions/place.md)
  return 2 * range.amax() <= kMostSteps * (range.max - range.min);
}

DataType PlacementPlan::code_type(ValueId value, const Range& range, DataType activations) const {
  const CodeFormat& format = code_format(activations);
  const ValueDecision& decision = about(value);
  if (decision.unsigned_codes && activations == DataType::Int8) return DataType::UInt8;
  const bool near = decision.near_symmetric && !decision.unsigned_codes && is_near_symmetric(range);
  if ((!decision.symmetric && !near) || range.min >= 0 || format.symmetric == activations) return activations;
  const bool moved =
      range.given_scale > 0 && range.given_zero_point >= 0 && range.given_zero_point != 1 << (format.bits - 1);
  return moved ? activations : format.symmetric;
}

const EdgeDecision* PlacementPlan::find_edge(NodeId consumer, int slot) const {
  const std::pair wanted(consumer, slot);
  const auto place = [](const EdgeDecision& edge) { return std::pair(edge.consumer, edge.slot); };
  const auto found = std::ranges::lower_bound(edges, wanted, {}, place);
  return found == edges.end() || place(*found) != wanted ? nullptr : &*found;
}

bool PlacementPlan::only_pairs_read(const Value& value) const {
  const auto reads_pair = [&](const Use& use) {
    const EdgeDecision* edge = use.slot < 0 ? nullptr : find_edge(use.node, use.slot);
    return edge && edge->reads_pair();
  };
  return (value.is_output ? about(value.id).output.has_value() : !value.uses.empty()) &&
         std::ranges::all_of(value.uses, reads_pair);
}

const EdgeDecision* find_pair(const PlacementPlan& plan, const Graph& graph, NodeId consumer, int slot) {
  const EdgeDecision* edge = plan.find_edge(consumer, slot);
  while (edge && !edge->reads_pair() && edge->rule && edge->rule->moves_pairs_up) {
    const Node* copy = graph.producer(edge->value);
    edge = copy ? plan.find_edge(copy->id, 0) : nullptr;
  }
  return edge && edge->reads_pair() ? edge : nullptr;
}

const LayerDecision* PlacementPlan::find_layer(NodeId node) const {
  const auto found = std::ranges::lower_bound(layers, node, {}, &LayerDecision::node);
  return found == layers.end() || found->node != node ? nullptr : &*found;
}

}  // namespace detent
