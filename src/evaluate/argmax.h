#pragma once

#include <cmath>
#include <cstdint>

namespace detent {

/// True when score `a` is above score `b`. A NaN scores less than any number; equal scores are not above each other.
[[nodiscard]] inline bool scores_above(float a, float b) { return a > b || (std::isnan(b) && !std::isnan(a)); }

/// The class with the highest of `classes` scores, which lie `stride` elements apart from `first` on; of equal scores the
/// first. A single score tells two classes by its sign: 1 above 0, else 0.
[[nodiscard]] inline int64_t argmax(const float* first, int64_t classes, int64_t stride) {
  if (classes < 2) return *first > 0 ? 1 : 0;
  int64_t best = 0;
  for (int64_t c = 1; c < classes; ++c)
    if (scores_above(first[c * stride], first[best * stride])) best = c;
  return best;
}

}  // namespace detent
