#pragma once

#include <memory>

#include "ops/kernel.h"
#include "ops/simd/elementwise.h"

namespace detent {

/// Makes a kernel that applies a function to every element of input 0, in place where possible: float in vectors,
/// double in double; the integer types for the functions that ONNX defines on them (Relu, Abs, Neg, Sign, Erf). Errors
/// Unsupported for other types.
[[nodiscard]] std::unique_ptr<Kernel> unary_kernel(UnarySpec spec);

}  // namespace detent
