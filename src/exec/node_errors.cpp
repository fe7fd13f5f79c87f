#include "exec/node_errors.h"

namespace detent {

std::string describe_node(const Graph& graph, const Node& node) {
  return "node '" + node.name + "' (" + (node.domain.empty() ? "" : node.domain + ".") + node.op_type + ", opset " +
         std::to_string(graph.opset(node.domain)) + ")";
}

}  // namespace detent
