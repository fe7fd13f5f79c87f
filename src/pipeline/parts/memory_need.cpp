#include "pipeline/parts/memory_need.h"

#include <algorithm>
#include <set>

#include "core/memory_limit.h"
#include "detent/error.h"
#include "ops/traits.h"
#include "run/workers.h"

namespace detent {

namespace {

bool is_product(OpKind kind) {
  return kind == OpKind::MatMul || kind == OpKind::Gemm || kind == OpKind::Conv || kind == OpKind::ConvTranspose;
}

/// Products cannot work in place: what they read and what they write is there at the same time.
uint64_t bytes_around(const Graph& graph, const Node& node, const ValueShapes& shapes) {
  std::set<ValueId> values(node.inputs.begin(), node.inputs.end());
  values.insert(node.outputs.begin(), node.outputs.end());
  uint64_t bytes = 0;
  for (const ValueId value : values) {
    const auto shape = shapes.find(value);
    if (shape == shapes.end() || graph.value(value).is_constant) continue;
    bytes += static_cast<uint64_t>(shape->second.element_count()) * sizeof(float);
  }
  return bytes;
}

/// Every sample is as large as the first: the model says all sizes but that of the batch.
bool has_one_size(const Graph& graph) {
  return std::ranges::all_of(graph.inputs(), [&](ValueId input) {
    const auto& shape = graph.value(input).declared_shape;
    return shape && std::ranges::count(*shape, -1) == (!shape->empty() && shape->front() == -1 ? 1 : 0);
  });
}

}  // namespace

MemoryNeed memory_need(const Graph& graph, const ValueShapes& shapes, const PlacementPlan& plan,
                       const RewriteOptions& format, const DataSource* samples, const RunSettings& settings) {
  MemoryNeed need;
  std::set<ValueId> weights;
  for (const WeightDecision& weight : plan.weights)
    if (const Tensor* tensor = graph.constant(weight.value);
        format.int8_weights && tensor && weights.insert(weight.value).second)
      need.codes += static_cast<uint64_t>(tensor->element_count());
  if (!samples) return need;
  for (const Node& node : graph.nodes())
    if (is_product(traits_of(graph, node).kind)) need.values = std::max(need.values, bytes_around(graph, node, shapes));
  if (has_one_size(graph))
    need.workers = std::clamp<uint64_t>(samples->size() / samples->batch(), 1, worker_count(settings));
  return need;
}

void check_memory_need(const MemoryNeed& need, const std::string& model) {
  if (memory_has_room(need.bytes())) return;
  const uint64_t limit = memory_limit();
  const uint64_t fitting = need.values > 0 && limit > need.codes ? (limit - need.codes) / need.values : 0;
  const std::string workers = need.workers == 1 ? "" : std::to_string(need.workers) + " threads x ";
  throw Error(ErrorCode::InvalidData,
              model + ": takes " + memory_text(need.bytes()) + " at least: " + memory_text(need.codes) +
                  " of INT8 weights and " + workers + memory_text(need.values) +
                  " for the values of its largest layer; the limit is " + memory_text(limit) + " (--max-memory)",
              fitting >= 1 && fitting < need.workers ? "--threads " + std::to_string(fitting) + " leaves more room"
                                                     : "a machine with more free memory is needed, or smaller inputs");
}

}  // namespace detent
