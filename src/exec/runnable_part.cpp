#include "exec/runnable_part.h"

#include <algorithm>

namespace detent {

RunnablePart::RunnablePart(const Graph& graph, std::span<const ValueId> outputs)
    : can_run_(graph.values().size(), true) {
  const auto runs = [&](ValueId value) { return can_run(value); };
  for (const Node& node : graph.nodes()) {  // in execution order, so producers come first
    const std::vector<UnsupportedNode> missing = find_unsupported(graph, std::span(&node.id, 1));
    unsupported_.insert(unsupported_.end(), missing.begin(), missing.end());
    const std::vector<ValueId> captured = graph.captured_by(node);
    if (missing.empty() && std::ranges::all_of(present(node.inputs), runs) && std::ranges::all_of(captured, runs))
      continue;
    for (const ValueId output : present(node.outputs)) can_run_[output] = false;
  }
  ValueMap<bool> visited(graph.values().size(), false);
  for (const ValueId output : outputs) find_ends(graph, output, visited);
}

void RunnablePart::find_ends(const Graph& graph, ValueId value, ValueMap<bool>& visited) {
  std::vector<ValueId> open{value};
  while (!open.empty()) {
    const ValueId current = open.back();
    open.pop_back();
    if (visited[current]) continue;
    visited[current] = true;
    if (can_run(current)) {
      if (!graph.constant(current) && !graph.value(current).is_input) ends_.push_back(current);
      continue;
    }
    const auto& inputs = graph.producer(current)->inputs;
    for (auto input = inputs.rbegin(); input != inputs.rend(); ++input)
      if (*input) open.push_back(**input);
  }
}

std::vector<ValueId> values_named(const Graph& graph, const std::vector<std::string>& names) {
  std::vector<ValueId> values;
  for (const std::string& name : names) {
    const MaybeValue found = graph.find_value(name);
    if (!found) throw Error(ErrorCode::Internal, "there is no value '" + name + "' in the graph");
    values.push_back(*found);
  }
  return values;
}

std::vector<std::string> names_of(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<std::string> names;
  for (const ValueId value : values) names.push_back(graph.value(value).name);
  return names;
}

}  // namespace detent
