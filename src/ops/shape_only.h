#pragma once

#include <memory>

#include "ops/kernel.h"
#include "ops/op_kind.h"

namespace detent {

/// Returns zeros that take memory only when they are read: the output of a kernel of which only the shape counts
/// (KernelContext::shape_suffices).
[[nodiscard]] Tensor unseen_zeros(const Shape& shape, DataType type = DataType::Float32);

/// Makes output `i` unseen zeros where `suffices` says that only its shape counts. False where the kernel has to fill
/// it.
[[nodiscard]] bool leave_unseen(KernelCall& call, size_t i, bool suffices, const Shape& shape, DataType type);

/// Returns a kernel of which only the shape counts: activations, Softmax, and arithmetic of operands of one type pass
/// on their first input, or unseen zeros of the broadcast shape, so that a run for shapes touches no memory for them.
/// All others are `kernel`.
[[nodiscard]] std::unique_ptr<Kernel> for_shapes_only(std::unique_ptr<Kernel> kernel, OpKind kind);

}  // namespace detent
