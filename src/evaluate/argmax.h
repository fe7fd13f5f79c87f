#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace detent {

/// True when score `a` is above score `b`. A NaN scores less than any number; equal scores are not above each other.
[[nodiscard]] inline bool scores_above(float a, float b) { return a > b || (std::isnan(b) && !std::isnan(a)); }

/// The class with the highest of `classes` scores, which lie `stride` elements apart from `first` on; of equal scores
/// the first. A single score tells two classes by its sign: 1 above 0, else 0.
[[nodiscard]] inline int64_t argmax(const float* first, int64_t classes, int64_t stride) {
  if (classes < 2) return *first > 0 ? 1 : 0;
  int64_t best = 0;
  for (int64_t c = 1; c < classes; ++c)
    if (scores_above(first[c * stride], first[best * stride])) best = c;
  return best;
}

/// True when the highest of `classes` scores leads the next by a tenth of the row's standard deviation or more. A
/// network that tells classes apart does so in most rows (median lead of trained ones: 0.4 to 1.8; a chess policy
/// 0.14), one that gives coordinates has many near each other (face landmarks: 0.04), and which of them is the highest
/// says nothing. Fewer than two classes, or scores that are not finite: true.
[[nodiscard]] inline bool tells_a_class(const float* first, int64_t classes) {
  constexpr double kLead = 0.1;
  if (classes < 2) return true;
  double sum = 0, squares = 0;
  for (int64_t c = 0; c < classes; ++c) {
    sum += first[c];
    squares += static_cast<double>(first[c]) * first[c];
  }
  const double mean = sum / static_cast<double>(classes);
  const double deviation = std::sqrt(std::max(0.0, squares / static_cast<double>(classes) - mean * mean));
  if (!std::isfinite(deviation)) return true;
  const int64_t best = argmax(first, classes, 1);
  for (int64_t c = 0; c < classes; ++c)
    if (c != best && static_cast<double>(first[best]) - first[c] < kLead * deviation) return false;
  return true;
}

}  // namespace detent
