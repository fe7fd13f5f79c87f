#include "place/plan/restricted_plan.h"

#include <algorithm>
#include <set>

namespace detent {

namespace {

/// Collects the pairs that one node needs.
class Restriction {
 public:
  Restriction(const PlacementPlan& plan, const Graph& graph) : plan_(plan), graph_(graph) {}

  /// Keeps the pairs of the node's data, up to the next weighted op.
  void keep_in_front_of(NodeId node) {
    for (const EdgeDecision& edge : plan_.edges) {
      if (edge.consumer != node || !seen_.insert({edge.value, false}).second) continue;
      const Node* producer = graph_.producer(edge.value);
      if (plan_.about(edge.value).pair)
        kept_.insert(edge.value);
      else if (producer && !plan_.find_layer(producer->id))
        keep_in_front_of(producer->id);
    }
  }

  void keep_behind(NodeId node) {
    for (const ValueId output : present(graph_.node(node).outputs)) {
      if (!seen_.insert({output, true}).second) continue;
      if (plan_.about(output).pair) {
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
  std::set<ValueId> kept_;
  std::set<std::pair<ValueId, bool>> seen_;
};

}  // namespace

PlacementPlan restricted_to(const PlacementPlan& plan, const Graph& graph, NodeId node) {
  Restriction restriction(plan, graph);
  restriction.keep_in_front_of(node);
  restriction.keep_behind(node);
  PlacementPlan result = plan;
  std::erase_if(result.weights, [&](const WeightDecision& weight) { return weight.node != node; });
  std::erase_if(result.masked_sums, [&](const MaskedSum& masked) {
    return !restriction.keeps(masked.sum) && !restriction.keeps(masked.mask);
  });
  std::map<ValueId, ValueDecision> scores;
  for (const MaskedSum& masked : result.masked_sums) scores.insert(*result.values.find(masked.scores));
  result.take_pairs([&](ValueId value) { return !restriction.keeps(value); });
  for (auto& [value, decision] : scores)
    if (decision.pair) decision.pair = false, decision.scale_group = -1, decision.output.reset();
  result.values.merge(scores);  // those that are still there stay as they are
  for (LayerDecision& layer : result.layers)
    if (layer.node != node) layer.runs = Runs::Float;
  return result;
}

}  // namespace detent
