#pragma once

#include <span>

#include "exec/step.h"

namespace detent {

/// Multiply-adds of one step: `fixed`, and `each` for every element of its output. 0 and 0 where they are not known.
struct StepWork {
  double fixed = 0;
  double each = 0;
};

/// Of convolutions and products, from the shapes of their inputs; every other operator's are not known. Shapes that do not fit
/// give some number: the kernel refuses them.
[[nodiscard]] StepWork work_of(const Step& step, std::span<const Tensor> inputs);

}  // namespace detent
