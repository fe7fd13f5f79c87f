#include "attention/softmax_form.h"

#include <algorithm>

#include "ops/traits.h"

namespace detent {
namespace {

/// Returns the axis that a reduction removes; nullopt for several or none.
std::optional<int64_t> reduced_axis(const Graph& graph, const Node& node) {
  std::vector<int64_t> axes = node.ints_or("axes", {});
  const Tensor* tensor = graph.constant(node.input(1));
  if (tensor && tensor->type() == DataType::Int64)
    axes.assign(tensor->data<int64_t>().begin(), tensor->data<int64_t>().end());
  return axes.size() == 1 ? std::optional(axes.front()) : std::nullopt;
}

/// Returns the reduction `op` whose result `value` is, in another shape; adds the nodes on the way, last first.
const Node* reduction_behind(const Graph& graph, MaybeValue value, const char* op, std::vector<NodeId>& nodes) {
  constexpr int kMostCopies = 6;
  const Node* node = graph.producer(value);
  for (int step = 0; node && step < kMostCopies; ++step, node = graph.producer(node->input(0))) {
    nodes.push_back(node->id);
    if (node->op_type == op) return node;
    const OpKind kind = traits_of(graph, *node).kind;
    // JAX compares the maximum with the type's lowest number.
    const bool compares = kind == OpKind::Max && node->input(1) && graph.value(*node->input(1)).is_constant;
    if (kind != OpKind::Reshape && kind != OpKind::Expand && !compares) return nullptr;
  }
  return nullptr;
}

std::optional<SoftmaxForm> written_softmax(const Graph& graph, const Node& quotient) {
  const Node* exponential = graph.producer(quotient.input(0));
  if (!exponential || exponential->op_type != "Exp") return std::nullopt;
  const Node* difference = graph.producer(exponential->input(0));
  if (!difference || traits_of(graph, *difference).kind != OpKind::Sub) return std::nullopt;
  SoftmaxForm form{.input = *difference->input(0), .nodes = {quotient.id}};
  const Node* sum = reduction_behind(graph, quotient.input(1), "ReduceSum", form.nodes);
  if (!sum || sum->input(0) != exponential->output(0)) return std::nullopt;
  form.nodes.insert(form.nodes.end(), {exponential->id, difference->id});
  const Node* maximum = reduction_behind(graph, difference->input(1), "ReduceMax", form.nodes);
  if (!maximum || maximum->input(0) != form.input) return std::nullopt;
  const auto axis = reduced_axis(graph, *sum);
  if (!axis || reduced_axis(graph, *maximum) != axis) return std::nullopt;
  form.axis = *axis;
  std::ranges::reverse(form.nodes);
  return form;
}

}  // namespace

std::optional<SoftmaxForm> softmax_ending_in(const Graph& graph, const Node& node) {
  const OpKind kind = traits_of(graph, node).kind;
  if (kind == OpKind::Softmax)
    return SoftmaxForm{*node.input(0), {node.id}, node.int_or("axis", graph.opset() < 13 ? 1 : -1)};
  return kind == OpKind::Div ? written_softmax(graph, node) : std::nullopt;
}

}  // namespace detent
