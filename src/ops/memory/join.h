#pragma once

#include <span>

#include "detent/base/tensor.h"

namespace detent {

/// Tensors one after the other along axis `at`, in plain layout.
/// Input   at least one. Errors  InvalidData when types, ranks or the other extents differ; InvalidModel for the axis.
[[nodiscard]] Tensor join(std::span<const Tensor> parts, int64_t at, Allocator& allocator);
/// Equal tensors along a new axis `at`, in plain layout. Input and errors as above.
[[nodiscard]] Tensor stack(std::span<const Tensor> parts, int64_t at, Allocator& allocator);
/// Elements [first, first + extent) along `axis` in memory of their own. `tensor` is plain, the range lies inside.
[[nodiscard]] Tensor part_of(const Tensor& tensor, size_t axis, int64_t first, int64_t extent, Allocator& allocator);
/// `tensor`, plain, without or with one more extent of 1 at `axis`.
[[nodiscard]] Tensor without_axis(const Tensor& tensor, size_t axis);
[[nodiscard]] Tensor with_axis(const Tensor& tensor, size_t axis);

}  // namespace detent
