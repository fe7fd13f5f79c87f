#include "prepare/restore_weights.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/files/mapped_file.h"
#include "exec/node_errors.h"
#include "model/graph_patch.h"
#include "model/qoperators.h"
#include "ops/find_operator.h"
#include "ops/traits.h"

namespace detent {

namespace {

bool is_dequantize(const Graph& graph, const Node& node) {
  return traits_of(graph, node).kind == OpKind::DequantizeLinear;
}

/// True where scale and zero point are constants and nothing outside reads the floats.
bool has_known_grid(const Graph& graph, const Node& node) {
  return graph.constant(node.input(1)) && (!node.input(2) || graph.constant(node.input(2))) &&
         !graph.value(*node.output(0)).is_output;
}

/// Returns the Gather of rows of a constant whose result the node alone reads, one scale a column or one for all;
/// nullptr for another.
const Node* gather_before(const Graph& graph, const Node& node) {
  const Node* gather = graph.producer(node.input(0));
  if (!gather || gather->op_type != "Gather" || !gather->domain.empty() || gather->int_or("axis", 0) != 0)
    return nullptr;
  const Tensor *table = graph.constant(gather->input(0)), *scales = graph.constant(node.input(1));
  const Value& rows = graph.value(*node.input(0));
  if (!table || !scales || rows.is_output || rows.uses.size() != 1 || node.int_or("block_size", 0) != 0) return nullptr;
  if (scales->shape().rank() == 0) return gather;
  return node.int_or("axis", 1) == -1 ? gather : nullptr;
}

bool is_stored_weight(const Graph& graph, const Node& node) {
  return has_known_grid(graph, node) && (graph.constant(node.input(0)) || gather_before(graph, node));
}

/// Has the table dequantized before its rows are gathered.
GraphPatch dequantize_tables(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "read codes of tables as floats";
  for (const Node& node : graph.nodes()) {
    const Node* gather = is_dequantize(graph, node) ? gather_before(graph, node) : nullptr;
    if (!gather) continue;
    std::vector<std::string> inputs;
    for (const ValueId input : present(node.inputs)) inputs.push_back(graph.value(input).name);
    const std::string result = graph.value(*node.output(0)).name, floats = inputs[0] + "_floats";
    inputs[0] = graph.value(*gather->input(0)).name;
    patch.remove_nodes.push_back(node.name);
    patch.add_nodes.push_back(
        {"DequantizeLinear", node.name + "_of_table", inputs, {floats}, node.attributes, node.domain});
    patch.rewire.push_back({gather->name, 0, floats});
    patch.rename_outputs.push_back({gather->name, 0, result});
  }
  return patch;
}

Tensor floats_of(const Graph& graph, const Node& node) {
  std::vector<Tensor> inputs, outputs(1);
  for (const MaybeValue input : node.inputs) inputs.push_back(input ? *graph.constant(input) : Tensor());
  with_node_in_errors(graph, node, [&] {
    Workspace workspace;
    const int64_t opset = graph.opset(node.domain);
    const auto kernel =
        find_operator(node.domain, node.op_type, opset)->make({.graph = graph, .node = node, .opset = opset});
    KernelCall call(inputs, outputs, {}, Allocator::heap(), workspace);
    kernel->run(call);
  });
  let_go_of_pages(inputs[0].raw(), inputs[0].byte_count());
  return to_plain(outputs[0]);
}

GraphPatch fold(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "read codes of weights as floats";
  for (const Node& node : graph.nodes()) {
    if (!is_dequantize(graph, node)) continue;
    patch.add_initializers.emplace_back(graph.value(*node.output(0)).name, floats_of(graph, node));
    patch.remove_nodes.push_back(node.name);
  }
  return patch;
}

}  // namespace

size_t restore_weights(Model& model) {
  size_t count = 0;
  for (const Node& node : model.graph().nodes()) {
    if (node.op_type == "QuantizeLinear" || is_qoperator(node)) return 0;
    if (!is_dequantize(model.graph(), node)) continue;
    if (!is_stored_weight(model.graph(), node)) return 0;
    ++count;
  }
  if (count == 0) return 0;
  if (const GraphPatch patch = dequantize_tables(model.graph()); !patch.empty()) apply_patch(model, patch);
  apply_patch(model, fold(model.graph()));
  return count;
}

}  // namespace detent
