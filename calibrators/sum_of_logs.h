#pragma once

#include <span>

namespace detent {

/// Returns the sum over i of counts[i] ln(counts[i] / bins[i]), in vectors. All are positive, and as many. Logarithms
/// are off by 4 units in the last place at most; none -> 0.
[[nodiscard]] double sum_of_logs(std::span<const double> counts, std::span<const double> bins);

}  // namespace detent
