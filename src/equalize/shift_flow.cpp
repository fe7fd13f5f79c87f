#include "equalize/shift_flow.h"

#include <algorithm>
#include <functional>

#include "equalize/weight_channels.h"
#include "ops/traits.h"

namespace detent {

namespace {

bool all_are(const std::vector<int64_t>& numbers, int64_t wanted) {
  return std::ranges::all_of(numbers, [&](int64_t number) { return number == wanted; });
}

/// Nothing lies around the input: SAME pads, but for a window of one element.
bool is_unpadded(const Node& node, const std::vector<int64_t>& kernel) {
  const std::string automatic = node.string_or("auto_pad", "NOTSET");
  if (automatic == "VALID") return true;
  return automatic == "NOTSET" ? all_are(node.ints_or("pads", {}), 0) : all_are(kernel, 1);
}

/// One number a channel can be added without spreading the constant over more than the channels.
bool takes_numbers(const Tensor& constant, size_t from_right, int64_t channels) {
  const Shape& shape = constant.shape();
  const int64_t extent = from_right < shape.rank() ? shape[shape.rank() - 1 - from_right] : 1;
  return constant.element_count() == 1 || extent == channels;
}

std::vector<int64_t> window_of(const Tensor& weight) { return {weight.shape().begin() + 2, weight.shape().end()}; }

}  // namespace

std::optional<size_t> added_constant(const Graph& graph, const Node& node, size_t from_right, int64_t channels) {
  if (traits_of(graph, node).kind != OpKind::Add || !node.domain.empty() || node.inputs.size() != 2)
    return std::nullopt;
  const Tensor *left = graph.constant(node.input(0)), *right = graph.constant(node.input(1));
  if (!left == !right || !takes_numbers(left ? *left : *right, from_right, channels)) return std::nullopt;
  return left ? size_t{0} : size_t{1};
}

std::optional<Use> bias_behind(const Graph& graph, const Node& node) {
  if (!is_rescalable(graph, node)) return std::nullopt;
  const OpTraits& traits = traits_of(graph, node);
  if (traits.kind == OpKind::MatMul) {
    const Value& product = graph.value(node.output(0));
    if (product.uses.size() != 1 || product.is_output || product.uses.front().slot < 0) return std::nullopt;
    const Node& sum = graph.node(product.uses.front().node);
    const auto slot = added_constant(graph, sum, 0, output_channels(graph, node));
    return slot ? std::optional(Use{sum.id, static_cast<int>(*slot)}) : std::nullopt;
  }
  const Tensor* bias = graph.constant(node.input(static_cast<size_t>(traits.bias_slot)));
  if (bias && !takes_numbers(*bias, 0, output_channels(graph, node))) return std::nullopt;
  if (traits.kind == OpKind::Gemm && node.float_or("beta", 1) == 0) return std::nullopt;
  return Use{node.id, traits.bias_slot};
}

ShiftFlow::ShiftFlow(const Graph& graph, const ValueShapes& shapes)
    : graph_(graph), shapes_(shapes), axes_(channel_axes(graph, shapes)), takes_(graph.values().size()) {
  const auto decide = [&](const Value& value) {
    takes_[static_cast<size_t>(value.id)] =
        tracks(value.id) && shapes.contains(value.id) && !value.is_output &&
        std::ranges::all_of(value.uses, [&](const Use& use) {
          return use.slot >= 0 && can_take(graph.node(use.node), static_cast<size_t>(use.slot));
        });
  };
  // Nodes lie in an execution order: from the end, the readers of a value are decided before the value.
  for (size_t i = graph.nodes().size(); i-- > 0;)
    for (const ValueId output : graph.nodes()[i].outputs)
      if (output != kNoValue) decide(graph.value(output));
}

bool ShiftFlow::keeps_channels(const Node& node, size_t slot, size_t output) const {
  const ValueId in = node.input(slot), out = node.output(output);
  if (!tracks(in) || !tracks(out) || !shapes_.contains(in) || !shapes_.contains(out)) return false;
  return count(in) == count(out) && axis_behind(graph_, shapes_, node, slot, static_cast<size_t>(axis(in)), output) ==
                                        static_cast<size_t>(axis(out));
}

bool ShiftFlow::adds_constant(const Node& node) const {
  const ValueId out = node.output(0);
  if (!tracks(out) || !shapes_.contains(out)) return false;
  const size_t from_right = shapes_.at(out).rank() - 1 - static_cast<size_t>(axis(out));
  return added_constant(graph_, node, from_right, count(out)).has_value();
}

/// Zeros around the input would have to become the number that was subtracted; of a transposed window every output sees
/// other parts.
bool ShiftFlow::reads_without_padding(const Node& node) const {
  switch (traits_of(graph_, node).kind) {
    case OpKind::Conv: return is_unpadded(node, window_of(*graph_.constant(node.input(1))));
    case OpKind::Gemm:
    case OpKind::MatMul: return true;
    default: return false;
  }
}

bool ShiftFlow::can_take(const Node& node, size_t slot) const {
  if (!node.domain.empty()) return false;
  if (traits_of(graph_, node).kind == OpKind::ShapeOf) return true;
  if (!is_rescalable(graph_, node)) return can_pass(node, slot);
  const ValueId in = node.input(0);
  return slot == 0 && tracks(in) && shapes_.contains(in) &&
         channel_axis_read(graph_, node, shapes_.at(in)) == static_cast<size_t>(axis(in)) &&
         reads_without_padding(node) && bias_behind(graph_, node);
}

bool ShiftFlow::runs_over_channels(const Node& node, ValueId whole, int64_t default_axis) const {
  const auto rank = static_cast<int64_t>(shapes_.at(whole).rank());
  const int64_t over = node.int_or("axis", default_axis);
  return (over < 0 ? over + rank : over) == axis(whole);
}

bool ShiftFlow::can_pass(const Node& node, size_t slot) const {
  const ValueId out = node.output(0);
  const auto passes = [&] { return keeps_channels(node, slot) && takes(out); };
  switch (traits_of(graph_, node).kind) {
    case OpKind::Add: return node.inputs.size() == 2 && passes();
    case OpKind::MaxPool: return slot == 0 && passes();  // pads with the lowest number, which is never the largest
    case OpKind::AveragePool: {
      const bool divides_by_window = node.int_or("count_include_pad", 0) != 0;
      const bool inside = is_unpadded(node, node.ints_or("kernel_shape", {})) && node.int_or("ceil_mode", 0) == 0;
      return slot == 0 && (!divides_by_window || inside) && passes();
    }
    case OpKind::GlobalAveragePool:
    case OpKind::ReduceMean:
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::Slice: return slot == 0 && passes();
    case OpKind::Resize:  // weights of one: only cropping fills up with a number of its own
      return slot == 0 && node.string_or("coordinate_transformation_mode", "") != "tf_crop_and_resize" && passes();
    case OpKind::Pad: return slot == 0 && node.string_or("mode", "constant") != "constant" && passes();
    case OpKind::Concat:
      return tracks(out) && takes(out) && runs_over_channels(node, out, 1) &&
             std::ranges::all_of(node.inputs, [&](ValueId part) { return tracks(part) && axis(part) == axis(out); });
    case OpKind::Split:
      return slot == 0 && tracks(node.input(0)) && std::ranges::all_of(node.outputs, [&](ValueId part) {
               return part == kNoValue || (tracks(part) && axis(part) == axis(node.input(0)) && takes(part));
             });
    default: return false;
  }
}

/// Of a Concat over channels.
Shift ShiftFlow::joined(const Node& node, const std::map<ValueId, Shift>& shifts) const {
  Shift whole;
  for (const ValueId part : node.inputs) {
    const auto found = shifts.find(part);
    if (found == shifts.end())
      whole.resize(whole.size() + static_cast<size_t>(count(part)));
    else
      whole.insert(whole.end(), found->second.begin(), found->second.end());
  }
  return whole;
}

void ShiftFlow::split(const Node& node, std::map<ValueId, Shift>& shifts) const {
  const ValueId whole = node.input(0);
  const bool over_channels = runs_over_channels(node, whole, 0);
  int64_t first = 0;
  for (const ValueId part : node.outputs) {
    if (part == kNoValue) continue;
    const auto begin = shifts.at(whole).begin() + (over_channels ? first : 0);
    shifts[part] = Shift(begin, begin + count(part));
    first += count(part);
  }
}

void ShiftFlow::carry(std::map<ValueId, Shift>& shifts) const {
  for (const Node& node : graph_.nodes()) {
    const auto is_shifted = [&](ValueId value) { return shifts.contains(value); };
    if (std::ranges::none_of(node.inputs, is_shifted) || is_rescalable(graph_, node)) continue;
    const OpKind kind = traits_of(graph_, node).kind;
    const ValueId out = node.output(0);
    if (kind == OpKind::ShapeOf) continue;
    if (kind == OpKind::Split) {
      split(node, shifts);
    } else if (kind == OpKind::Concat) {
      shifts[out] = joined(node, shifts);
    } else if (kind == OpKind::Add) {
      Shift sum(static_cast<size_t>(count(out)));
      for (const ValueId in : node.inputs)
        if (is_shifted(in)) std::ranges::transform(sum, shifts.at(in), sum.begin(), std::plus<>());
      shifts[out] = std::move(sum);
    } else {
      shifts[out] = shifts.at(node.input(0));
    }
  }
  std::erase_if(
      shifts, [](const auto& entry) { return std::ranges::all_of(entry.second, [](double one) { return one == 0; }); });
}

}  // namespace detent
