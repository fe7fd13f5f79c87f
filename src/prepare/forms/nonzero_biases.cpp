#include <algorithm>
#include <span>

#include "prepare/forms/form_patch.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

/// Far below a step of codes, and no zero.
constexpr float kLeast = 1e-6F;

/// Returns the elements of the last axis that the constant matrix of a product makes; 0 for other nodes.
int64_t columns_of(const Graph& graph, const Node& node) {
  const Tensor* weight = node.op_type == "MatMul" && node.domain.empty() ? graph.constant(node.input(1)) : nullptr;
  if (!weight || weight->type() != DataType::Float32 || weight->shape().rank() != 2 || !node.output(0)) return 0;
  return weight->shape()[1];
}

bool is_zero(const Tensor* bias) {
  return bias && bias->type() == DataType::Float32 && bias->element_count() > 0 &&
         std::ranges::all_of(bias->data<float>(), [](float number) { return number == 0; });
}

/// The signs change, so that the compiler does not take it for one number.
Tensor bias_of(int64_t columns) {
  std::vector<float> numbers(static_cast<size_t>(columns), kLeast);
  for (size_t i = 0; i < numbers.size(); i += 2) numbers[i] = -kLeast;
  return Tensor::from<float>({columns}, std::span<const float>(numbers));
}

/// The Add that alone reads a value, as far as it is one, and the operand beside.
struct Sum {
  const Node* add = nullptr;
  int other = 0;
};

Sum only_sum_of(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  if (value.uses.size() != 1 || value.is_output || value.uses.front().slot < 0) return {};
  const Node& add = graph.node(value.uses.front().node);
  const int other = 1 - value.uses.front().slot;
  if (add.op_type != "Add" || !add.domain.empty() || add.inputs.size() != 2 || !add.input(other)) return {};
  return {&add, other};
}

}  // namespace

GraphPatch nonzero_biases(const Graph& graph) {
  FormPatch patch(graph, "give products a bias that is not zero");
  for (const Node& node : graph.nodes()) {
    const int64_t columns = columns_of(graph, node);
    if (columns < 2) continue;
    const Sum sum = only_sum_of(graph, *node.output(0));
    if (!sum.add || !is_zero(graph.constant(sum.add->input(sum.other)))) continue;
    const Tensor& zeros = *graph.constant(sum.add->input(sum.other));
    if (zeros.shape().rank() != 1 || zeros.shape()[0] != columns) continue;
    patch.rewire(*sum.add, sum.other, patch.constant(node, "bias", bias_of(columns)));
  }
  return patch.take();
}

}  // namespace detent::forms
