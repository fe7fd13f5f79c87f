#include "prepare/forms/forms.h"

namespace detent::forms {

GraphPatch explicit_norms(const Graph& graph) {
  // Source: ONNX docs/Operators.md, LayerNormalization.
  constexpr int64_t kAxis = -1;
  constexpr float kEpsilon = 1e-5F;
  GraphPatch patch;
  patch.reason = "write out axis and epsilon of a LayerNormalization";
  for (const Node& node : graph.nodes()) {
    if (node.op_type != "LayerNormalization" || !node.domain.empty()) continue;
    if (!node.has("axis")) patch.set_attributes.push_back({node.name, {"axis", kAxis}});
    if (!node.has("epsilon")) patch.set_attributes.push_back({node.name, {"epsilon", kEpsilon}});
  }
  return patch;
}

}  // namespace detent::forms
