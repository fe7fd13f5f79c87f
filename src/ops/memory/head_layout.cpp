#include "ops/memory/head_layout.h"

#include <algorithm>
#include <string>

#include "ops/memory/strided_copy.h"

namespace detent {

Tensor swap_middle(const Tensor& tensor, Allocator& allocator) {
  const Shape& s = tensor.shape();
  Tensor result(tensor.type(), Shape{s[0], s[2], s[1], s[3]}, allocator);
  if (tensor.element_count() > 0)
    copy_strided(tensor.raw(), result.mutable_raw(), byte_size(tensor.type()),
                 {{s[0], s[1] * s[2] * s[3], s[1] * s[2] * s[3]},
                  {s[2], s[3], s[1] * s[3]},
                  {s[1], s[2] * s[3], s[3]},
                  {s[3], 1, 1}});
  return result;
}

Tensor join_steps(const Tensor& first, const Tensor& second, Allocator& allocator) {
  const Shape &a = first.shape(), &b = second.shape();
  if (a.rank() != 4 || b.rank() != 4 || a[0] != b[0] || a[1] != b[1] || a[3] != b[3] || first.type() != second.type())
    throw Error(ErrorCode::InvalidData,
                "a past of shape " + a.to_string() + " does not fit new steps of shape " + b.to_string());
  Tensor result(first.type(), Shape{a[0], a[1], a[2] + b[2], a[3]}, allocator);
  const size_t bytes = byte_size(first.type());
  const size_t front = static_cast<size_t>(a[2] * a[3]) * bytes, back = static_cast<size_t>(b[2] * b[3]) * bytes;
  const auto* x = static_cast<const std::byte*>(first.raw());
  const auto* y = static_cast<const std::byte*>(second.raw());
  auto* out = static_cast<std::byte*>(result.mutable_raw());
  for (int64_t i = 0; i < a[0] * a[1]; ++i, x += front, y += back) {
    out = std::copy_n(x, front, out);
    out = std::copy_n(y, back, out);
  }
  return result;
}

}  // namespace detent
