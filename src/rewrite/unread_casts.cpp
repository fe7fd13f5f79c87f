#include "rewrite/unread_casts.h"

#include "ops/traits.h"

namespace detent {

UnreadCasts take_unread_casts(const Graph& graph) {
  UnreadCasts result;
  result.patch.reason = "take out the casts that nothing reads";
  for (const Node& node : graph.nodes()) {
    if (traits_of(graph, node).kind != OpKind::Cast) continue;
    const Value& value = graph.value(node.output(0));
    if (!value.uses.empty() || value.is_output) continue;
    result.patch.remove_nodes.push_back(node.name);
    result.nodes.insert(node.name);
  }
  return result;
}

}  // namespace detent
