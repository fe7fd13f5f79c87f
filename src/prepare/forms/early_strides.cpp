#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "core/index.h"
#include "model/name_source.h"
#include "ops/traits.h"
#include "place/draft/certain_shapes.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

/// Strides, one an axis behind the channels; empty: all elements.
using Strides = std::vector<int64_t>;

constexpr int64_t kImageAxis = 2;    // the first axis that a Conv slides over
constexpr size_t kMostPoolAxes = 3;  // of a MaxPool, in every engine

bool are_ones(std::span<const int64_t> extents) {
  return std::ranges::all_of(extents, [](int64_t extent) { return extent == 1; });
}

/// Steps of a Conv along the axes that it slides over; no axes for other nodes, and where the weight is not constant.
struct Sliding {
  Strides strides;
  bool by_element = false;  ///< a kernel of 1x1 without padding or groups
  bool may_stride = false;  ///< larger strides skip elements of its output, and change no other
};

Sliding sliding_of(const Graph& graph, const Node& node) {
  const Tensor* weight = traits_of(graph, node).kind == OpKind::Conv ? graph.constant(node.input(1)) : nullptr;
  if (!weight || !node.output(0) || weight->shape().rank() <= as_index(kImageAxis)) return {};
  const size_t axes = weight->shape().rank() - as_index(kImageAxis);
  if (axes > kMostPoolAxes) return {};
  Sliding conv{.strides = node.ints_or("strides", Strides(axes, 1))};
  if (conv.strides.size() != axes) return {};
  bool one = node.int_or("group", 1) == 1;
  for (size_t i = 0; i < axes; ++i) one = one && weight->shape()[as_index(kImageAxis) + i] == 1;
  const std::string padding = node.string_or("auto_pad", "NOTSET");
  const Strides pads = node.ints_or("pads", {});
  const bool padded = std::ranges::any_of(pads, [](int64_t rows) { return rows != 0; });
  conv.by_element = one && !padded;
  // Padding by name depends on the strides, and OpenVINO moves strides of a 1x1 Conv in front of its padding.
  conv.may_stride = !one && (padding == "NOTSET" || padding == "VALID");
  return conv;
}

/// Returns how many leading inputs of a node broadcast with each other, where an output element needs only the elements
/// at its place; 0 for other nodes.
size_t operands_by_element(const Graph& graph, const Node& node) {
  switch (traits_of(graph, node).kind) {
    case OpKind::Relu:
    case OpKind::LeakyRelu:
    case OpKind::Clip:
    case OpKind::Sigmoid:
    case OpKind::HardSigmoid:
    case OpKind::HardSwish:
    case OpKind::Silu:
    case OpKind::Tanh:
    case OpKind::Gelu: return 1;
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul: return node.inputs.size();
    default: return 0;
  }
}

/// The elements that the readers of each value take, and the change that computes no others.
class StrideMover {
 public:
  explicit StrideMover(const Graph& graph)
      : graph_(graph), names_(graph), facts_(graph, default_target()),  // sizes are the same for every target
        shapes_(facts_), taken_(graph.values().size()), wanted_(graph.nodes().size()) {}

  GraphPatch patch() {
    for (const Node& node : graph_.nodes() | std::views::reverse) {
      for (const ValueId value : present(node.outputs)) taken_[value] = taken_of(graph_.value(value));
      wanted_[node.id] = wanted_by(node);
    }
    for (const ValueId input : graph_.inputs()) (void)taken_of(graph_.value(input));
    patch_.reason = "strides of 1x1 convolutions stand early";
    for (const Node& node : graph_.nodes()) change(node);
    return std::move(patch_);
  }

 private:
  /// By slot.
  using Wanted = std::vector<Strides>;

  [[nodiscard]] Strides wanted(const Use& use) const {
    const Wanted& slots = wanted_[use.node];
    return use.slot >= 0 && as_index(use.slot) < slots.size() ? slots[as_index(use.slot)] : Strides();
  }

  [[nodiscard]] Strides taken_by_readers(const Node& node) const {
    return node.output(0) && node.outputs.size() == 1 ? taken_[*node.output(0)] : Strides();
  }

  /// Returns the strides of a Conv times those of its readers.
  [[nodiscard]] Strides multiplied(Strides strides, const Node& node) const {
    const Strides taken = taken_by_readers(node);
    for (size_t i = 0; i < std::min(strides.size(), taken.size()); ++i) strides[i] *= taken[i];
    return strides;
  }

  /// Returns what all readers of a value take. Has Convs keep their strides beside a Conv that takes other elements:
  /// the engine then puts the pooling behind the pair by itself.
  Strides taken_of(const Value& value) {
    const auto is_like_first = [&](const Use& use) { return wanted(use) == wanted(value.uses.front()); };
    if (value.uses.empty()) return {};
    const bool alike = std::ranges::all_of(value.uses, is_like_first);
    if (alike && !value.is_output) return wanted(value.uses.front());
    const auto is_conv = [&](const Use& use) {
      return use.slot == 0 && traits_of(graph_, graph_.node(use.node)).kind == OpKind::Conv;
    };
    const auto first = std::ranges::find_if(value.uses, is_conv);
    const bool differ = std::any_of(first, value.uses.end(),
                                    [&](const Use& use) { return is_conv(use) && wanted(use) != wanted(*first); });
    if (differ)
      for (const Use& use : value.uses)
        if (is_conv(use)) wanted_[use.node].clear();
    return {};
  }

  /// Extents of an operand along the axes that a Conv slides over.
  enum class Reach : uint8_t { Open, SameEverywhere, Varies };

  Reach reach_of(const Node& node, MaybeValue operand, size_t axes) {
    const size_t rank = axes + as_index(kImageAxis);
    const auto shape = shapes_.of(operand);
    if (shape && shape->size() <= rank && are_ones(std::span(*shape).last(std::min(axes, shape->size()))))
      return Reach::SameEverywhere;
    if (graph_.constant(operand)) return Reach::Open;
    if (shape) return shape->size() == rank ? Reach::Varies : Reach::Open;
    // A factor for each channel may be a Conv's output too.
    const bool adds = traits_of(graph_, node).kind != OpKind::Mul;
    return adds && is_from_conv(operand, rank) ? Reach::Varies : Reach::Open;
  }

  /// True for a value with the rank of the Conv that it comes from, where a Pad by computed extents leaves shapes open.
  [[nodiscard]] bool is_from_conv(MaybeValue value, size_t rank) const {
    while (const Node* node = value ? graph_.producer(*value) : nullptr) {
      const OpKind kind = traits_of(graph_, *node).kind;
      if (kind == OpKind::Conv) {
        const Tensor* weight = graph_.constant(node->input(1));
        return weight && weight->shape().rank() == rank;
      }
      if (kind != OpKind::MaxPool && kind != OpKind::Pad && operands_by_element(graph_, *node) == 0) return false;
      value = node->input(0);
    }
    return false;
  }

  /// Returns what a node whose readers are known takes of each input.
  Wanted wanted_by(const Node& node) {
    Wanted slots(node.inputs.size());
    if (const Sliding conv = sliding_of(graph_, node); conv.by_element) {
      const Strides strides = multiplied(conv.strides, node);
      if (!are_ones(strides)) slots.front() = strides;
      return slots;
    }
    const Strides taken = taken_by_readers(node);
    const size_t operands = taken.empty() ? 0 : operands_by_element(graph_, node);
    if (operands == 0) return {};
    if (operands == 1) {
      slots.front() = taken;
      return slots;
    }
    bool alone = false;
    for (size_t i = 0; i < operands; ++i) {
      const MaybeValue operand = node.inputs[i];
      const Reach reach = reach_of(node, operand, taken.size());
      if (reach == Reach::Open) return {};
      if (reach == Reach::SameEverywhere) continue;
      slots[i] = taken;
      alone = alone || (graph_.value(*operand).uses.size() == 1 && !graph_.value(*operand).is_output);
    }
    return alone ? slots : Wanted();  // else two values would be pooled instead of one
  }

  /// True for a value that its node computes without the elements that no reader takes.
  [[nodiscard]] bool is_narrow(const Value& value) const {
    const Node* node = graph_.producer(value.id);
    if (!node || taken_[value.id].empty()) return false;
    const Sliding conv = sliding_of(graph_, *node);
    return conv.by_element || conv.may_stride || !wanted_[node->id].empty();
  }

  /// Returns the name of these elements of a value.
  const std::string& narrow(ValueId id, const Strides& strides) {
    const Value& value = graph_.value(id);
    std::string& name = narrow_[{id, strides}];
    if (!name.empty()) return name;
    name = names_.fresh(value.name + "_strided");
    if (!is_narrow(value))
      patch_.add_nodes.push_back({"MaxPool",
                                  names_.fresh(name + "_MaxPool"),
                                  {value.name},
                                  {name},
                                  {{"kernel_shape", Strides(strides.size(), 1)}, {"strides", strides}},
                                  ""});
    return name;
  }

  void change(const Node& node) {
    const Wanted& slots = wanted_[node.id];
    for (size_t i = 0; i < slots.size(); ++i)
      if (!slots[i].empty())
        patch_.rewire.push_back({node.name, static_cast<int>(i), narrow(*node.inputs[i], slots[i])});
    if (const Sliding conv = sliding_of(graph_, node); conv.by_element || conv.may_stride) {
      const bool passes_on = !slots.empty() && !slots.front().empty();
      const Strides strides = passes_on ? Strides(conv.strides.size(), 1) : multiplied(conv.strides, node);
      if (strides != conv.strides) patch_.set_attributes.push_back({node.name, {"strides", strides}});
    }
    const Strides taken = taken_by_readers(node);
    if (!taken.empty() && is_narrow(graph_.value(*node.output(0))))
      patch_.rename_outputs.push_back({node.name, 0, narrow(*node.output(0), taken)});
  }

  const Graph& graph_;
  NameSource names_;
  const GraphFacts facts_;
  CertainShapes shapes_;
  ValueMap<Strides> taken_;
  NodeMap<Wanted> wanted_;
  std::map<std::pair<ValueId, Strides>, std::string> narrow_;
  GraphPatch patch_;
};

}  // namespace

GraphPatch early_strides(const Graph& graph) {
  const bool any = std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    const Sliding conv = sliding_of(graph, node);
    return conv.by_element && !are_ones(conv.strides);
  });
  return any ? StrideMover(graph).patch() : GraphPatch();
}

}  // namespace detent::forms
