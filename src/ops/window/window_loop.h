#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "ops/window/window.h"

namespace detent {

/// Counts the taps of a window on spatial axis `axis` that lie before element `bound`; its first one lies at `start`.
[[nodiscard]] inline int64_t taps_before(const Window& window, size_t axis, int64_t start, int64_t bound) {
  if (start >= bound) return 0;
  return std::min(window.kernel[axis], (bound - start - 1) / window.dilations[axis] + 1);
}

/// Visits the taps of one window that lie inside the image: visit(offset), in elements of one channel plane, the last
/// spatial axis running fastest. Taps outside take no time: a kernel may be far larger than the image.
template <class Visit>
void for_each_tap(const Window& window, std::span<const int64_t> input, std::span<const int64_t> position,
                  Visit&& visit) {
  const size_t axes = input.size();
  std::array<int64_t, Shape::kMaxRank> start{}, first{}, last{}, tap{};
  for (size_t i = 0; i < axes; ++i) {
    start[i] = position[i] * window.strides[i] - window.pad_begin[i];
    tap[i] = first[i] = taps_before(window, i, start[i], 0);
    last[i] = taps_before(window, i, start[i], input[i]);
    if (first[i] == last[i]) return;
  }
  while (true) {
    int64_t offset = 0;
    for (size_t i = 0; i < axes; ++i) offset = offset * input[i] + start[i] + tap[i] * window.dilations[i];
    visit(offset);
    size_t axis = axes;
    while (axis > 0 && ++tap[axis - 1] == last[axis - 1]) {
      --axis;
      tap[axis] = first[axis];
    }
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
