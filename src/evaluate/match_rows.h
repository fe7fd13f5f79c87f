#pragma once

#include <span>
#include <string>
#include <vector>

#include "detections/free_rows.h"
#include "detent/base/tensor.h"

namespace detent {

/// Puts the rows of outputs in free order into the order of the float model's rows: each with the nearest one, one to
/// one, the closest pairs first. The distance is over all numbers of a row in all outputs of one FreeRows, each column
/// in units of the float model's deviation; columns that do not vary there do not count.
///
/// names     of the outputs
/// expected  the float model's outputs, plain; axis 0 counts samples unless it counts the rows
/// Returns   `found`, where outputs of one FreeRows have other shapes or no numbers as they are
/// Cost      rows^2 times (columns + the logarithm of rows) a sample
[[nodiscard]] std::vector<Tensor> match_rows(std::span<const FreeRows> rows, std::span<const std::string> names,
                                             std::span<const Tensor> expected, std::vector<Tensor> found);

}  // namespace detent
