#include "place/plan/placement_plan.h"

#include <algorithm>
#include <map>
#include <set>

namespace detent {

std::vector<ValueId> PlacementPlan::quantized_values() const {
  std::set<ValueId> values;
  for (const EdgeDecision& edge : edges)
    if (edge.pair) values.insert(edge.value);
  for (const OutputPair& pair : output_pairs) values.insert(pair.value);
  return {values.begin(), values.end()};
}

std::vector<std::vector<ValueId>> PlacementPlan::scale_groups() const {
  std::map<int, std::set<ValueId>> groups;
  for (const EdgeDecision& edge : edges)
    if (edge.scale_group >= 0) groups[edge.scale_group].insert(edge.value);
  for (const OutputPair& pair : output_pairs)
    if (pair.scale_group >= 0) groups[pair.scale_group].insert(pair.value);
  std::vector<std::vector<ValueId>> result;
  for (const auto& [group, values] : groups) result.emplace_back(values.begin(), values.end());
  return result;
}

const EdgeDecision* PlacementPlan::find_edge(NodeId consumer, int slot) const {
  const std::pair wanted(consumer, slot);
  const auto place = [](const EdgeDecision& edge) { return std::pair(edge.consumer, edge.slot); };
  const auto found = std::ranges::lower_bound(edges, wanted, {}, place);
  return found == edges.end() || place(*found) != wanted ? nullptr : &*found;
}

const LayerDecision* PlacementPlan::find_layer(NodeId node) const {
  const auto found = std::ranges::lower_bound(layers, node, {}, &LayerDecision::node);
  return found == layers.end() || found->node != node ? nullptr : &*found;
}

}  // namespace detent
