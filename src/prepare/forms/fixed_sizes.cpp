#include <algorithm>
#include <ranges>
#include <set>
#include <vector>

#include "core/text.h"
#include "model/name_source.h"
#include "ops/traits.h"
#include "place/draft/certain_shapes.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

/// Writes sizes that the graph fixes, and the batch of Reshapes as what it copies.
class SizeWriter {
 public:
  explicit SizeWriter(const Graph& graph)
      : graph_(graph), names_(graph), facts_(graph, default_target()), shapes_(facts_) {}

  void write(GraphPatch& patch) {
    leave_out_unread(patch);
    for (const Node& node : graph_.nodes()) {
      if (!node.domain.empty() || !node.output(0) || unread_.contains(node.id)) continue;
      if (node.op_type == "Reshape")
        write_reshape(node, patch);
      else
        write_size(node, patch);
    }
  }

 private:
  static constexpr int64_t kOpen = CertainShapes::kOpen;
  static constexpr int kFarthest = 4000;  ///< nodes on the way to a graph input

  [[nodiscard]] const Node* producer(MaybeValue value) const {
    const Node* node = graph_.producer(value);
    return node && node->domain.empty() ? node : nullptr;
  }

  /// Removes nodes that computed sizes for others that are constants now.
  void leave_out_unread(GraphPatch& patch) {
    constexpr std::string_view kOfSizes = "Shape Gather Unsqueeze Squeeze Concat Cast Add Sub Mul Div Mod";
    for (const Node& node : graph_.nodes() | std::views::reverse) {
      if (!node.domain.empty() || !has_word(kOfSizes, node.op_type) || !node.output(0)) continue;
      const Value& value = graph_.value(*node.output(0));
      if (value.is_output ||
          !std::ranges::all_of(value.uses, [&](const Use& use) { return unread_.contains(use.node); }))
        continue;
      unread_.insert(node.id);
      patch.remove_nodes.push_back(node.name);
    }
  }

  /// Makes a constant of Shape, or of what Gather takes of it.
  void write_size(const Node& node, GraphPatch& patch) {
    const Node* source = node.op_type == "Gather" ? producer(node.input(0)) : nullptr;
    const Tensor* places = source && source->op_type == "Shape" ? graph_.constant(node.input(1)) : nullptr;
    if ((node.op_type != "Shape" && !places) || graph_.value(*node.output(0)).is_output) return;
    const auto numbers = shapes_.numbers(node.output(0));
    if (!numbers || std::ranges::find(*numbers, kOpen) != numbers->end()) return;
    const Shape shape = places ? places->shape() : Shape{std::ssize(*numbers)};
    if (shape.element_count() != std::ssize(*numbers)) return;
    patch.remove_nodes.push_back(node.name);
    patch.add_initializers.emplace_back(graph_.value(*node.output(0)).name, Tensor::from<int64_t>(shape, *numbers));
  }

  /// Makes a constant of the shape of a Reshape: 0 for the batch, -1 for one other open extent.
  void write_reshape(const Node& node, GraphPatch& patch) {
    if (!node.input(0) || !node.input(1) || graph_.constant(node.input(1)) || node.int_or("allowzero", 0) != 0) return;
    auto wanted = shapes_.numbers(node.input(1));
    if (!wanted || wanted->empty() || std::ranges::find(*wanted, 0) != wanted->end()) return;
    if (wanted->front() == kOpen && copies_batch(node)) wanted->front() = 0;
    const auto is_open = [](int64_t extent) { return extent == kOpen || extent == -1; };
    if (std::ranges::count_if(*wanted, is_open) > 1) return;
    std::ranges::replace(*wanted, kOpen, int64_t{-1});
    const std::string shape = names_.fresh(node.name + "_shape");
    patch.add_initializers.emplace_back(shape, Tensor::from<int64_t>({std::ssize(*wanted)}, *wanted));
    patch.rewire.push_back({node.name, 1, shape});
  }

  /// True where the first extent of a Reshape is that of the value that it reads.
  [[nodiscard]] bool copies_batch(const Node& node) {
    const MaybeValue asked = batch_source(node.input(1));
    return asked && origin(asked) && origin(asked) == origin(node.input(0));
  }

  /// Returns the value whose first extent is the first number of a shape; kNoValue where another number stands there.
  [[nodiscard]] MaybeValue batch_source(MaybeValue shape) const {
    for (int steps = 0; steps < kFarthest; ++steps) {
      const Node* node = producer(shape);
      if (!node) return kNoValue;
      if (node->op_type == "Gather") {
        const Tensor* place = graph_.constant(node->input(1));
        const Node* source = producer(node->input(0));
        const bool first =
            place && place->type() == DataType::Int64 && place->element_count() == 1 && place->data<int64_t>()[0] == 0;
        return first && source && source->op_type == "Shape" && !source->has("start") ? source->input(0) : kNoValue;
      }
      if (node->op_type != "Concat" && node->op_type != "Unsqueeze" && node->op_type != "Cast") return kNoValue;
      shape = node->input(0);
    }
    return kNoValue;
  }

  /// Returns the value farthest up that has the same first extent: a graph input, or what another extent comes in by.
  [[nodiscard]] MaybeValue origin(MaybeValue value) {
    for (int steps = 0; steps < kFarthest; ++steps) {
      const Node* node = producer(value);
      if (!node || node->output(0) != value || !keeps_batch(*node)) return value;
      value = node->input(0);
    }
    return kNoValue;
  }

  [[nodiscard]] bool keeps_batch(const Node& node) {
    const OpKind kind = traits_of(graph_, node).kind;
    if (is_activation(kind)) return true;
    switch (kind) {
      case OpKind::Conv:
      case OpKind::ConvTranspose:
      case OpKind::MaxPool:
      case OpKind::AveragePool:
      case OpKind::GlobalAveragePool:
      case OpKind::BatchNorm:
      case OpKind::LayerNorm:
      case OpKind::Gelu:
      case OpKind::Cast: return true;
      case OpKind::Add:
      case OpKind::Mul: {  // of a constant that repeats along the first axis
        const Tensor* other = graph_.constant(node.input(1));
        const auto shape = other ? shapes_.of(node.input(0)) : std::nullopt;
        if (!shape || shape->size() < 2 || other->shape().rank() > shape->size()) return false;
        return other->shape().rank() < shape->size() || other->shape()[0] == 1;
      }
      case OpKind::Concat: return node.int_or("axis", 0) > 0;
      case OpKind::Transpose: {
        const std::vector<int64_t> order = node.ints_or("perm", {});
        return !order.empty() && order[0] == 0;
      }
      case OpKind::Slice: {
        const Tensor* axes = graph_.constant(node.input(3));
        return axes && axes->type() == DataType::Int64 && axes->element_count() == 1 && axes->data<int64_t>()[0] > 0;
      }
      case OpKind::Reshape: {
        const Tensor* shape = node.op_type == "Reshape" ? graph_.constant(node.input(1)) : nullptr;
        return shape && shape->type() == DataType::Int64 && shape->element_count() > 0 &&
               shape->data<int64_t>()[0] == 0 && node.int_or("allowzero", 0) == 0;
      }
      default: return false;
    }
  }

  const Graph& graph_;
  NameSource names_;
  GraphFacts facts_;  // sizes are the same for every target
  CertainShapes shapes_;
  std::set<NodeId> unread_;
};

}  // namespace

GraphPatch fixed_sizes(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "write sizes that the graph fixes";
  if (std::ranges::any_of(graph.nodes(), [](const Node& node) { return node.op_type == "Shape"; }))
    SizeWriter(graph).write(patch);
  return patch;
}

}  // namespace detent::forms
