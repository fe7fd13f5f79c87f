#include "prepare/sums_of_two.h"

namespace detent {

bool is_sum_of_two(const Node& node) {
  return node.op_type == "Sum" && node.domain.empty() && node.inputs.size() == 2 && node.input(0) != kNoValue &&
         node.input(1) != kNoValue && node.output(0) != kNoValue;
}

GraphPatch find_sums_of_two(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "make an Add of each Sum of two";
  for (const Node& node : graph.nodes()) {
    if (!is_sum_of_two(node)) continue;
    const auto name = [&](ValueId value) { return graph.value(value).name; };
    patch.remove_nodes.push_back(node.name);
    patch.add_nodes.push_back(
        {"Add", node.name, {name(node.input(0)), name(node.input(1))}, {name(node.output(0))}, {}, ""});
  }
  return patch;
}

size_t make_adds_of_sums(Model& model) {
  const GraphPatch patch = find_sums_of_two(model.graph());
  if (!patch.remove_nodes.empty()) apply_patch(model, patch);
  return patch.remove_nodes.size();
}

}  // namespace detent
