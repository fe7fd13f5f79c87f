#pragma once

#include "detent/tensor.h"

namespace detent {

/// A x B x C x D -> A x C x B x D.
[[nodiscard]] Tensor swap_middle(const Tensor& tensor, Allocator& allocator);

/// Two tensors of rank 4 and one type joined along axis 2. Errors  InvalidData when the other extents differ.
[[nodiscard]] Tensor join_steps(const Tensor& first, const Tensor& second, Allocator& allocator);

}  // namespace detent
