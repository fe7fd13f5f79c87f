#include <algorithm>

#include "model/name_source.h"
#include "place/draft/certain_shapes.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

GraphPatch matrix_product(const Graph& graph) {
  constexpr int64_t kAxesInput = 13;  // Unsqueeze-13 and Squeeze-13
  GraphPatch patch;
  patch.reason = "make a matrix of a vector in front of a product";
  if (graph.opset() < kAxesInput) return patch;
  const auto is_product = [&](const Node& node) {
    const Tensor* weight = graph.constant(node.input(1));
    return node.op_type == "MatMul" && node.domain.empty() && node.input(0) && weight && weight->shape().rank() == 2;
  };
  if (std::ranges::none_of(graph.nodes(), is_product)) return patch;
  const GraphFacts facts(graph, default_target());  // sizes are the same for every target
  CertainShapes shapes(facts);
  NameSource names(graph);
  for (const Node& node : graph.nodes()) {
    const auto shape = is_product(node) ? shapes.of(node.input(0)) : std::nullopt;
    if (!shape || shape->size() != 1) continue;
    const std::string axes = names.fresh(node.name + "_axes"), matrix = names.fresh(node.name + "_row"),
                      result = names.fresh(node.name + "_result");
    patch.add_initializers.emplace_back(axes, Tensor::from<int64_t>({1}, {0}));
    patch.remove_nodes.push_back(node.name);
    patch.add_nodes.push_back(
        {"Unsqueeze", names.fresh(matrix + "_Unsqueeze"), {graph.value(*node.input(0)).name, axes}, {matrix}, {}, ""});
    patch.add_nodes.push_back({"MatMul", node.name, {matrix, graph.value(*node.input(1)).name}, {result}, {}, ""});
    patch.add_nodes.push_back(
        {"Squeeze", names.fresh(result + "_Squeeze"), {result, axes}, {graph.value(*node.output(0)).name}, {}, ""});
  }
  return patch;
}

}  // namespace detent::forms
