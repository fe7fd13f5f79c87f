#include <algorithm>

#include "prepare/forms/form_patch.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

bool leaves_out(const Node& node) {
  const bool recurrent = node.op_type == "LSTM" || node.op_type == "GRU" || node.op_type == "RNN";
  return recurrent && node.domain.empty() &&
         std::ranges::any_of(node.outputs, [](MaybeValue output) { return !output; }) &&
         std::ranges::any_of(node.outputs, [](MaybeValue output) { return bool(output); });
}

}  // namespace

GraphPatch named_outputs(const Graph& graph) {
  FormPatch patch(graph, "name the outputs of recurrent layers");
  for (const Node& node : graph.nodes()) {
    if (!leaves_out(node)) continue;
    NodeSpec written{node.op_type, node.name, {}, {}, node.attributes, ""};
    for (const MaybeValue input : node.inputs) written.inputs.push_back(input ? patch.name_of(input) : "");
    size_t count = node.outputs.size();
    while (!node.outputs[count - 1]) --count;
    for (size_t i = 0; i < count; ++i)
      written.outputs.push_back(node.outputs[i] ? patch.name_of(node.outputs[i])
                                                : patch.fresh(node, "output" + std::to_string(i)));
    patch.remove(node);
    patch.add(std::move(written));
  }
  return patch.take();
}

}  // namespace detent::forms
