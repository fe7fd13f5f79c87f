#include "rewrite/gathered_codes.h"

#include <algorithm>
#include <utility>

#include "model/name_source.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// True for a DequantizeLinear of a constant table whose every reader takes rows.
bool is_table(const Graph& graph, const Node& node) {
  if (traits_of(graph, node).kind != OpKind::DequantizeLinear) return false;
  const Tensor *codes = graph.constant(node.input(0)), *scales = graph.constant(node.input(1));
  const Value& result = graph.value(*node.output(0));
  if (!codes || !scales || codes->shape().rank() < 2 || result.is_output || result.uses.empty()) return false;
  const auto last = static_cast<int64_t>(codes->shape().rank()) - 1;
  const int64_t axis = node.int_or("axis", 1);
  if (node.int_or("block_size", 0) != 0 || (scales->shape().rank() > 0 && axis != last && axis != -1)) return false;
  return std::ranges::all_of(result.uses, [&](const Use& use) {
    return use.slot == 0 && graph.node(use.node).op_type == "Gather" && graph.node(use.node).int_or("axis", 0) == 0;
  });
}

}  // namespace

GraphPatch gather_codes(const Graph& graph, const Target& target) {
  GraphPatch patch;
  patch.reason = "gather codes instead of floats";
  if (!target.engine.gathers_codes) return patch;
  NameSource names(graph);
  for (const Node& node : graph.nodes()) {
    if (!is_table(graph, node)) continue;
    std::vector<std::string> inputs;
    for (const ValueId input : present(node.inputs)) inputs.push_back(graph.value(input).name);
    const std::string codes = inputs.front();
    std::vector<Attribute> attributes;
    if (graph.constant(node.input(1))->shape().rank() > 0) attributes.push_back(Attribute{"axis", int64_t{-1}});
    for (const Use& use : graph.value(*node.output(0)).uses) {
      const Node& gather = graph.node(use.node);
      const std::string result = graph.value(*gather.output(0)).name;
      inputs.front() = names.fresh(result + "_quantized");
      patch.rewire.push_back({gather.name, 0, codes});
      patch.rename_outputs.push_back({gather.name, 0, inputs.front()});
      patch.add_nodes.push_back(
          {"DequantizeLinear", names.fresh(result + "_DequantizeLinear"), inputs, {result}, attributes, node.domain});
    }
    patch.remove_nodes.push_back(node.name);
  }
  return patch;
}

void promise_gathered_codes(PromisedFile& promised, const GraphPatch& patch) {
  for (size_t i = 0; i < patch.add_nodes.size(); ++i) {
    const auto gather = std::ranges::find(promised.nodes, patch.rename_outputs[i].node, &PromisedNode::name);
    gather->output = patch.rename_outputs[i].value;
    gather->inputs[0] = {.value = patch.rewire[i].value, .constant = true};
    const NodeSpec& added = patch.add_nodes[i];
    PromisedNode dequantize{added.name, added.op_type, added.outputs[0], OpKind::DequantizeLinear, {}, false};
    for (const std::string& input : added.inputs) dequantize.inputs.push_back({.value = input});
    promised.nodes.push_back(std::move(dequantize));
  }
}

}  // namespace detent
