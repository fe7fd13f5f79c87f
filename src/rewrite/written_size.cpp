#include "rewrite/written_size.h"

#include <algorithm>
#include <map>
#include <set>

namespace detent {

namespace {

/// Returns the constants that only slots of quantized weights read.
std::set<ValueId> only_int8(const Graph& graph, const PlacementPlan& plan) {
  std::map<ValueId, std::set<std::pair<NodeId, int>>> readers;
  for (const WeightDecision& weight : plan.weights) readers[weight.value].insert({weight.node, weight.slot});
  std::set<ValueId> found;
  for (const auto& [id, slots] : readers) {
    const Value& value = graph.value(id);
    const auto is_quantized = [&](const Use& use) { return slots.contains({use.node, use.slot}); };
    if (!value.is_output && std::ranges::all_of(value.uses, is_quantized)) found.insert(id);
  }
  return found;
}

}  // namespace

uint64_t least_written_bytes(const Model& model, const PlacementPlan& plan, const RewriteOptions& options, bool half) {
  const Graph& graph = model.graph();
  const std::set<ValueId> int8 = options.int8_weights ? only_int8(graph, plan) : std::set<ValueId>{};
  uint64_t saved = 0;
  for (const Value& value : graph.values()) {
    const Tensor* tensor = graph.constant(value.id);
    if (!tensor) continue;
    const auto elements = static_cast<uint64_t>(tensor->element_count());
    if (int8.contains(value.id))
      saved += tensor->byte_count() - elements;
    else if (half && tensor->type() == DataType::Float32)
      saved += tensor->byte_count() - 2 * elements;
  }
  const uint64_t bytes = model.byte_size();
  return bytes - std::min(bytes, saved);
}

}  // namespace detent
