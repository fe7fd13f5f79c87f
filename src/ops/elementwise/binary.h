#pragma once

#include "detent/base/tensor.h"
#include "ops/simd/elementwise.h"

namespace detent {

/// Computes f(a, b) with ONNX broadcasting on numbers of one type (integers wrap around). Errors  InvalidData when the
/// shapes do not fit or an integer is divided by zero, InvalidModel when the types differ.
[[nodiscard]] Tensor combine(BinaryFunction function, const Tensor& a, const Tensor& b, Allocator& allocator);

}  // namespace detent
