#pragma once

#include <memory>

#include "ops/kernel.h"

namespace detent {

/// A Conv as ONNX Runtime's integer kernels compute it on x86 CPUs without VNNI. nullptr where it does not run so
/// (SaturatingLayer::find). The kernel takes codes as well as floats.
[[nodiscard]] std::unique_ptr<Kernel> make_saturating_convolution(const KernelContext& context);

}  // namespace detent
