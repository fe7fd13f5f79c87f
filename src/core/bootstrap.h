#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace detent {

/// Random draws that estimate how a number measured on samples would vary on other samples of the same kind. Each draw
/// takes as many samples as there are, with replacement. The draws depend only on the number of samples.
///
/// Source  Efron, "Bootstrap Methods: Another Look at the Jackknife", Annals of Statistics 7 (1979).
class Bootstrap {
 public:
  /// samples  at least one
  /// cost     operations that one draw costs the caller: 200 to 1000 draws, at most 2e8 operations together unless 200
  /// draws need more
  Bootstrap(size_t samples, double cost);

  [[nodiscard]] size_t draws() const { return draws_; }
  /// Returns how often each sample counts in the next draw.
  [[nodiscard]] std::span<const uint32_t> next();

 private:
  size_t draws_;
  uint64_t state_ = 0x9E3779B97F4A7C15U;
  std::vector<uint32_t> counts_;
};

/// Returns the standard deviation of the draws' results, an estimate of the number's standard error. Fewer than two ->
/// 0.
[[nodiscard]] double spread(std::span<const double> draws);

}  // namespace detent
