#include "place/plan/restricted_plan.h"

#include <algorithm>
#include <set>

namespace detent {

namespace {

/// Collects the pairs that one node needs.
class Restriction {
 public:
  Restriction(const PlacementPlan& plan, const Graph& graph) : plan_(plan), graph_(graph) {
    for (const EdgeDecision& edge : plan.edges)
      if (edge.pair) paired_.insert(edge.value);
    for (const OutputPair& pair : plan.output_pairs) paired_.insert(pair.value);
  }

  /// Keeps the pairs of the node's data, up to the next weighted op.
  void keep_in_front_of(NodeId node) {
    for (const EdgeDecision& edge : plan_.edges) {
      if (edge.consumer != node || !seen_.insert({edge.value, false}).second) continue;
      const Node* producer = graph_.producer(edge.value);
      if (paired_.contains(edge.value))
        kept_.insert(edge.value);
      else if (producer && !plan_.find_layer(producer->id))
        keep_in_front_of(producer->id);
    }
  }

  void keep_behind(NodeId node) {
    for (const ValueId output : present(graph_.node(node).outputs)) {
      if (!seen_.insert({output, true}).second) continue;
      if (paired_.contains(output)) {
        kept_.insert(output);
        continue;
      }
      for (const Use& use : graph_.value(output).uses)
        if (!plan_.find_layer(use.node)) keep_behind(use.node);
    }
  }

  [[nodiscard]] bool keeps(ValueId value) const { return kept_.contains(value); }

 private:
  const PlacementPlan& plan_;
  const Graph& graph_;
  std::set<ValueId> paired_, kept_;
  std::set<std::pair<ValueId, bool>> seen_;
};

}  // namespace

PlacementPlan restricted_to(const PlacementPlan& plan, const Graph& graph, NodeId node) {
  Restriction restriction(plan, graph);
  restriction.keep_in_front_of(node);
  restriction.keep_behind(node);
  PlacementPlan result = plan;
  for (EdgeDecision& edge : result.edges) {
    edge.pair = edge.pair && restriction.keeps(edge.value);
    if (!edge.pair) edge.scale_group = -1;
    edge.dynamic = edge.dynamic && edge.consumer == node;
  }
  std::erase_if(result.output_pairs, [&](const OutputPair& pair) { return !restriction.keeps(pair.value); });
  std::erase_if(result.weights, [&](const WeightDecision& weight) { return weight.node != node; });
  std::erase_if(result.masked_sums, [&](const MaskedSum& masked) {
    return !restriction.keeps(masked.sum) && !restriction.keeps(masked.mask);
  });
  std::set<ValueId> ranged;
  for (const MaskedSum& masked : result.masked_sums)
    if (!restriction.keeps(masked.scores)) ranged.insert(masked.scores);
  for (const ValueId scores : ranged) result.ranged_values.push_back({scores});
  std::ranges::sort(result.ranged_values, {}, &RangedValue::value);
  for (LayerDecision& layer : result.layers) {
    layer.int8 = layer.int8 && layer.node == node;
    layer.rounded = layer.rounded && layer.node == node;
    layer.dynamic = layer.dynamic && layer.node == node;
  }
  return result;
}

}  // namespace detent
