#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
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

/// Returns the jackknife standard error of the difference of two scores, each given without one sample after the other;
/// infinity below two samples.
/// Source  Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), equation 11.5.
[[nodiscard]] inline double jackknife_error(std::span<const double> a, std::span<const double> b) {
  const auto n = static_cast<double>(a.size());
  if (n < 2) return std::numeric_limits<double>::infinity();
  double mean = 0, squares = 0;
  for (size_t i = 0; i < a.size(); ++i) mean += (a[i] - b[i]) / n;
  for (size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i] - mean) * (a[i] - b[i] - mean);
  return std::sqrt(squares * (n - 1) / n);
}

/// Returns the number of standard errors on each side of a mean of `samples` numbers that its 95 % interval reaches:
/// Student's t. At least two samples.
[[nodiscard]] inline double interval_errors(size_t samples) {
  // Two-sided 95 % quantiles of 1 to 9 degrees of freedom; beyond, the expansion around the normal distribution.
  // Source  Abramowitz and Stegun, "Handbook of Mathematical Functions", table 26.10 and equation 26.7.5.
  constexpr std::array<double, 9> kFew{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
  const size_t degrees = std::max<size_t>(samples, 2) - 1;
  if (degrees <= kFew.size()) return kFew[degrees - 1];
  constexpr double z = 1.959964;
  const auto n = static_cast<double>(degrees);
  const double cube = z * z * z;
  return z + (cube + z) / (4 * n) + (5 * cube * z * z + 16 * cube + 3 * z) / (96 * n * n);
}

}  // namespace detent
