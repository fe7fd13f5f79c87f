#pragma once

#include <vector>

#include "detent/base/tensor.h"

namespace detent {

// Kernels that treat all axes alike see a channels-last tensor as a plain one whose channel axis comes last.

/// Returns the position of `axis` in memory.
[[nodiscard]] inline size_t memory_axis(size_t axis, size_t rank, Layout layout) {
  if (layout == Layout::Plain || axis == 0) return axis;
  return axis == 1 ? rank - 1 : axis - 1;
}

/// Returns per-axis values (extents, pads, steps ...) in memory order.
template <class T>
[[nodiscard]] std::vector<T> in_memory_order(const std::vector<T>& values, Layout layout) {
  std::vector<T> ordered(values);
  for (size_t axis = 0; axis < values.size(); ++axis) ordered[memory_axis(axis, values.size(), layout)] = values[axis];
  return ordered;
}

/// Returns extents in memory order.
[[nodiscard]] inline Shape memory_shape(const Shape& shape, Layout layout) {
  Shape ordered = shape;
  for (size_t axis = 0; axis < shape.rank(); ++axis) ordered[memory_axis(axis, shape.rank(), layout)] = shape[axis];
  return ordered;
}

/// Memory as outer x extent x inner around one axis.
struct AxisView {
  int64_t outer = 1, extent = 1, inner = 1;
};

[[nodiscard]] inline AxisView view_around(const Shape& shape, Layout layout, size_t axis) {
  const Shape memory = memory_shape(shape, layout);
  const size_t at = memory_axis(axis, shape.rank(), layout);
  return {memory.element_count(0, at), memory[at], memory.element_count(at + 1, memory.rank())};
}

/// True when both layouts put the elements in the same places, so that a tensor may be relabelled.
[[nodiscard]] inline bool layout_is_moot(const Shape& shape) {
  return shape.rank() < 3 || shape[1] == 1 || shape.element_count(2, shape.rank()) == 1 || shape.element_count() == 0;
}

}  // namespace detent
