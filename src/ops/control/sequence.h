#pragma once

#include <vector>

#include "ops/kernel.h"

namespace detent {

/// The list in input `slot`. Errors  InvalidData when it is left out, absent or a tensor.
[[nodiscard]] const std::vector<Tensor>& sequence_input(const KernelCall& call, size_t slot);
/// The tensor in input `slot`. Errors  InvalidData when it is left out, absent or a sequence.
[[nodiscard]] const Tensor& tensor_input(const KernelCall& call, size_t slot);

}  // namespace detent
