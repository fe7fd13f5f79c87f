#include "exec/runnable_part.h"

#include <algorithm>

#include "core/text.h"
#include "ops/traits.h"

namespace detent {

RunnablePart::RunnablePart(const Graph& graph, std::span<const ValueId> outputs)
    : stopped_by_(graph.values().size()), varies_(graph.values().size(), false) {
  for (const ValueId input : graph.inputs()) varies_[input] = true;
  const auto runs = [&](ValueId value) { return can_run(value); };
  const auto varies = [&](ValueId value) { return varies_[value]; };
  for (const Node& node : graph.nodes()) {  // in execution order, so producers come first
    const std::vector<UnsupportedNode> missing = find_unsupported(graph, std::span(&node.id, 1));
    unsupported_.insert(unsupported_.end(), missing.begin(), missing.end());
    const std::vector<ValueId> captured = graph.captured_by(node);
    std::vector<ValueId> read = captured;
    for (const ValueId input : present(node.inputs)) read.push_back(input);
    const bool made_of_varying = std::ranges::any_of(read, varies);
    for (const ValueId output : present(node.outputs)) varies_[output] = made_of_varying;
    const auto stopped = std::ranges::find_if_not(read, runs);
    if (missing.empty() && stopped == read.end()) continue;
    for (const ValueId output : present(node.outputs))
      stopped_by_[output] = stopped == read.end() ? node.id : *stopped_by_[*stopped];
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
      if (varies_[current] || graph.value(current).is_output) add_end(graph, current, visited);
      continue;
    }
    const auto& inputs = graph.producer(current)->inputs;
    for (auto input = inputs.rbegin(); input != inputs.rend(); ++input)
      if (*input) open.push_back(**input);
  }
}

void RunnablePart::add_end(const Graph& graph, ValueId value, ValueMap<bool>& visited) {
  const Node* dequantize = graph.value(value).is_output ? nullptr : graph.producer(value);
  const Node* quantize = dequantize && traits_of(graph, *dequantize).kind == OpKind::DequantizeLinear
                             ? graph.producer(*dequantize->input(0))
                             : nullptr;
  if (quantize && traits_of(graph, *quantize).kind == OpKind::QuantizeLinear) {
    value = *quantize->input(0);
    if (visited[value] && std::ranges::find(ends_, value) != ends_.end()) return;
    visited[value] = true;
  }
  if (!graph.constant(value) && !graph.value(value).is_input) ends_.push_back(value);
}

std::string cannot_run_text(const Graph& graph, std::span<const UnsupportedNode> nodes) {
  const auto named = [&](const UnsupportedNode& one) {
    return graph.node(one.node).op_type + " '" + graph.node(one.node).name + "'";
  };
  return listed(nodes, 3, named) + " cannot run here (" + nodes.front().reason + ")";
}

std::map<std::string, std::string> unreached_values(const Graph& graph,
                                                    const std::function<bool(const std::string&)>& is_given) {
  std::map<std::string, std::string> unreached;
  const RunnablePart runnable(graph);
  for (const Value& value : graph.values())
    if (const MaybeNode node = runnable.stopped_by(value.id); node && !is_given(value.name)) {
      const auto why = std::ranges::find(runnable.unsupported(), *node, &UnsupportedNode::node);
      unreached.emplace(value.name, cannot_run_text(graph, std::span(&*why, 1)));
    }
  return unreached;
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
