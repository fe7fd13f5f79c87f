#pragma once

#include <cstdint>
#include <vector>

#include "detent/tensor.h"

namespace detent {

/// Elements of an 8- or 16-bit integer tensor minus its zero point (empty: none).
///
/// zero_point  one number, or one for each index of `axis`, or a tensor that broadcasts along the last axis.
/// Errors  InvalidModel when the counts do not fit.
[[nodiscard]] std::vector<int32_t> centred(const Tensor& tensor, const Tensor& zero_point, size_t axis);

/// out[rows x columns] = a[rows x inner] * b[inner x columns], row-major. Sums wrap around at 32 bits.
void multiply_integers(const int32_t* a, const int32_t* b, int32_t* out, int64_t rows, int64_t inner, int64_t columns);

/// numpy's matmul of centred integers: 1-D operands promoted, batch extents broadcast. Returns int32.
/// Errors  InvalidData when the shapes do not fit.
[[nodiscard]] Tensor integer_matmul(const std::vector<int32_t>& a, const Shape& a_shape, const std::vector<int32_t>& b,
                                    const Shape& b_shape, Allocator& allocator);

}  // namespace detent
