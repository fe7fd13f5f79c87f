#pragma once

#include <algorithm>
#include <limits>

namespace detent {

/// Smallest and largest of some elements, with |x| < 2^-40 taken as +0; as it is made: of none, which a union ignores.
struct Extremes {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();

  [[nodiscard]] bool empty() const { return !(min <= max); }
  /// Largest |x|; 0 when empty.
  [[nodiscard]] float max_abs() const { return empty() ? 0.0F : std::max(max, -min); }
  /// Of both together. Commutative and associative.
  void include(const Extremes& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }
  friend bool operator==(const Extremes&, const Extremes&) = default;
};

}  // namespace detent
