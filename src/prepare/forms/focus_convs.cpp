#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "place/draft/certain_shapes.h"
#include "prepare/forms/form_patch.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

using Numbers = std::vector<int64_t>;
using Pair = std::array<int64_t, 2>;  // of rows and columns

constexpr int64_t kWidestWindow = 16;  // of a Conv that the engine takes as one
constexpr int64_t kWidestStride = 7;
constexpr size_t kPlane = 2;  // the first axis of a plane

/// Pixels of a value: every `step`-th row and column from `first` on.
struct Pixels {
  ValueId source{};
  std::array<std::optional<int64_t>, 2> first = {}, step = {};
  std::vector<const Node*> slices = {};
};

/// A Conv of constants over a plane, with its numbers of rows and columns.
struct PlaneConv {
  const Tensor* weight = nullptr;
  Pair window = {}, strides = {};
  Numbers pads;
};

std::optional<PlaneConv> plane_conv(const Graph& graph, const Node& node) {
  const Tensor* weight = node.op_type == "Conv" && node.domain.empty() ? graph.constant(node.input(1)) : nullptr;
  if (!weight || !node.input(0) || !node.output(0) || weight->type() != DataType::Float32 ||
      weight->shape().rank() != 4 || weight->element_count() == 0 || node.int_or("group", 1) != 1 ||
      node.string_or("auto_pad", "NOTSET") != "NOTSET" || node.ints_or("dilations", {1, 1}) != Numbers{1, 1})
    return {};
  const Numbers strides = node.ints_or("strides", {1, 1});
  PlaneConv conv{weight, {weight->shape()[2], weight->shape()[3]}, {}, node.ints_or("pads", {0, 0, 0, 0})};
  const auto within = [](const Numbers& numbers, int64_t least, int64_t most) {
    return std::ranges::all_of(numbers, [&](int64_t number) { return number >= least && number <= most; });
  };
  if (strides.size() != 2 || conv.pads.size() != 4 || !within(strides, 1, kWidestStride) ||
      !within(conv.pads, 0, kWidestWindow))
    return {};
  conv.strides = {strides[0], strides[1]};
  return conv;
}

class FocusFinder {
 public:
  explicit FocusFinder(const Graph& graph) : graph_(graph) {}

  /// Returns the pixels that Slices take of a value, to its end; those of none where other nodes make it.
  std::optional<Pixels> pixels_of(ValueId value) {
    Pixels found{value};
    while (const Node* slice = graph_.producer(found.source)) {
      if (slice->op_type != "Slice" || !slice->domain.empty()) break;
      if (!slice->input(0) || !add_steps(*slice, found)) return {};
      found.slices.push_back(slice);
      found.source = *slice->input(0);
    }
    return found;
  }

  [[nodiscard]] std::optional<Numbers> shape_of(ValueId value) { return shapes_.of(value); }

 private:
  /// Adds what a Slice takes along rows and columns. Returns false where it takes something else.
  bool add_steps(const Node& slice, Pixels& found) {
    const auto shape = shapes_.of(slice.input(0));
    const auto starts = shapes_.numbers(slice.input(1)), ends = shapes_.numbers(slice.input(2)),
               axes = shapes_.numbers(slice.input(3)), steps = shapes_.numbers(slice.input(4));
    if (!shape || shape->size() != 4 || !starts || !ends || !axes || !steps || starts->size() != axes->size() ||
        ends->size() != axes->size() || steps->size() != axes->size())
      return false;
    for (size_t i = 0; i < axes->size(); ++i) {
      const int64_t axis = (*axes)[i] < 0 ? (*axes)[i] + 4 : (*axes)[i];
      if (axis != 2 && axis != 3) return false;
      const int64_t extent = (*shape)[static_cast<size_t>(axis)], step = (*steps)[i], start = (*starts)[i];
      const size_t at = static_cast<size_t>(axis) - kPlane;
      const bool whole = extent > 0 && step >= 2 && step <= kWidestStride && extent % step == 0;
      if (!whole || start < 0 || start >= step || (*ends)[i] < extent || found.step[at]) return false;
      found.first[at] = start, found.step[at] = step;
    }
    return true;
  }

  const Graph& graph_;
  const GraphFacts facts_{graph_, default_target()};
  CertainShapes shapes_{facts_};
};

/// The parts of a Concat that holds every pixel of a value once: one for each place in a patch.
struct Focus {
  ValueId source{};
  Pair step = {};
  int64_t channels = 0;  ///< of the source
  std::vector<Pixels> parts = {};
};

std::optional<Focus> focus_of(FocusFinder& finder, const Node& concat) {
  Focus focus;
  std::set<Pair> places;
  for (const MaybeValue input : concat.inputs) {
    std::optional<Pixels> pixels = input ? finder.pixels_of(*input) : std::nullopt;
    if (!pixels || !pixels->step[0] || !pixels->step[1]) return {};
    const Pair step{*pixels->step[0], *pixels->step[1]};
    if (focus.parts.empty()) focus.source = pixels->source, focus.step = step;
    if (pixels->source != focus.source || step != focus.step) return {};
    if (!places.insert({*pixels->first[0], *pixels->first[1]}).second) return {};
    focus.parts.push_back(std::move(*pixels));
  }
  const auto shape = finder.shape_of(focus.source);
  if (focus.parts.empty() || !shape || shape->size() != 4 || (*shape)[1] < 1) return {};
  focus.channels = (*shape)[1];
  return std::ssize(focus.parts) == focus.step[0] * focus.step[1] ? std::optional(std::move(focus)) : std::nullopt;
}

/// Returns the weights [M, C, h, w] that read the source, of those [M, parts * C, h, w] that read the parts.
Tensor wide_weight(const PlaneConv& conv, const Focus& focus) {
  const int64_t outputs = conv.weight->shape()[0], channels = focus.channels;
  const Pair window{conv.window[0] * focus.step[0], conv.window[1] * focus.step[1]};
  Tensor wide(DataType::Float32, Shape({outputs, channels, window[0], window[1]}));
  const auto to = wide.mutable_data<float>();
  const auto from = conv.weight->data<float>();
  size_t at = 0;
  for (int64_t output = 0; output < outputs; ++output)
    for (const Pixels& part : focus.parts)
      for (int64_t channel = 0; channel < channels; ++channel)
        for (int64_t y = *part.first[0]; y < window[0]; y += focus.step[0])
          for (int64_t x = *part.first[1]; x < window[1]; x += focus.step[1])
            to[static_cast<size_t>(((output * channels + channel) * window[0] + y) * window[1] + x)] = from[at++];
  return wide;
}

class FocusWriter {
 public:
  explicit FocusWriter(const Graph& graph)
      : graph_(graph), finder_(graph), patch_(graph, "write a Conv of sliced pixels as one with strides") {}

  GraphPatch write() {
    for (const Node& node : graph_.nodes()) replace(node);
    return patch_.take();
  }

 private:
  void replace(const Node& node) {
    const auto conv = plane_conv(graph_, node);
    const Node* concat = conv ? graph_.producer(node.input(0)) : nullptr;
    if (!concat || concat->op_type != "Concat" || !concat->domain.empty() || !reads_alone(*concat->output(0))) return;
    const int64_t axis = concat->int_or("axis", 0);
    const auto focus = axis == 1 || axis == -3 ? focus_of(finder_, *concat) : std::nullopt;
    if (!focus || conv->weight->shape()[1] != focus->channels * std::ssize(focus->parts)) return;
    const Pair& step = focus->step;
    for (const size_t i : {0U, 1U})
      if (conv->window[i] * step[i] > kWidestWindow || conv->strides[i] * step[i] > kWidestStride) return;
    write(node, *conv, *focus);
    patch_.remove(*concat);
    gone_.insert(concat->id);
    for (const Pixels& part : focus->parts)
      for (const Node* slice : part.slices) remove_unread(*slice);
  }

  void write(const Node& node, const PlaneConv& conv, const Focus& focus) {
    const Pair& step = focus.step;
    std::vector<Attribute> attributes = attributes_without(node, {"kernel_shape", "strides", "pads"});
    const auto add = [&](const char* name, Numbers numbers) { attributes.push_back({name, std::move(numbers)}); };
    add("kernel_shape", {conv.window[0] * step[0], conv.window[1] * step[1]});
    add("strides", {conv.strides[0] * step[0], conv.strides[1] * step[1]});
    add("pads", {conv.pads[0] * step[0], conv.pads[1] * step[1], conv.pads[2] * step[0], conv.pads[3] * step[1]});
    NodeSpec wide{"Conv",
                  node.name,
                  {patch_.name_of(focus.source), patch_.constant(node, "window", wide_weight(conv, focus))},
                  {patch_.name_of(node.output(0))},
                  std::move(attributes),
                  ""};
    if (node.input(2)) wide.inputs.push_back(patch_.name_of(node.input(2)));
    patch_.remove(node);
    patch_.add(std::move(wide));
  }

  [[nodiscard]] bool reads_alone(ValueId value) const {
    return graph_.value(value).uses.size() == 1 && !graph_.value(value).is_output;
  }

  /// Removes a Slice that only nodes read which are gone, too.
  void remove_unread(const Node& slice) {
    const Value& taken = graph_.value(*slice.output(0));
    const bool unread = std::ranges::all_of(taken.uses, [&](const Use& use) { return gone_.contains(use.node); });
    if (taken.is_output || !unread || !gone_.insert(slice.id).second) return;
    patch_.remove(slice);
  }

  const Graph& graph_;
  FocusFinder finder_;
  FormPatch patch_;
  std::set<NodeId> gone_ = {};
};

}  // namespace

GraphPatch focus_convs(const Graph& graph) { return FocusWriter(graph).write(); }

}  // namespace detent::forms
