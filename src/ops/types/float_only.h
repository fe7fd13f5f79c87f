#pragma once

#include <functional>
#include <memory>
#include <span>

#include "ops/types/half_precision.h"

namespace detent {

/// `kernel` behind a cast: double inputs become float, and where there were any, float outputs become double.
[[nodiscard]] std::unique_ptr<Kernel> narrow_double(std::unique_ptr<Kernel> kernel);

/// Runs `body` with every float input as Float32 and casts its output i to types[i]: for operators whose outputs have
/// types of their own. Where nothing is to be cast `body` gets `call` itself.
void run_in_float(KernelCall& call, std::span<const DataType> types, const std::function<void(KernelCall&)>& body);

/// A make function for kernels that compute in float alone: half types as with_half does them, and double.
template <std::unique_ptr<Kernel> (*make)(const KernelContext&)>
std::unique_ptr<Kernel> with_float(const KernelContext& context) {
  return narrow_double(widen_half(make(context)));
}

}  // namespace detent
