#pragma once

#include <functional>
#include <memory>
#include <span>

#include "ops/kernel.h"

namespace detent {

/// Casts between float and float16 in vectors, any other pair of types as cast() does it.
[[nodiscard]] Tensor convert(const Tensor& tensor, DataType type, Allocator& allocator);

/// Returns `kernel` behind a cast: float16 and bfloat16 inputs become float, its float outputs take the type of the
/// first such input. With other inputs the kernel runs untouched.
[[nodiscard]] std::unique_ptr<Kernel> widen_half(std::unique_ptr<Kernel> kernel);

/// Returns `kernel` behind a cast: double inputs become float, and where there were any, float outputs become double.
[[nodiscard]] std::unique_ptr<Kernel> narrow_double(std::unique_ptr<Kernel> kernel);

/// Runs `body` with every float input as Float32 and casts its output i to types[i]: for operators whose outputs have
/// types that differ from the inputs'. `body` gets `call` itself when nothing is to be cast.
void run_in_float(KernelCall& call, std::span<const DataType> types, const std::function<void(KernelCall&)>& body);

/// A make function that adds widen_half: the one place where half types are computed with.
template <std::unique_ptr<Kernel> (*make)(const KernelContext&)>
std::unique_ptr<Kernel> with_half(const KernelContext& context) {
  return widen_half(make(context));
}

/// A make function for kernels that compute in float alone: half types as with_half does them, and double.
template <std::unique_ptr<Kernel> (*make)(const KernelContext&)>
std::unique_ptr<Kernel> with_float(const KernelContext& context) {
  return narrow_double(widen_half(make(context)));
}

}  // namespace detent
