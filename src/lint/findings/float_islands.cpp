//   wrong:   Conv --> AveragePool --> Q/DQ --> Conv      right:   Conv --> Q/DQ --> AveragePool --> Q/DQ --> Conv
//
// An op without weights between INT8 layers, which could run in INT8, reads floats: the layer before it writes floats,
// and the next one quantizes them.

#include <algorithm>

#include "lint/findings/findings.h"
#include "place/draft/flow.h"

namespace detent::findings {
namespace {

// True for operators without weights that have an integer kernel in ONNX Runtime. Copies follow their neighbours.
bool has_integer_kernel(OpKind kind) {
  switch (kind) {
    case OpKind::LeakyRelu:
    case OpKind::Sigmoid:
    case OpKind::Add:
    case OpKind::Mul:
    case OpKind::Concat:
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool: return true;
    default: return false;
  }
}

// True when the rules put a pair on this edge for the op, not for its neighbour.
bool belongs_in_int8(const LintView& view, const EdgeDecision& edge) {
  const GraphFacts& facts = view.facts();
  if (!edge.pair || facts.is_weighted(edge.consumer) || facts.is_constant(edge.value)) return false;
  if (view.target().engine == Engine::OnnxRuntime) return has_integer_kernel(facts.kind(edge.consumer));
  // A BatchNormalization behind a layer could be folded into it.
  if (edge.rule == RuleId::BatchNorm) return !view.layer_writing(edge.value);
  return edge.rule == RuleId::PoolingAndElementwise || edge.rule == RuleId::OpenVinoElementwise;
}

}  // namespace

void float_island(const LintView& view, FindingLog& log) {
  std::set<NodeId> named;
  for (const EdgeDecision& edge : view.given_plan().edges) {
    if (!belongs_in_int8(view, edge) || view.is_quantized(edge.consumer, edge.slot)) continue;
    if (!named.insert(edge.consumer).second) continue;
    const Node& node = view.node(edge.consumer);
    std::vector<NodeId> layers = view.layers_reading(node.output(0));
    if (const MaybeNode before = view.layer_writing(edge.value)) layers.push_back(*before);
    log.add(node.name,
            "reads '" + view.value(edge.value).name +
                "' in float between INT8 layers: the layer before it writes floats and the next one quantizes again",
            "put pairs on its inputs and behind it", layers);
  }
}

}  // namespace detent::findings
