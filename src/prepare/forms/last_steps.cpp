#include <algorithm>
#include <array>
#include <span>

#include "prepare/forms/form_patch.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

constexpr size_t kLengthsSlot = 4;

bool is_read(const Graph& graph, MaybeValue value) {
  return value && (!graph.value(*value).uses.empty() || graph.value(*value).is_output);
}

/// True for a layer in one direction of which only the last state is read, after as many steps for each sequence.
bool gives_last_state_alone(const Graph& graph, const Node& node) {
  const bool known = node.domain.empty() && (node.op_type == "GRU" || node.op_type == "RNN");
  if (!known || node.inputs.size() < 3 || node.input(kLengthsSlot) || node.int_or("layout", 0) != 0) return false;
  return node.string_or("direction", "forward") != "bidirectional" && !is_read(graph, node.output(0)) &&
         is_read(graph, node.output(1));
}

}  // namespace

GraphPatch last_steps(const Graph& graph) {
  FormPatch patch(graph, "take the last state of all steps");
  for (const Node& node : graph.nodes()) {
    if (!gives_last_state_alone(graph, node)) continue;
    const std::string steps = node.output(0) ? patch.name_of(node.output(0)) : patch.fresh(node, "steps");
    NodeSpec written{node.op_type, node.name, {}, {steps}, node.attributes, ""};
    for (const MaybeValue input : node.inputs) written.inputs.push_back(input ? patch.name_of(input) : "");
    const std::array<int64_t, 1> last{node.string_or("direction", "forward") == "reverse" ? 0 : -1};
    const std::string index = patch.constant(node, "last", Tensor::from<int64_t>({}, std::span<const int64_t>(last)));
    patch.remove(node);
    patch.add(std::move(written));
    patch.add({"Gather", patch.fresh(node, "state"), {steps, index}, {patch.name_of(node.output(1))}, {}, ""});
  }
  return patch.take();
}

}  // namespace detent::forms
