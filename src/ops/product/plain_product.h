#pragma once

#include "detent/tensor.h"

namespace detent {

/// numpy's matmul for the types that oneDNN does not multiply: double, and integers, which wrap around.
/// Errors  InvalidModel when the types differ, InvalidData when the shapes do not fit, Unsupported for other types.
[[nodiscard]] Tensor plain_matmul(const Tensor& a, const Tensor& b, Allocator& allocator);

struct GemmOptions {
  bool transpose_a = false, transpose_b = false;
  float alpha = 1, beta = 1;
};

/// alpha * a * b + beta * bias for the same types; an empty handle is no bias. Integers take alpha and beta truncated.
/// Errors  as above.
[[nodiscard]] Tensor plain_gemm(const Tensor& a, const Tensor& b, const Tensor& bias, const GemmOptions& options,
                                Allocator& allocator);

}  // namespace detent
