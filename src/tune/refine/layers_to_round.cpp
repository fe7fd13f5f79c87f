#include "tune/refine/layers_to_round.h"

#include <algorithm>

#include "exec/runnable_part.h"
#include "rewrite/qdq_inserter.h"

namespace detent {

namespace {

class Finder {
 public:
  Finder(const Graph& graph, const PlacementPlan& plan, const std::map<ValueId, Range>& ranges,
         const RewriteOptions& format)
      : graph_(graph), plan_(plan), runnable_(graph), rewrite_(make_qdq_patch(graph, plan, ranges, format, &memo_)) {}

  std::optional<RoundedWeight> find(ValueId value) const {
    RoundedWeight weight{.value = value};
    for (const WeightDecision& decision : plan_.weights)
      if (decision.value == value && !add_reader(decision, weight)) return std::nullopt;
    const auto entries = memo_.entries_of(value);
    if (entries.size() != 1 || graph_.value(value).uses.size() != weight.readers.size()) return std::nullopt;
    weight.axis = entries[0].first;
    weight.options = entries[0].second->options;
    weight.nearest = entries[0].second->quantized;
    return weight;
  }

 private:
  bool add_reader(const WeightDecision& decision, RoundedWeight& weight) const {
    const auto matrix = layer_matrix(graph_, decision);
    if (!matrix || (!weight.readers.empty() && *matrix != weight.matrix)) return false;
    weight.matrix = *matrix;
    const int slot = decision.slot == 0 ? 1 : 0;
    const ValueId input = graph_.node(decision.node).input(slot);
    if (input == kNoValue || graph_.value(input).is_constant || !runnable_.can_run(input)) return false;
    const EdgeDecision* edge = plan_.find_edge(decision.node, slot);
    std::optional<QParams> grid;
    const auto found = std::ranges::find(rewrite_.values, input, &QuantizedValue::value);
    if (edge && edge->pair && found != rewrite_.values.end()) grid = found->qparams;
    weight.readers.push_back({decision, input, std::move(grid)});
    return true;
  }

  const Graph& graph_;
  const PlacementPlan& plan_;
  RunnablePart runnable_;
  WeightMemo memo_;
  Rewrite rewrite_;
};

}  // namespace

std::vector<RoundedWeight> weights_to_round(const Graph& graph, const PlacementPlan& plan,
                                            const std::map<ValueId, Range>& ranges, const RewriteOptions& format,
                                            int64_t most_columns) {
  const Finder finder(graph, plan, ranges, format);
  std::vector<RoundedWeight> weights;
  for (const WeightDecision& decision : plan.weights) {
    if (std::ranges::find(weights, decision.value, &RoundedWeight::value) != weights.end()) continue;
    auto weight = finder.find(decision.value);
    if (weight && weight->matrix.columns <= most_columns) weights.push_back(std::move(*weight));
  }
  return weights;
}

}  // namespace detent
