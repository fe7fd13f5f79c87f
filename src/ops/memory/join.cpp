#include "ops/memory/join.h"

#include <string>
#include <vector>

#include "core/checked_size.h"
#include "core/index.h"
#include "ops/memory/memory_order.h"
#include "ops/memory/strided_copy.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// True for the same type, rank and extents; on `axis` the extents may differ.
bool fit(const Tensor& a, const Tensor& b, size_t axis) {
  bool same = a.type() == b.type() && a.shape().rank() == b.shape().rank();
  for (size_t i = 0; same && i < a.shape().rank(); ++i) same = i == axis || a.shape()[i] == b.shape()[i];
  return same;
}

Error cannot_join(const Tensor& part, const Tensor& first) {
  const auto text = [](const Tensor& tensor) {
    return std::string(name_of(tensor.type())) + " tensor of shape " + tensor.shape().to_string();
  };
  return {ErrorCode::InvalidData, "a " + text(part) + " follows a " + text(first) + "; they cannot be joined"};
}

}  // namespace

Shape joined_shape(std::span<const Tensor> parts, int64_t at) {
  Shape shape = parts.front().shape();
  const size_t axis = axis_from_front(at, shape.rank());
  for (const Tensor& part : parts.subspan(1)) {
    if (!fit(parts.front(), part, axis)) throw cannot_join(part, parts.front());
    shape[axis] = checked_sum(shape[axis], part.shape()[axis], "the extent of the joined axis");
  }
  return shape;
}

Tensor join(std::span<const Tensor> parts, int64_t at, Allocator& allocator, Layout layout) {
  const Shape shape = joined_shape(parts, at);
  const size_t axis = axis_from_front(at, shape.rank());
  Tensor joined(parts.front().type(), shape, allocator, layout);
  if (joined.element_count() == 0) return joined;  // its extents may be too large for offsets
  const size_t bytes = byte_size(joined.type());
  const AxisView view = view_around(shape, layout, axis);
  auto* target = static_cast<std::byte*>(joined.mutable_raw());
  for (const Tensor& part : parts) {
    const Tensor ordered = layout == Layout::Plain ? to_plain(part, allocator) : to_channels_last(part, allocator);
    const int64_t run = part.shape()[axis] * view.inner;
    copy_strided(ordered.raw(), target, bytes, {{view.outer, run, view.extent * view.inner}, {run, 1, 1}});
    target += as_index(run) * bytes;
  }
  return joined;
}

Tensor stack(std::span<const Tensor> parts, int64_t at, Allocator& allocator) {
  const size_t axis = axis_from_front(at, parts.front().shape().rank() + 1);
  std::vector<Tensor> longer;
  for (const Tensor& part : parts) {
    if (part.shape() != parts.front().shape()) throw cannot_join(part, parts.front());
    longer.push_back(with_axis(to_plain(part, allocator), axis));
  }
  return join(longer, as_extent(axis), allocator);
}

Tensor part_of(const Tensor& tensor, size_t axis, int64_t first, int64_t extent, Allocator& allocator) {
  const AxisView view = view_around(tensor.shape(), Layout::Plain, axis);
  Shape shape = tensor.shape();
  shape[axis] = extent;
  Tensor part(tensor.type(), shape, allocator);
  const size_t bytes = byte_size(tensor.type());
  const auto* from = static_cast<const std::byte*>(tensor.raw()) + as_index(first * view.inner) * bytes;
  const int64_t run = extent * view.inner;
  copy_strided(from, part.mutable_raw(), bytes, {{view.outer, view.extent * view.inner, run}, {run, 1, 1}});
  return part;
}

Tensor without_axis(const Tensor& tensor, size_t axis) {
  Shape shape;
  for (size_t i = 0; i < tensor.shape().rank(); ++i)
    if (i != axis) shape.push_back(tensor.shape()[i]);
  return tensor.reshaped(shape);
}

Tensor with_axis(const Tensor& tensor, size_t axis) {
  Shape shape;
  for (size_t i = 0; i <= tensor.shape().rank(); ++i) {
    if (i == axis) shape.push_back(1);
    if (i < tensor.shape().rank()) shape.push_back(tensor.shape()[i]);
  }
  return tensor.reshaped(shape);
}

}  // namespace detent
