#pragma once

#include <cstddef>
#include <cstdint>

namespace detent {

/// True when no number is infinite or NaN.
[[nodiscard]] bool all_finite(const float* numbers, size_t count);

/// Raises reached[i] to |row[i]| where that is larger, and returns the largest |row[i]|; 0 for Inf and NaN. Needs
/// reached[i] >= 0.
[[nodiscard]] float reach_of_row(const float* row, float* reached, size_t count);

}  // namespace detent
