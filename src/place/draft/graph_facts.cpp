#include "place/draft/graph_facts.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "core/float_type.h"
#include "ops/traits.h"
#include "ops/value_types.h"

namespace detent {
namespace {

bool is_weight(const Graph& graph, MaybeValue value) {
  const Tensor* tensor = graph.constant(value);
  return tensor && (tensor->type() == DataType::Float32 || is_half(tensor->type())) && tensor->shape().rank() >= 2;
}

}  // namespace

GraphFacts::GraphFacts(const Graph& graph, const Target& target, const ValueShapes* shapes)
    : graph_(graph), target_(target), shapes_(shapes) {
  const size_t count = graph.nodes().size();
  traits_.reserve(count);
  for (const Node& node : graph.nodes()) traits_.push_back(&traits_of(graph, node));
  weight_slots_.assign(count, -1);
  data_slots_.resize(count);
  for (const Node& node : graph.nodes()) {
    find_weight_slot(node);
    find_data_slots(node);
  }
  for (const DataType type : value_types(graph)) is_float_.push_back(type == DataType::Float32 || is_half(type));
  find_movable_pairs();
}

std::optional<size_t> GraphFacts::find_rank(MaybeValue value) const {
  if (!value) return std::nullopt;
  if (const Shape* shape = find_shape(value)) return shape->rank();
  const auto& declared = graph_.value(*value).declared_shape;
  return declared ? std::optional(declared->size()) : std::nullopt;
}

int64_t GraphFacts::opset() const { return std::max(graph_.opset(), *target_.engine.minimum_opset); }

void GraphFacts::find_weight_slot(const Node& node) {
  const OpTraits& traits = *traits_[node.id];
  if (traits.weight_slot < 0) return;
  const MaybeValue weight = node.input(traits.weight_slot);
  const MaybeValue data = node.input(0);
  if (is_weight(graph_, weight)) {
    // With two constants there is nothing to quantize at run time.
    if (data && !graph_.value(*data).is_constant) weight_slots_[node.id] = traits.weight_slot;
  } else if (traits.kind == OpKind::MatMul && is_weight(graph_, data)) {
    weight_slots_[node.id] = 0;
  }
}

void GraphFacts::find_data_slots(const Node& node) {
  const OpTraits& traits = *traits_[node.id];
  // With pairs everywhere the weights and states of an LSTM, and the grid of a GridSample, are codes like its data.
  const bool all =
      traits.data_inputs < 0 || (target_.engine.whole_graph && (is_recurrent(node) || node.op_type == "GridSample"));
  const size_t limit = all ? node.inputs.size() : std::min(node.inputs.size(), static_cast<size_t>(traits.data_inputs));
  for (size_t slot = 0; slot < limit; ++slot) {
    const int number = static_cast<int>(slot);
    if (!node.inputs[slot] || number == weight_slots_[node.id] || number == traits.bias_slot) continue;
    data_slots_[node.id].push_back(number);
  }
}

// The operators of ONNX Runtime's CanNodePropagate (core/optimizer/qdq_transformer/qdq_propagation.cc); versions that
// it leaves out cost only a pair.
void GraphFacts::find_movable_pairs() {
  static constexpr std::array<std::string_view, 6> kMovers{"MaxPool", "Reshape",   "Transpose",
                                                           "Squeeze", "Unsqueeze", "Slice"};
  lets_pairs_move_.assign(graph_.nodes().size(), false);
  moves_into_subgraph_.assign(graph_.nodes().size(), false);
  for (const Node& node : graph_.nodes() | std::views::reverse) {
    if (!node.output(0) || is_foreign(node.id) || std::ranges::find(kMovers, node.op_type) == kMovers.end()) continue;
    lets_pairs_move_[node.id] = true;
    moves_into_subgraph_[node.id] = std::ranges::any_of(graph_.value(*node.output(0)).uses, [&](const Use& use) {
      return use.slot < 0 || moves_into_subgraph_[use.node];
    });
  }
}

const Tensor& GraphFacts::weight(NodeId node) const {
  return *graph_.constant(graph_.node(node).input(weight_slot(node)));
}

int GraphFacts::weight_axis(const Node& node) const {
  const int slot = weight_slot(node.id);
  const size_t rank = weight(node.id).shape().rank();
  // A weight on the left multiplies rows: engines accept no axis for its output channels, so one scale serves all.
  if (slot != traits(node.id).weight_slot) return -1;
  if (kind(node.id) == OpKind::MatMul && !target_.engine.channel_scales_of_products) return -1;
  // A Gemm that sums over one number is such a product: HTP never ends compiling it with a scale an output.
  if (kind(node.id) == OpKind::Gemm && !target_.engine.channel_scales_of_products &&
      weight(node.id).shape()[node.int_or("transB", 0) != 0 ? 1 : 0] == 1)
    return -1;
  switch (traits(node.id).weight_axis) {
    case WeightAxis::First: return 0;
    case WeightAxis::Second: return 1;
    case WeightAxis::GemmOutput: return node.int_or("transB", 0) != 0 ? 0 : 1;
    case WeightAxis::Last: return rank == 2 ? 1 : -1;  // each matrix of a stack has other channels: per tensor
    case WeightAxis::None: break;
  }
  return -1;
}

MaybeValue GraphFacts::data_input(NodeId node) const {
  const auto& slots = data_slots(node);
  return slots.empty() ? kNoValue : graph_.node(node).input(slots.front());
}

bool GraphFacts::is_foreign(NodeId node) const { return !is_known(graph_.node(node)); }

bool GraphFacts::may_carry_pair(MaybeValue value) const {
  if (!value) return false;
  const Value& v = graph_.value(*value);
  if (v.is_constant) return false;
  return target_.engine.pairs_beside_foreign || !v.producer || !is_foreign(*v.producer);
}

std::string GraphFacts::describe(NodeId node) const {
  return graph_.node(node).op_type + " '" + graph_.node(node).name + "'";
}

std::string GraphFacts::describe_source(ValueId value) const {
  const Value& v = graph_.value(value);
  if (v.producer) return describe(*v.producer);
  return (v.is_constant ? "constant '" : "graph input '") + v.name + "'";
}

}  // namespace detent
