#include "prepare/forward_constants.h"

#include <algorithm>
#include <map>

namespace detent {

GraphPatch find_constant_identities(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "read constants without the Identity between";
  std::map<ValueId, ValueId> source;  // what an Identity writes -> the constant that it copies
  for (const Node& node : graph.nodes()) {
    if (node.op_type != "Identity" || !node.domain.empty() || node.input(0) == kNoValue || node.output(0) == kNoValue)
      continue;
    const auto chained = source.find(node.input(0));
    const ValueId constant = chained == source.end() ? node.input(0) : chained->second;
    const Value& written = graph.value(node.output(0));
    const bool in_subgraph = std::ranges::any_of(written.uses, [](const Use& use) { return use.slot < 0; });
    if (!graph.value(constant).is_constant || written.is_output || in_subgraph) continue;
    source.emplace(written.id, constant);
    patch.remove_nodes.push_back(node.name);
  }
  for (const auto& [copy, constant] : source)
    for (const Use& use : graph.value(copy).uses)
      if (!source.contains(graph.node(use.node).output(0)))
        patch.rewire.push_back({graph.node(use.node).name, use.slot, graph.value(constant).name});
  return patch;
}

size_t forward_constants(Model& model) {
  const GraphPatch patch = find_constant_identities(model.graph());
  if (!patch.remove_nodes.empty()) apply_patch(model, patch);
  return patch.remove_nodes.size();
}

}  // namespace detent
