#include "half/idle_casts.h"

#include <algorithm>

namespace detent {

GraphPatch take_idle_casts(const Graph& graph, const std::set<std::string>& idle) {
  const auto is_idle = [&](const Node* node) {
    if (!node || !idle.contains(node->name)) return false;
    const Value& made = graph.value(node->output(0));
    const auto in_body = [](const Use& use) { return use.slot < 0; };
    return !made.is_output && std::ranges::none_of(made.uses, in_body);
  };
  GraphPatch patch;
  patch.reason = "take out the casts that change nothing";
  for (const Node& node : graph.nodes()) {
    if (!is_idle(&node)) continue;
    const Node* source = &node;  // of several behind one another the first
    while (is_idle(graph.producer(source->input(0)))) source = graph.producer(source->input(0));
    const std::string& name = graph.value(source->input(0)).name;
    for (const Use& use : graph.value(node.output(0)).uses)
      patch.rewire.push_back({graph.node(use.node).name, use.slot, name});
    patch.remove_nodes.push_back(node.name);
  }
  return patch;
}

}  // namespace detent
