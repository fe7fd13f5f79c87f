#pragma once

#include <span>
#include <vector>

#include "ops/window/window.h"

namespace detent {

/// Visits the taps of one window that lie inside the image: visit(offset), in elements of one channel plane, the last
/// spatial axis running fastest.
template <class Visit>
void for_each_tap(const Window& window, std::span<const int64_t> input, std::span<const int64_t> position,
                  Visit&& visit) {
  const size_t axes = input.size();
  std::vector<int64_t> tap(axes, 0);
  while (true) {
    int64_t offset = 0;
    bool inside = true;
    for (size_t i = 0; i < axes && inside; ++i) {
      const int64_t x = position[i] * window.strides[i] - window.pad_begin[i] + tap[i] * window.dilations[i];
      inside = x >= 0 && x < input[i];
      offset = offset * input[i] + x;
    }
    if (inside) visit(offset);
    size_t axis = axes;
    while (axis > 0 && ++tap[axis - 1] == window.kernel[axis - 1]) tap[--axis] = 0;
    if (axis == 0) return;
  }
}

/// Calls each(index, position) for all positions of an output plane in order.
template <class Each>
void for_each_position(std::span<const int64_t> output, Each&& each) {
  const size_t axes = output.size();
  std::vector<int64_t> position(axes, 0);
  const int64_t count = Shape(output).element_count();
  for (int64_t i = 0; i < count; ++i) {
    each(i, std::span<const int64_t>(position));
    for (size_t axis = axes; axis-- > 0;) {
      if (++position[axis] < output[axis]) break;
      position[axis] = 0;
    }
  }
}

}  // namespace detent
