#include "tune/weights/blocked_weights.h"

#include "core/mapped_file.h"
#include "detent/error.h"
#include "run/for_each_index.h"

namespace detent {

BlockedWeights quantize_weights(const Graph& graph, const PlacementPlan& plan, const BlockFormat& format,
                                size_t threads) {
  BlockedWeights weights;
  for (const WeightDecision& weight : plan.weights) weights.try_emplace(weight.value);
  std::vector<BlockedWeights::value_type*> entries;
  for (auto& entry : weights) entries.push_back(&entry);
  for_each_index(entries.size(), threads, [&](size_t i) {
    auto& [value, blocked] = *entries[i];
    const Tensor& weight = *graph.constant(value);
    try {
      blocked = quantize_blocks(weight, {format.codes, format.block, weight.type()});
    } catch (const Error& error) {
      throw error.in("weight '" + graph.value(value).name + "'");
    }
    let_go_of_pages(weight.raw(), weight.byte_count());
  });
  return weights;
}

Model with_blocks(const Model& model, const PlacementPlan& plan, const BlockedWeights& weights,
                  const BlockFormat& format) {
  Model quantized = model.clone();
  const GraphPatch patch = make_blocks_patch(model.graph(), plan, weights, format);
  if (!patch.add_nodes.empty()) apply_patch(quantized, patch);
  return quantized;
}

}  // namespace detent
