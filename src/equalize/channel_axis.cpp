#include "equalize/channel_axis.h"

#include <algorithm>
#include <ranges>

#include "ops/traits.h"

namespace detent {

namespace {

/// Returns the axis of the output, aligned from the right as operands of elementwise operators are.
std::optional<size_t> aligned(const Shape& in, const Shape& out, size_t axis) {
  if (out.rank() < in.rank()) return std::nullopt;
  const size_t behind = axis + out.rank() - in.rank();
  return out[behind] == in[axis] ? std::optional(behind) : std::nullopt;
}

/// Returns the axis when it and all axes in front of it are kept.
std::optional<size_t> kept_in_front(const Shape& in, const Shape& out, size_t axis) {
  if (axis >= out.rank() || in[axis] != out[axis]) return std::nullopt;
  return in.element_count(0, axis) == out.element_count(0, axis) ? std::optional(axis) : std::nullopt;
}

/// Returns the axis of a reshaped output that has as many elements in front of it: elements keep their order.
std::optional<size_t> reshaped(const Shape& in, const Shape& out, size_t axis) {
  for (size_t behind = 0; behind < out.rank(); ++behind)
    if (out[behind] == in[axis] && out.element_count(0, behind) == in.element_count(0, axis)) return behind;
  return std::nullopt;
}

std::optional<size_t> transposed(const Node& node, size_t rank, size_t axis) {
  const std::vector<int64_t> order = node.ints_or("perm", {});
  for (size_t behind = 0; behind < rank; ++behind) {
    const size_t from = order.empty() ? rank - 1 - behind : static_cast<size_t>(order.at(behind));
    if (from == axis) return behind;
  }
  return std::nullopt;
}

/// Returns the integers of the attribute or, where it is absent, of the constant input `slot`; nullopt when unknown.
std::optional<std::vector<int64_t>> integers(const Graph& graph, const Node& node, const char* attribute, size_t slot) {
  if (node.has(attribute)) return node.ints_or(attribute, {});
  const Tensor* constant = graph.constant(node.input(slot));
  if (!constant) return std::nullopt;
  const Tensor wide = cast(*constant, DataType::Int64);
  return std::vector<int64_t>(wide.data<int64_t>().begin(), wide.data<int64_t>().end());
}

/// True when a negative or positive index of an axis names `axis`.
bool names_axis(int64_t index, size_t axis, size_t rank) {
  return static_cast<size_t>(index < 0 ? index + static_cast<int64_t>(rank) : index) == axis;
}

/// True when the node works on the axis, or the axes that it works on are not known.
bool works_on(const Graph& graph, const Node& node, size_t slot, size_t axis, size_t rank) {
  const auto axes = integers(graph, node, "axes", slot);
  return !axes || std::ranges::any_of(*axes, [&](int64_t one) { return names_axis(one, axis, rank); });
}

/// True when a Pad adds or removes elements on the axis, or may do so. Extents do not tell: a Pad may add at the
/// beginning as many as it removes at the end.
bool pads_on(const Graph& graph, const Node& node, size_t axis, size_t rank) {
  const auto pads = integers(graph, node, node.has("pads") ? "pads" : "paddings", 1);
  std::optional<std::vector<int64_t>> axes;
  if (node.input(3) && !(axes = integers(graph, node, "axes", 3))) return true;
  const size_t count = axes ? axes->size() : rank;
  if (!pads || pads->size() != 2 * count) return true;
  for (size_t i = 0; i < count; ++i) {
    if (!names_axis(axes ? (*axes)[i] : static_cast<int64_t>(i), axis, rank)) continue;
    if ((*pads)[i] != 0 || (*pads)[count + i] != 0) return true;
  }
  return false;
}

}  // namespace

std::optional<size_t> axis_behind(const Graph& graph, const ValueShapes& shapes, const Node& node, size_t slot,
                                  size_t axis, size_t output) {
  const Shape *in = find_shape(shapes, node.input(slot)), *out = find_shape(shapes, node.output(output));
  if (!in || !out || axis >= in->rank()) return std::nullopt;
  const Shape &from = *in, &to = *out;
  switch (traits_of(graph, node).kind) {
    case OpKind::Relu:
    case OpKind::LeakyRelu:
    case OpKind::PRelu:
    case OpKind::Clip:
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Div: return aligned(from, to, axis);
    case OpKind::MaxPool:
    case OpKind::AveragePool:
    case OpKind::Resize:
    case OpKind::GlobalAveragePool: return slot == 0 ? kept_in_front(from, to, axis) : std::nullopt;
    case OpKind::Pad:
      return slot == 0 && !pads_on(graph, node, axis, from.rank()) ? kept_in_front(from, to, axis) : std::nullopt;
    case OpKind::ReduceMean:
      return slot == 0 && !works_on(graph, node, 1, axis, from.rank()) ? kept_in_front(from, to, axis) : std::nullopt;
    case OpKind::Slice:
      return slot == 0 && !works_on(graph, node, 3, axis, from.rank()) ? kept_in_front(from, to, axis) : std::nullopt;
    case OpKind::Concat:
    case OpKind::Split: return from.rank() == to.rank() ? std::optional(axis) : std::nullopt;
    case OpKind::Reshape: return slot == 0 ? reshaped(from, to, axis) : std::nullopt;
    case OpKind::Transpose: return transposed(node, from.rank(), axis);
    default: return std::nullopt;
  }
}

std::optional<size_t> axis_before(const Graph& graph, const ValueShapes& shapes, const Node& node, size_t slot,
                                  size_t axis, size_t output) {
  const Shape* in = find_shape(shapes, node.input(slot));
  if (!in) return std::nullopt;
  for (size_t before = 0; before < in->rank(); ++before)
    if (axis_behind(graph, shapes, node, slot, before, output) == axis) return before;
  return std::nullopt;
}

bool is_rescalable(const Graph& graph, const Node& node) {
  const OpTraits& traits = traits_of(graph, node);
  if (!node.domain.empty() || traits.weight_slot != 1 || graph.value(*node.input(0)).is_constant) return false;
  const Tensor* weight = graph.constant(node.input(1));
  if (!weight || weight->element_count() == 0) return false;
  if (traits.bias_slot >= 0 && node.input(traits.bias_slot) && !graph.constant(node.input(traits.bias_slot)))
    return false;
  switch (traits.kind) {
    case OpKind::Conv:
    case OpKind::ConvTranspose: return weight->shape().rank() >= 3;
    case OpKind::Gemm: return weight->shape().rank() == 2 && node.int_or("transA", 0) == 0;
    case OpKind::MatMul: return weight->shape().rank() == 2;
    default: return false;
  }
}

std::optional<size_t> channel_axis_read(const Graph& graph, const Node& node, const Shape& shape) {
  if (!is_rescalable(graph, node) || shape.rank() < 2) return std::nullopt;
  const OpKind kind = traits_of(graph, node).kind;
  return kind == OpKind::MatMul || kind == OpKind::Gemm ? shape.rank() - 1 : size_t{1};
}

std::optional<size_t> channel_axis_written(const Graph& graph, const Node& node, const Shape& shape) {
  if (shape.rank() < 2) return std::nullopt;
  const OpKind kind = traits_of(graph, node).kind;
  if (kind == OpKind::LayerNorm) return shape.rank() - 1;
  if (kind == OpKind::InstanceNorm) return size_t{1};
  return channel_axis_read(graph, node, shape);
}

namespace {

class AxisFinder {
 public:
  AxisFinder(const Graph& graph, const ValueShapes& shapes)
      : graph_(graph), shapes_(shapes), axes_(graph.values().size(), -1) {
    for (const Node& node : graph.nodes()) begin_at(node);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Node& node : graph.nodes()) changed |= across(node);
      for (const Node& node : graph.nodes() | std::views::reverse) changed |= across(node);
    }
  }

  [[nodiscard]] ValueMap<int> take() { return std::move(axes_); }

 private:
  bool set(MaybeValue value, std::optional<size_t> axis) {
    if (!value || !axis || graph_.value(*value).is_constant) return false;
    int& known = axes_[*value];
    if (known >= 0) return false;
    known = static_cast<int>(*axis);
    return true;
  }

  void begin_at(const Node& node) {
    const MaybeValue in = node.input(0), out = node.output(0);
    if (const Shape* shape = find_shape(shapes_, in)) set(in, channel_axis_read(graph_, node, *shape));
    if (const Shape* shape = find_shape(shapes_, out)) set(out, channel_axis_written(graph_, node, *shape));
  }

  [[nodiscard]] int axis_of(MaybeValue value) const { return value ? axes_[*value] : -1; }

  /// Carries axes across one node, in both directions.
  bool across(const Node& node) {
    bool changed = false;
    for (size_t output = 0; output < node.outputs.size(); ++output)
      for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
        const MaybeValue in = node.inputs[slot], out = node.outputs[output];
        if (axis_of(in) >= 0)
          changed |= set(out, axis_behind(graph_, shapes_, node, slot, static_cast<size_t>(axis_of(in)), output));
        else if (axis_of(out) >= 0)
          changed |= set(in, axis_before(graph_, shapes_, node, slot, static_cast<size_t>(axis_of(out)), output));
      }
    return changed;
  }

  const Graph& graph_;
  const ValueShapes& shapes_;
  ValueMap<int> axes_;
};

}  // namespace

ValueMap<int> channel_axes(const Graph& graph, const ValueShapes& shapes) { return AxisFinder(graph, shapes).take(); }

}  // namespace detent
