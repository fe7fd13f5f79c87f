#pragma once

#include <memory>

#include "ops/kernel.h"

namespace detent {

/// cast() between float and float16 in vectors, any other pair of types as cast() does it.
[[nodiscard]] Tensor convert(const Tensor& tensor, DataType type, Allocator& allocator);

/// `kernel` behind a cast: float16 and bfloat16 inputs become float, its float outputs take the type of the first such
/// input. With other inputs the kernel runs untouched.
[[nodiscard]] std::unique_ptr<Kernel> widen_half(std::unique_ptr<Kernel> kernel);

/// A make function that adds widen_half: the one place where half types are computed with.
template <std::unique_ptr<Kernel> (*make)(const KernelContext&)>
std::unique_ptr<Kernel> with_half(const KernelContext& context) {
  return widen_half(make(context));
}

}  // namespace detent
