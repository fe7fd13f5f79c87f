#pragma once

#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace detent {

/// Returns the arithmetic mean, summed in the order of the values; 0 for none.
[[nodiscard]] inline double mean(std::span<const double> values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Returns the standard error of the mean of independent values: the square root of their sample variance over their
/// number. Fewer than two -> 0.
[[nodiscard]] inline double standard_error(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  std::vector<double> squares;
  for (const double value : values) squares.push_back((value - middle) * (value - middle));
  // mean() divides by n: the sample variance is that times n / (n - 1), and the mean's a further n smaller.
  return std::sqrt(mean(squares) / static_cast<double>(squares.size() - 1));
}

}  // namespace detent
