#pragma once

#include <memory>

#include "ops/half_precision.h"

namespace detent {

/// `kernel` behind a cast: double inputs become float, and where there were any, float outputs become double.
[[nodiscard]] std::unique_ptr<Kernel> narrow_double(std::unique_ptr<Kernel> kernel);

/// A make function for kernels that compute in float alone: half types as with_half does them, and double.
template <std::unique_ptr<Kernel> (*make)(const KernelContext&)>
std::unique_ptr<Kernel> with_float(const KernelContext& context) {
  return narrow_double(widen_half(make(context)));
}

}  // namespace detent
