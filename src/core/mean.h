#pragma once

#include <numeric>
#include <span>

namespace detent {

/// Arithmetic mean, summed in the order of the values; 0 of none.
[[nodiscard]] inline double mean(std::span<const double> values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace detent
