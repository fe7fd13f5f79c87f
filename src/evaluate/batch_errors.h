#pragma once

#include <vector>

#include "evaluate/error_sums.h"

namespace detent {

/// The part of one batch's outputs that counts, plain tensors: those whose axis 0 has `batch` rows keep the first `real`, for the rest
/// repeats the last sample.
[[nodiscard]] std::vector<Tensor> real_part(std::vector<Tensor> outputs, size_t batch, size_t real);

/// Errors of a model's outputs against the float model's. An output whose type or shape differs, because it depends on the
/// data, gets none and its entry of `comparable` becomes false.
[[nodiscard]] std::vector<ErrorSums> errors_of(const std::vector<Tensor>& expected, const std::vector<Tensor>& outputs,
                                               std::vector<bool>& comparable);

}  // namespace detent
