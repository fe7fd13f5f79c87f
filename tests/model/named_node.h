#pragma once

#include <string>

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent::test {

/// Calls the node that writes `output` by another name, which the text form of models cannot give.
inline void name_node(Model& model, const std::string& output, const std::string& name) {
  const Graph& graph = model.graph();
  const Node& node = *graph.producer(graph.find_value(output));
  NodeSpec renamed{node.op_type, name, {}, {}, node.attributes, node.domain};
  for (const MaybeValue value : node.inputs) renamed.inputs.push_back(value ? graph.value(*value).name : "");
  for (const MaybeValue value : node.outputs) renamed.outputs.push_back(value ? graph.value(*value).name : "");
  GraphPatch patch;
  patch.reason = "name '" + output + "'";
  patch.remove_nodes.push_back(node.name);
  patch.add_nodes.push_back(std::move(renamed));
  apply_patch(model, patch);
}

}  // namespace detent::test
