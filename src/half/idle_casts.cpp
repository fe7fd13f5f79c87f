#include "half/idle_casts.h"

#include <algorithm>

#include "core/float_type.h"
#include "core/onnx_type.h"
#include "ops/traits.h"
#include "ops/value_types.h"

namespace detent {

namespace {

/// The value is known by its name outside the nodes that read it.
bool is_named(const Value& value) {
  const auto in_body = [](const Use& use) { return use.slot < 0; };
  return value.is_output || std::ranges::any_of(value.uses, in_body);
}

}  // namespace

GraphPatch take_idle_casts(const Graph& graph) {
  const std::vector<DataType> types = value_types(graph);
  const auto is_idle = [&](const Node& node) {
    if (traits_of(graph, node).kind != OpKind::Cast) return false;
    const DataType type = types[static_cast<size_t>(node.input(0))];
    return is_half(type) && node.int_or("to", 0) == onnx_type_of(type);
  };
  std::vector<ValueId> first(graph.values().size(),
                             kNoValue);  // of an idle Cast's output: what the first in its chain reads
  GraphPatch patch;
  patch.reason = "take out the casts that change nothing";
  for (const Node& node : graph.nodes()) {
    if (!is_idle(node)) continue;
    const ValueId read = node.input(0), before = first[static_cast<size_t>(read)];
    const ValueId kept = before == kNoValue ? read : before;
    const Value& made = graph.value(node.output(0));
    first[static_cast<size_t>(made.id)] = kept;
    const std::string& source = graph.value(kept).name;
    patch.remove_nodes.push_back(node.name);
    if (is_named(made)) patch.add_nodes.push_back({"Identity", node.name, {source}, {made.name}, {}, ""});
    for (const Use& use : made.uses)
      if (use.slot >= 0) patch.rewire.push_back({graph.node(use.node).name, use.slot, source});
  }
  return patch;
}

}  // namespace detent
