#pragma once

#include <span>

#include "detent/base/tensor.h"

namespace detent {

/// Returns the shape of tensors joined along axis `at`.
/// Input   at least one. Errors  InvalidData when types, ranks or the other extents differ; InvalidModel for the axis.
[[nodiscard]] Shape joined_shape(std::span<const Tensor> parts, int64_t at);
/// Joins tensors along axis `at`. Input and errors as above.
[[nodiscard]] Tensor join(std::span<const Tensor> parts, int64_t at, Allocator& allocator,
                          Layout layout = Layout::Plain);
/// Joins tensors of one shape along a new axis `at`, in plain layout. Input and errors as above.
[[nodiscard]] Tensor stack(std::span<const Tensor> parts, int64_t at, Allocator& allocator);
/// Copies elements [first, first + extent) along `axis`. `tensor` is plain, the range lies inside.
[[nodiscard]] Tensor part_of(const Tensor& tensor, size_t axis, int64_t first, int64_t extent, Allocator& allocator);
/// Return `tensor`, plain, without or with one more extent of 1 at `axis`.
[[nodiscard]] Tensor without_axis(const Tensor& tensor, size_t axis);
[[nodiscard]] Tensor with_axis(const Tensor& tensor, size_t axis);

}  // namespace detent
