#include <algorithm>

#include "model/name_source.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

/// True for an output of floats that a node writes and others read.
bool is_read_twice(const Graph& graph, const Value& value) {
  return value.is_output && !value.is_constant && graph.producer(value.id) &&
         value.declared_type == DataType::Float32 &&
         std::ranges::any_of(value.uses, [](const Use& use) { return use.slot >= 0; }) &&
         std::ranges::all_of(value.uses, [](const Use& use) { return use.slot >= 0; });
}

}  // namespace

GraphPatch outputs_apart(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "copy outputs that nodes read, too";
  if (std::ranges::none_of(graph.values(), [&](const Value& value) { return is_read_twice(graph, value); }))
    return patch;
  NameSource names(graph);
  for (const Value& value : graph.values()) {
    if (!is_read_twice(graph, value)) continue;
    const Node& producer = *graph.producer(value.id);
    const auto slot = std::ranges::find(producer.outputs, value.id) - producer.outputs.begin();
    const std::string inner = names.fresh(value.name + "_inner");
    patch.rename_outputs.push_back({producer.name, static_cast<int>(slot), inner});
    for (const Use& use : value.uses) patch.rewire.push_back({graph.node(use.node).name, use.slot, inner});
    patch.add_nodes.push_back({"Identity", names.fresh(value.name + "_Identity"), {inner}, {value.name}, {}, ""});
  }
  return patch;
}

}  // namespace detent::forms
