#pragma once

#include <span>

#include "equalize/equalization.h"
#include "model/model.h"

namespace detent {

/// Applies a known equalization to `model`, in place, checked on `inputs` where there are any.
/// Errors  TableMismatch when it is of another model; Internal when an output changed.
void apply_equalization(Model& model, const Equalization& equalization, std::span<const Tensor> inputs);

}  // namespace detent
