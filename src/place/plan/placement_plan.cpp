#include "place/plan/placement_plan.h"

#include <algorithm>
#include <map>
#include <set>

namespace detent {

std::vector<ValueId> PlacementPlan::quantized_values() const {
  const std::vector<ValueId> paired = paired_values();
  std::set<ValueId> values(paired.begin(), paired.end());
  for (const RangedValue& ranged : ranged_values) values.insert(ranged.value);
  return {values.begin(), values.end()};
}

std::vector<ValueId> PlacementPlan::paired_values() const {
  std::set<ValueId> values;
  for (const EdgeDecision& edge : edges)
    if (edge.pair) values.insert(edge.value);
  for (const OutputPair& pair : output_pairs) values.insert(pair.value);
  return {values.begin(), values.end()};
}

std::vector<ValueId> PlacementPlan::second_grids() const {
  std::set<ValueId> values;
  for (const EdgeDecision& edge : edges)
    if (reads_second_grid(edge)) values.insert(edge.value);
  return {values.begin(), values.end()};
}

std::vector<std::vector<ValueId>> PlacementPlan::scale_groups() const {
  std::map<int, std::set<ValueId>> groups;
  for (const EdgeDecision& edge : edges)
    if (edge.scale_group >= 0) groups[edge.scale_group].insert(edge.value);
  for (const OutputPair& pair : output_pairs)
    if (pair.scale_group >= 0) groups[pair.scale_group].insert(pair.value);
  for (const RangedValue& ranged : ranged_values)
    if (ranged.scale_group >= 0) groups[ranged.scale_group].insert(ranged.value);
  std::vector<std::vector<ValueId>> result;
  for (const auto& [group, values] : groups) result.emplace_back(values.begin(), values.end());
  return result;
}

DataType PlacementPlan::code_type(ValueId value, const Range& range, DataType activations) const {
  const CodeFormat& format = code_format(activations);
  if (unsigned_values.contains(value) && activations == DataType::Int8) return DataType::UInt8;
  if (!symmetric_values.contains(value) || range.min >= 0 || format.symmetric == activations) return activations;
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

const EdgeDecision* find_pair(const PlacementPlan& plan, const Graph& graph, NodeId consumer, int slot) {
  const EdgeDecision* edge = plan.find_edge(consumer, slot);
  while (edge && !edge->pair && edge->rule && edge->rule->moves_pairs_up) {
    const Node* copy = graph.producer(edge->value);
    edge = copy ? plan.find_edge(copy->id, 0) : nullptr;
  }
  return edge && edge->pair ? edge : nullptr;
}

const LayerDecision* PlacementPlan::find_layer(NodeId node) const {
  const auto found = std::ranges::lower_bound(layers, node, {}, &LayerDecision::node);
  return found == layers.end() || found->node != node ? nullptr : &*found;
}

}  // namespace detent
