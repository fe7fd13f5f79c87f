#pragma once

#include <memory>

#include "ops/kernel.h"
#include "ops/op_kind.h"

namespace detent {

/// Zeros that take memory when somebody looks at them: the output of a kernel of which only the shape counts
/// (KernelContext::shape_suffices).
[[nodiscard]] Tensor unseen_zeros(const Shape& shape, DataType type = DataType::Float32);

/// A kernel of which only the shape counts: activations, and arithmetic of operands of one type and shape, hand on
/// their first input, so that a run for shapes touches no memory for them. Everything else is `kernel`.
[[nodiscard]] std::unique_ptr<Kernel> for_shapes_only(std::unique_ptr<Kernel> kernel, OpKind kind);

}  // namespace detent
