#include "place/engines/openvino/openvino_kernels.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/index.h"
#include "ops/clip_bounds.h"
#include "ops/traits.h"
#include "place/draft/certain_shapes.h"
#include "place/draft/flow.h"

namespace detent {
namespace {

constexpr int64_t kLast = -1;
constexpr int64_t kChannels = 1;

// Returns the axis counted from the front; from the end where the rank is not known.
int64_t from_front(const GraphFacts& facts, CertainShapes& shapes, MaybeValue value, int64_t axis) {
  if (axis >= 0) return axis;
  if (const std::optional<size_t> rank = facts.find_rank(value)) return axis + static_cast<int64_t>(*rank);
  const auto shape = shapes.of(value);
  return shape ? axis + std::ssize(*shape) : axis;
}

bool is_concat_of_floats(const GraphFacts& facts, const Node& node) {
  return facts.kind(node.id) == OpKind::Concat && facts.is_float(node.output(0));
}

// True for a node behind which every axis of its data is the same axis.
bool keeps_axes(const GraphFacts& facts, NodeId id) {
  switch (facts.kind(id)) {
    case OpKind::MaxPool:
    case OpKind::Slice:
    case OpKind::Split:
    case OpKind::Pad: return true;
    default: return is_fusable_activation(facts.kind(id)) || is_constant_affine(facts, id);
  }
}

MaybeValue followed_input(const GraphFacts& facts, NodeId id) {
  return is_constant_affine(facts, id) ? varying_input(facts, id) : facts.data_input(id);
}

// Returns the axis that the layer sums over in this slot.
int64_t summed_axis(const GraphFacts& facts, const Node& layer, int slot) {
  if (facts.kind(layer.id) == OpKind::Conv) return kChannels;
  const bool transposed = facts.kind(layer.id) == OpKind::Gemm && layer.int_or(slot == 0 ? "transA" : "transB", 0) != 0;
  return (slot == 0) != transposed ? kLast : kLast - 1;
}

bool adds_zeros(const Node& pool) {
  const auto is_set = [](int64_t pad) { return pad != 0; };
  return pool.string_or("auto_pad", "NOTSET").starts_with("SAME") ||
         std::ranges::any_of(pool.ints_or("pads", {}), is_set);
}

using Strides = std::vector<int64_t>;

// Returns the strides that the engine moves in front of a Conv; none unless they are larger than 1 and the kernel is
// 1x1 without groups.
Strides moved_strides(const GraphFacts& facts, const Node& node) {
  constexpr size_t kFirstSpace = 2;
  if (facts.kind(node.id) != OpKind::Conv || !facts.is_weighted(node.id) || node.int_or("group", 1) != 1) return {};
  const Shape& kernel = facts.weight(node.id).shape();
  for (size_t axis = kFirstSpace; axis < kernel.rank(); ++axis)
    if (kernel[axis] != 1) return {};
  const Strides strides = node.ints_or("strides", {});
  return std::ranges::any_of(strides, [](int64_t stride) { return stride > 1; }) ? strides : Strides();
}

bool cuts_at_zero(const GraphFacts& facts, const Node& node) {
  switch (facts.kind(node.id)) {
    case OpKind::Relu:
    case OpKind::Sigmoid:
    case OpKind::HardSigmoid:
    case OpKind::Softmax:
    case OpKind::Abs:
    case OpKind::Sqrt: return true;
    case OpKind::Clip: {
      const auto bounds = clip_bounds(facts.graph(), node);
      return bounds && bounds->low() >= 0;
    }
    default: return false;
  }
}

// True for a node whose output goes below 0 only if its data do.
bool passes_sign_on(const GraphFacts& facts, const Node& node) {
  const OpKind kind = facts.kind(node.id);
  if (kind == OpKind::Pad) return node.string_or("mode", "constant") != "constant";
  return keeps_elements(facts.traits(node.id)) || kind == OpKind::Concat || kind == OpKind::AveragePool ||
         kind == OpKind::GlobalAveragePool || takes_extremes(node);
}

// A Concat of floats in front of a layer.
struct JoinedData {
  NodeId concat;
  bool summed;  // the layer sums over the axis that it joins
  bool cut;     // a Slice or Split takes a part behind it, or a Transpose takes its zero points apart (see below)
  std::vector<NodeId> path;  // the nodes between the layer and the Concat, and the Concat
};

// Returns the Concats in front of a slot, behind Concats of the axis that the layer sums over and nodes that keep axes.
// The engine moves zero points behind a Concat along its axis, and then in front of them only a Transpose that leaves
// axes 0 and 1 where they are, or any where the Concat joins channels (14 probes, OpenVINO 2026.4).
std::vector<JoinedData> joined_data(const GraphFacts& facts, const Node& layer, int slot) {
  struct Place {
    MaybeValue value;
    int64_t summed;
    bool cut, moved;
    std::vector<NodeId> path;
  };
  CertainShapes shapes(facts);
  std::vector<JoinedData> found;
  std::vector<Place> open{{layer.input(slot), summed_axis(facts, layer, slot), false, false, {}}};
  std::set<std::tuple<ValueId, int64_t, bool, bool>> seen;
  while (!open.empty()) {
    auto [value, summed, cut, moved, path] = std::move(open.back());
    open.pop_back();
    const Node* node = value ? facts.producer(value) : nullptr;
    summed = from_front(facts, shapes, value, summed);
    if (!node || !seen.emplace(*value, summed, cut, moved).second) continue;
    path.push_back(node->id);
    const OpKind kind = facts.kind(node->id);
    if (is_concat_of_floats(facts, *node)) {
      const bool sums = from_front(facts, shapes, value, node->int_or("axis", kChannels)) == summed;
      found.push_back({node->id, sums, cut || (moved && summed != kChannels), path});
      for (const MaybeValue input : node->inputs)
        if (sums) open.push_back({input, summed, cut, moved, path});
    } else if (kind == OpKind::Transpose) {
      const std::vector<int64_t> axes = node->ints_or("perm", {});
      if (summed < 0 || summed >= std::ssize(axes)) continue;
      const int64_t before = axes[as_index(summed)];
      const bool moves = axes.size() < 2 || axes[0] != 0 || axes[1] != 1;
      open.push_back({node->input(0), before, cut, moved || moves, std::move(path)});
    } else if (keeps_axes(facts, node->id)) {
      open.push_back({followed_input(facts, node->id), summed, cut || kind == OpKind::Slice || kind == OpKind::Split,
                      moved, std::move(path)});
    }
  }
  return found;
}

}  // namespace

std::string openvino_kernel_obstacle(const GraphFacts& facts, const Node& layer) {
  const OpKind kind = facts.kind(layer.id);
  if (kind == OpKind::ConvTranspose && layer.int_or("group", 1) != 1)
    return "runs a ConvTranspose with groups in float";
  constexpr int64_t kLargestLastStride = 3;
  if (const auto strides = layer.ints_or("strides", {});
      kind == OpKind::ConvTranspose && !strides.empty() && strides.back() > kLargestLastStride)
    return fmt::format("runs a ConvTranspose with a last stride above {} in float", kLargestLastStride);
  if (kind == OpKind::MatMul && facts.weight_slot(layer.id) == 0)
    return "computes attention whose queries are an INT8 constant wrongly, and other products with the constant on the "
           "left in float";
  const MaybeValue data = facts.data_input(layer.id);
  if (const Node* maker = facts.producer(data); maker && maker->op_type.find("Sequence") != std::string::npos)
    return "does not compile a pair behind a " + maker->op_type;
  if (kind == OpKind::MatMul && facts.find_rank(data) == 1U) return "makes a matrix of a vector between pairs";
  return "";
}

bool takes_extremes(const Node& node) {
  return node.op_type == "ReduceMax" || node.op_type == "ReduceMin" || node.op_type == "GlobalMaxPool";
}

bool copies_floats(const Node& node) {
  return node.op_type == "GatherElements" || node.op_type == "GatherND" || node.op_type == "SpaceToDepth" ||
         node.op_type == "Tile";
}

bool loses_pair_to_strides(const PlacementDraft& draft, const Node& layer) {
  const GraphFacts& facts = draft.facts();
  const Strides strides = moved_strides(facts, layer);
  if (strides.empty() || !draft.is_pair(layer.id, 0)) return false;
  return std::ranges::all_of(facts.value(*layer.input(0)).uses, [&](const Use& use) {
    if (use.slot < 0 || !draft.is_pair(use.node, use.slot)) return true;  // of the floats in front of the pair
    return use.slot == 0 && moved_strides(facts, facts.node(use.node)) == strides;
  });
}

bool pads_floats(const GraphFacts& facts, const Node& node) {
  if (facts.kind(node.id) != OpKind::Pad || node.string_or("mode", "constant") != "constant") return false;
  const std::optional<Use> use = sole_use(facts.graph(), node.output(0));
  const bool constant = node.has("pads") || facts.is_constant(node.input(1));
  return !constant || !use || facts.kind(use->node) != OpKind::Conv;
}

bool exchanges_channels(const GraphFacts& facts, const Node& node) {
  const Tensor* order = node.op_type == "Gather" ? facts.graph().constant(node.input(1)) : nullptr;
  if (!order || order->shape().rank() != 1) return false;
  if (const int64_t axis = node.int_or("axis", 0); axis != kChannels) {
    const auto rank = facts.find_rank(node.input(0));
    if (!rank || axis + static_cast<int64_t>(*rank) != kChannels) return false;
  }
  const Tensor integers = cast(*order, DataType::Int64);
  const auto places = integers.data<int64_t>();
  const int64_t channels = std::ssize(places);
  if (const Shape* shape = facts.find_shape(node.input(0)); shape && (*shape)[kChannels] != channels) return false;
  std::vector<bool> seen(places.size(), false);
  for (const int64_t place : places) {
    const int64_t channel = place < 0 ? place + channels : place;
    if (channel < 0 || channel >= channels || seen[as_index(channel)]) return false;
    seen[as_index(channel)] = true;
  }
  for (int64_t i = 0; i < channels; ++i) {
    const int64_t there = (places[as_index(i)] + channels) % channels;
    if ((places[as_index(there)] + channels) % channels != i) return true;
  }
  return false;
}

bool ends_in_pair(const PlacementDraft& draft, const Node& node) {
  const GraphFacts& facts = draft.facts();
  for (MaybeValue value = node.output(0); value;) {
    const Value& v = facts.value(*value);
    const auto reads_pair = [&](const Use& use) { return use.slot >= 0 && draft.is_pair(use.node, use.slot); };
    if (draft.has_pair(value)) return !v.is_output && std::ranges::all_of(v.uses, reads_pair);
    const std::optional<Use> use = sole_use(facts.graph(), value);
    const MaybeNode gate = use ? kNoNode : fused_activation(facts, draft, value);
    if (!use && !gate) return false;
    const Node& next = facts.node(use ? use->node : *gate);
    const OpKind kind = facts.kind(next.id);
    const auto varies = [&](ValueId input) { return !facts.is_constant(input); };
    const bool computes = (is_activation(kind) || is_arithmetic(kind) || kind == OpKind::Gelu) &&
                          std::ranges::count_if(present(next.inputs), varies) == 1;
    if (!gate && !computes && !is_concat_of_floats(facts, next) && !keeps_elements(facts.traits(next.id))) return false;
    value = next.output(0);
  }
  return false;
}

bool averages_added_zeros(const GraphFacts& facts, const Node& node) {
  if (facts.kind(node.id) != OpKind::AveragePool) return false;
  if (node.int_or("count_include_pad", 0) != 0 && adds_zeros(node)) return true;
  const Node* before = facts.producer(node.input(0));
  return before && facts.kind(before->id) == OpKind::Pad && before->string_or("mode", "constant") == "constant";
}

bool stays_above_zero(const GraphFacts& facts, MaybeValue value) {
  if (!value) return false;
  std::vector<ValueId> open{*value};
  std::set<ValueId> seen{*value};
  while (!open.empty()) {
    const Node* node = facts.producer(open.back());
    open.pop_back();
    if (!node) return false;
    if (cuts_at_zero(facts, *node)) continue;
    if (!passes_sign_on(facts, *node)) return false;
    const bool joins = is_concat_of_floats(facts, *node);
    for (const MaybeValue input : joins ? node->inputs : std::vector<MaybeValue>{facts.data_input(node->id)})
      if (input && seen.insert(*input).second) open.push_back(*input);
  }
  return true;
}

MaybeNode concat_of_rows(const GraphFacts& facts, const Node& layer, int slot) {
  const std::vector<JoinedData> joined = joined_data(facts, layer, slot);
  const auto rows = std::ranges::find(joined, false, &JoinedData::summed);
  return rows == joined.end() ? kNoNode : MaybeNode(rows->concat);
}

std::set<NodeId> nodes_that_lose_codes(const GraphFacts& facts) {
  std::set<NodeId> nodes;
  for (const Node& layer : facts.graph().nodes()) {
    if (!facts.is_weighted(layer.id) || facts.kind(layer.id) == OpKind::ConvTranspose) continue;
    for (const JoinedData& joined : joined_data(facts, layer, facts.data_slots(layer.id).front()))
      if (joined.summed && joined.cut && !stays_above_zero(facts, facts.node(joined.concat).output(0)))
        nodes.insert(joined.path.begin(), joined.path.end());
  }
  return nodes;
}

MaybeNode concat_in_front(const GraphFacts& facts, const Node& layer, int slot) {
  MaybeValue value = layer.input(slot);
  while (const Node* node = value ? facts.producer(value) : nullptr) {
    if (is_concat_of_floats(facts, *node)) return node->id;
    if (!keeps_elements(facts.traits(node->id)) && !keeps_axes(facts, node->id)) return kNoNode;
    value = followed_input(facts, node->id);
  }
  return kNoNode;
}

}  // namespace detent
