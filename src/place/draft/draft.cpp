#include "place/draft/draft.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "core/float_type.h"
#include "ops/traits.h"
#include "ops/value_types.h"

namespace detent {
namespace {

constexpr int kWideBits = 16;

bool is_weight(const Graph& graph, MaybeValue value) {
  const Tensor* tensor = graph.constant(value);
  return tensor && (tensor->type() == DataType::Float32 || is_half(tensor->type())) && tensor->shape().rank() >= 2;
}

}  // namespace

PlacementDraft::PlacementDraft(const Graph& graph, const Target& target, const PlacementOptions& options,
                               MeasuredFacts measured)
    : graph_(graph), target_(target), options_(options), measured_(std::move(measured)) {
  const size_t count = graph.nodes().size();
  traits_.reserve(count);
  for (const Node& node : graph.nodes()) traits_.push_back(&traits_of(graph, node));
  weight_slots_.assign(count, -1);
  data_slots_.resize(count);
  out_.assign(count, false);
  excluded_.assign(count, false);
  forced_.assign(count, false);
  weight_quantized_.assign(count, false);
  rounded_.assign(count, false);
  widths_.assign(count, 0);
  edges_.resize(count);
  layers_.resize(count);
  for (const Node& node : graph.nodes()) {
    find_weight_slot(node);
    find_data_slots(node);
    edges_[node.id].resize(node.inputs.size());
  }
  for (const DataType type : value_types(graph)) is_float_.push_back(type == DataType::Float32 || is_half(type));
  find_movable_pairs();
  has_output_pair_.assign(graph.values().size(), false);
  for (const Value& value : graph.values()) scale_parent_.push_back(value.id);
}

int64_t PlacementDraft::opset() const { return std::max(graph_.opset(), *target_.engine.minimum_opset); }

void PlacementDraft::find_weight_slot(const Node& node) {
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

void PlacementDraft::find_data_slots(const Node& node) {
  const OpTraits& traits = *traits_[node.id];
  // With pairs everywhere the weights and states of an LSTM are codes like its data.
  const bool all = traits.data_inputs < 0 || (target_.engine.whole_graph && is_recurrent(node));
  const size_t limit = all ? node.inputs.size() : std::min(node.inputs.size(), static_cast<size_t>(traits.data_inputs));
  for (size_t slot = 0; slot < limit; ++slot) {
    const int number = static_cast<int>(slot);
    if (!node.inputs[slot] || number == weight_slots_[node.id] || number == traits.bias_slot) continue;
    data_slots_[node.id].push_back(number);
  }
}

// The operators of ONNX Runtime's CanNodePropagate (core/optimizer/qdq_transformer/qdq_propagation.cc); versions that
// it leaves out cost only a pair.
void PlacementDraft::find_movable_pairs() {
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

const Tensor& PlacementDraft::weight(NodeId node) const {
  return *graph_.constant(graph_.node(node).input(weight_slot(node)));
}

MaybeValue PlacementDraft::data_input(NodeId node) const {
  const auto& slots = data_slots(node);
  return slots.empty() ? kNoValue : graph_.node(node).input(slots.front());
}

bool PlacementDraft::is_foreign(NodeId node) const {
  const std::string& domain = graph_.node(node).domain;
  return !domain.empty() && domain != "ai.onnx";
}

bool PlacementDraft::may_carry_pair(MaybeValue value) const {
  if (!value) return false;
  const Value& v = graph_.value(*value);
  if (v.is_constant) return false;
  return (target_.engine.pairs_beside_foreign || !v.producer || !is_foreign(*v.producer));
}

std::string PlacementDraft::describe(NodeId node) const {
  return graph_.node(node).op_type + " '" + graph_.node(node).name + "'";
}

std::string PlacementDraft::describe_source(ValueId value) const {
  const Value& v = graph_.value(value);
  if (v.producer) return describe(*v.producer);
  return (v.is_constant ? "constant '" : "graph input '") + v.name + "'";
}

void PlacementDraft::keep_out(NodeId node, const std::string& reason) {
  if (is_out(node)) return;
  out_[node] = true;
  ends_ = {};
  for (const int slot : data_slots(node)) keep_float(node, slot, reason);
  if (is_weighted(node)) run_float(node, reason);
}

void PlacementDraft::exclude(NodeId node, const std::string& reason) {
  excluded_[node] = true;
  keep_out(node, reason);
}

void PlacementDraft::decide(NodeId node, int slot, Precision precision, const std::string& reason) {
  if (slot >= 0 && !is_decided(node, slot)) replace(node, slot, precision, reason);
}

void PlacementDraft::replace(NodeId node, int slot, Precision precision, const std::string& reason) {
  const auto& slots = data_slots(node);
  if (std::find(slots.begin(), slots.end(), slot) == slots.end()) return;
  if (precision == Precision::Int8 && !is_float(graph_.node(node).input(slot))) return;
  edge(node, slot) = {precision, rule_, reason};
}

void PlacementDraft::decide_layer(NodeId node, Precision precision, const std::string& reason) {
  Decision& decision = layers_[node];
  if (!decision.is_decided()) decision = {precision, rule_, reason};
}

bool PlacementDraft::is_decided(NodeId node, int slot) const {
  return slot < std::ssize(edges_[node]) && edge(node, slot).is_decided();
}

bool PlacementDraft::is_pair(NodeId node, int slot) const { return slot >= 0 && edge(node, slot).is_int8(); }

bool PlacementDraft::has_pair(MaybeValue value) const {
  if (!value) return false;
  const auto& uses = graph_.value(*value).uses;
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return is_pair(use.node, use.slot); }) ||
         has_output_pair(*value);
}

size_t PlacementDraft::pair_count() const {
  size_t count = output_pairs_.size();
  for (const auto& slots : edges_)
    count += static_cast<size_t>(std::ranges::count_if(slots, [](const Decision& edge) { return edge.is_int8(); }));
  return count;
}

void PlacementDraft::fix_range(ValueId value, Range range) {
  if (std::ranges::find(fixed_ranges_, value, &FixedRange::value) == fixed_ranges_.end())
    fixed_ranges_.push_back({value, range});
}

void PlacementDraft::fix_range_of_constant(ValueId value) {
  const Tensor* constant = is_constant(value) && is_float(value) ? graph_.constant(value) : nullptr;
  if (!constant) return;
  const Tensor numbers = cast(*constant, DataType::Float32);
  Range range;
  for (const float number : numbers.data<float>()) {
    range.min = std::min(range.min, number);
    range.max = std::max(range.max, number);
  }
  fix_range(value, range);
}

void PlacementDraft::pair_output(ValueId value, const std::string& reason) {
  if (has_output_pair(value) || !is_float(value)) return;
  output_pairs_.push_back({value, -1, rule_, reason});
  has_output_pair_[value] = true;
}

bool PlacementDraft::is_int8(NodeId node) const { return layers_[node].is_int8(); }

ValueId PlacementDraft::scale_root(ValueId value) {
  while (scale_parent_[value] != value) {
    ValueId& parent = scale_parent_[value];
    parent = scale_parent_[parent];
    value = parent;
  }
  return value;
}

void PlacementDraft::share_scale(MaybeValue a, MaybeValue b) {
  if (!a || !b) return;
  const ValueId x = scale_root(*a), y = scale_root(*b);
  scale_parent_[std::max(x, y)] = std::min(x, y);
}

bool PlacementDraft::is_wide(MaybeValue value) const {
  if (!value) return false;
  if (options_.type == CodeType::A16W8) return true;
  const auto root = [&](ValueId at) {
    while (scale_parent_[at] != at) at = scale_parent_[at];
    return at;
  };
  const bool named = std::ranges::any_of(options_.wide_values, [&](const std::string& name) {
    const MaybeValue wanted = graph_.find_value(name);
    return wanted && root(*wanted) == root(*value);
  });
  const Value& v = graph_.value(*value);
  if (named) return true;
  if (!v.is_constant && v.producer && widths_[*v.producer] != 0) return widths_[*v.producer] == kWideBits;
  const auto wide = [&](const Use& use) { return use.slot >= 0 && widths_[use.node] == kWideBits; };
  const auto narrow = [&](const Use& use) { return is_pair(use.node, use.slot) && !wide(use); };
  return std::ranges::any_of(v.uses, wide) && !(v.is_constant && std::ranges::any_of(v.uses, narrow));
}

void PlacementDraft::widen(NodeId node, const std::string& reason) {
  widths_[node] = kWideBits;
  wide_nodes_[node] = {node, rule_, reason};
  if (is_int8(node)) layers_[node] = {Precision::Int8, rule_, "16-bit activations: " + reason};
}

bool PlacementDraft::reads_wide(NodeId node, int slot) const {
  const int bits = options_.type == CodeType::A16W8 ? kWideBits : widths_[node];
  return bits == 0 ? is_wide(graph_.node(node).input(slot)) : bits == kWideBits;
}

void PlacementDraft::explain_pairs(ValueId value, const std::string& sentence) {
  for (const Use& use : graph_.value(value).uses)
    if (is_pair(use.node, use.slot)) edge(use.node, use.slot).reason += "; " + sentence;
}

}  // namespace detent
