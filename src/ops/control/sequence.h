#pragma once

#include <vector>

#include "ops/kernel.h"

namespace detent {

/// The list in input `slot`. Errors  InvalidData when it is left out, absent or a tensor.
[[nodiscard]] const std::vector<Tensor>& sequence_input(const KernelCall& call, size_t slot);
/// The tensor in input `slot`. Errors  InvalidData when it is left out, absent or a sequence.
[[nodiscard]] const Tensor& tensor_input(const KernelCall& call, size_t slot);

/// For lists as long as an input or the model says: each tensor has memory of its own, however few elements it has.
/// Errors  InvalidData when `count` tensors are beyond --max-memory even so.
void check_tensor_count(uint64_t count);

}  // namespace detent
