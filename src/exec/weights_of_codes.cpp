#include "exec/weights_of_codes.h"

#include <algorithm>

#include "ops/traits.h"

namespace detent {

bool makes_weight(const Graph& graph, const Node& node, std::initializer_list<OpKind> kinds) {
  if (node.op_type != "DequantizeLinear" || !node.domain.empty()) return false;
  if (!graph.constant(node.input(0)) || !graph.constant(node.input(1))) return false;
  const Value& weight = graph.value(*node.output(0));
  return !weight.is_output && std::ranges::all_of(weight.uses, [&](const Use& use) {
    return use.slot == 1 && std::ranges::find(kinds, traits_of(graph, graph.node(use.node)).kind) != kinds.end();
  });
}

bool unpacks_weight(const Graph& graph, const Node& node) {
  if (!makes_weight(graph, node, {OpKind::MatMul, OpKind::Gemm})) return false;
  const DataType codes = graph.constant(node.input(0))->type();
  return codes == DataType::Int4 || codes == DataType::UInt4 || node.int_or("block_size", 0) > 0;
}

uint64_t unpacked_bytes(const Graph& graph) {
  uint64_t elements = 0;
  for (const Node& node : graph.nodes())
    if (unpacks_weight(graph, node)) elements += static_cast<uint64_t>(graph.constant(node.input(0))->element_count());
  return elements * sizeof(float);
}

}  // namespace detent
