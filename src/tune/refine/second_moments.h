#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace detent {

/// Sums of x x^T over input vectors x of a layer: what an error of its weights costs at its output.
///
/// Memory  4 * columns^2 bytes. Sums are floats: the damping of round_by_moments() is far above their error.
class SecondMoments {
 public:
  explicit SecondMoments(int64_t columns)
      : columns_(columns), sums_(static_cast<size_t>(columns) * static_cast<size_t>(columns)) {}

  /// vectors  n x columns, row-major. The same vectors in the same calls give the same bits. No vectors -> no change.
  void add(std::span<const float> vectors);

  [[nodiscard]] int64_t columns() const { return columns_; }
  /// columns x columns; elements (i, j) with j > i are not kept up. Element (i, j) lies at j * columns + i.
  [[nodiscard]] std::span<const float> lower() const { return sums_; }

 private:
  int64_t columns_;
  std::vector<float> sums_;
};

}  // namespace detent
