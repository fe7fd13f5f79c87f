#include "tune/weights/block_variants.h"

#include <algorithm>
#include <utility>

namespace detent {

BlockVariants::BlockVariants(const Model& model, const Target& target, PlacementOptions placement,
                             const BlockFormat& format, const BlockedWeights& weights)
    : model_(model), graph_(model.graph()), target_(target), placement_(std::move(placement)), format_(format),
      weights_(weights) {
  const PlacementPlan whole = plan({});
  for (const LayerDecision& layer : whole.layers) elements_ += layer.params;
  for (const WeightDecision& weight : whole.weights)
    if (const int64_t elements = graph_.constant(weight.value)->element_count();
        plan({{graph_.node(weight.node).name, "tried"}}).weights.size() < whole.weights.size())
      choices_.push_back({weight.node, elements});
  for (const TableDecision& table : whole.tables) {
    const auto codes = weights_.find(table.value);
    if (codes == weights_.end() || codes->second.scales.shape().rank() == 0) continue;  // float, or it costs nothing
    if (plan({{graph_.node(table.node).name, "tried"}}).tables.size() < whole.tables.size())
      choices_.push_back({table.node, graph_.constant(table.value)->element_count()});
  }
  std::ranges::sort(choices_, {}, &FloatChoice::node);
}

PlacementPlan BlockVariants::plan(const KeptFloat& kept) const {
  return make_weights_plan(graph_, target_, placement_, blocks_of(format_), {.costly = kept});
}

void BlockVariants::measure_for(std::span<const PlacementPlan> /*plans*/) {}  // codes rest on weights that are known

GraphPatch BlockVariants::patch(const PlacementPlan& plan) {
  return make_blocks_patch(graph_, plan, weights_, format_);
}

Model BlockVariants::model(const PlacementPlan& plan) { return with_blocks(model_, plan, weights_, format_); }

WeightBlocks blocks_of(const BlockFormat& format) {
  return {.bits = format.codes == DataType::Int4 ? 4 : 8, .block = format.block};
}

}  // namespace detent
