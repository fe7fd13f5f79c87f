#pragma once

#include <vector>

#include "ops/kernel.h"

namespace detent {

/// Returns the list in input `slot`. Errors  InvalidData when it is left out, absent or a tensor.
[[nodiscard]] const std::vector<Tensor>& sequence_input(const KernelCall& call, size_t slot);
/// Returns the tensor in input `slot`. Errors  InvalidData when it is left out, absent or a sequence.
[[nodiscard]] const Tensor& tensor_input(const KernelCall& call, size_t slot);

/// Checks the length of a list that an input or the model gives: each tensor takes memory, however few elements it has.
/// Errors  InvalidData when `count` tensors are beyond --max-memory.
void check_tensor_count(uint64_t count);

}  // namespace detent
