#include "ops/traits.h"

#include "ops/find_operator.h"

namespace detent {

const OpTraits& traits_of(const Graph& graph, const Node& node) {
  static const OpTraits unknown;
  const OperatorDef* definition = find_operator(node.domain, node.op_type, graph.opset(node.domain));
  if (!definition) definition = find_at_any_opset(node.domain, node.op_type);
  return definition ? definition->traits : unknown;
}

bool is_known(const Node& node) { return find_at_any_opset(node.domain, node.op_type) != nullptr; }

}  // namespace detent
