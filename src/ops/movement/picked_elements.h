#pragma once

#include <array>
#include <string>

#include "core/index.h"
#include "core/stop.h"
#include "ops/operands.h"

namespace detent {

/// Returns `index` counted from the front of an axis.
/// Errors  InvalidData when it lies outside.
[[nodiscard]] inline int64_t index_on_axis(int64_t index, int64_t extent) {
  const int64_t from_front = index < 0 ? index + extent : index;
  if (from_front < 0 || from_front >= extent)
    throw Error(ErrorCode::InvalidData,
                "index " + std::to_string(index) + " is outside an axis of " + std::to_string(extent));
  return from_front;
}

/// Calls take(i, offset) for every element i of `indices`, in order. `offset` is the place in a tensor of shape `data`
/// that has the coordinates of i, with indices[i] along `axis`. Ranks are equal and at least 1; except along `axis`, no
/// extent of `indices` is larger than that of `data`. Empty indices: no call.
/// Errors  InvalidData for an index outside; InvalidModel where `indices` holds no integers; Interrupted.
template <class Take>
void for_each_picked_element(const Shape& data, const Tensor& indices, size_t axis, Take&& take) {
  const Shape& shape = indices.shape();
  if (shape.element_count() == 0) return;
  const bool narrow = indices.type() == DataType::Int32;
  if (!narrow && indices.type() != DataType::Int64)
    return for_each_picked_element(data, Tensor::from<int64_t>(shape, integers_of(indices)), axis, take);
  const size_t last = shape.rank() - 1;
  std::array<int64_t, Shape::kMaxRank> strides{}, position{};
  strides[last] = 1;
  for (size_t k = last; k > 0; --k) strides[k - 1] = strides[k] * data[k];
  const int64_t extent = data[axis], along = strides[axis], step = axis == last ? 0 : 1;
  const auto walk = [&]<class Index>(const Index* index) {
    int64_t row = 0;  // where the row's elements begin in `data`, the axis left out
    for (int64_t i = 0; i < shape.element_count();) {
      in_stoppable_blocks(as_index(shape[last]), [&](size_t first, size_t end) {
        int64_t own = row + as_extent(first) * step;
        for (size_t k = first; k < end; ++k, ++i, own += step)
          take(i, own + index_on_axis(as_extent(index[i]), extent) * along);
      });
      for (size_t k = last; k-- > 0;) {
        const int64_t stride = k == axis ? 0 : strides[k];
        row += stride;
        if (++position[k] < shape[k]) break;
        row -= position[k] * stride;
        position[k] = 0;
      }
    }
  };
  if (narrow)
    walk(indices.data<int32_t>().data());
  else
    walk(indices.data<int64_t>().data());
}

}  // namespace detent
