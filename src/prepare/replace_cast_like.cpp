#include "prepare/replace_cast_like.h"

#include <algorithm>

#include "core/onnx_type.h"
#include "ops/value_types.h"

namespace detent {

GraphPatch find_cast_likes(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "replace CastLike by Cast";
  const auto is_cast_like = [](const Node& node) { return node.op_type == "CastLike" && node.domain.empty(); };
  if (std::ranges::none_of(graph.nodes(), is_cast_like)) return patch;
  const ValueMap<DataType> types = value_types(graph);
  for (const Node& node : graph.nodes()) {
    if (!is_cast_like(node) || node.input(0) == kNoValue || node.output(0) == kNoValue) continue;
    const int32_t type = onnx_type_of(types[node.output(0)]);
    if (type == 0) continue;
    patch.remove_nodes.push_back(node.name);
    NodeSpec cast{"Cast",          node.name, {graph.value(node.input(0)).name}, {graph.value(node.output(0)).name},
                  node.attributes, ""};
    cast.attributes.push_back({"to", static_cast<int64_t>(type)});
    patch.add_nodes.push_back(std::move(cast));
  }
  return patch;
}

size_t replace_cast_likes(Model& model) {
  const GraphPatch patch = find_cast_likes(model.graph());
  if (!patch.remove_nodes.empty()) apply_patch(model, patch);
  return patch.remove_nodes.size();
}

}  // namespace detent
