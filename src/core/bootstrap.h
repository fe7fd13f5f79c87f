#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace detent {

/// Draws that answer what a number measured on some samples would be on other samples of the same kind: as many samples
/// as there are, each drawn from all of them, so that some count twice and some not at all. Same draws for the same
/// number of samples, on every machine.
///
/// Source  Efron, "Bootstrap Methods: Another Look at the Jackknife", Annals of Statistics 7 (1979).
class Bootstrap {
 public:
  /// samples  at least one. cost  operations that one draw makes the caller do: from 200 to 1000 draws, so that all
  /// together cost no more than 2e8 where 200 do not.
  Bootstrap(size_t samples, double cost);

  [[nodiscard]] size_t draws() const { return draws_; }
  /// How often each sample counts in the next draw.
  [[nodiscard]] std::span<const uint32_t> next();

 private:
  size_t draws_;
  uint64_t state_ = 0x9E3779B97F4A7C15U;
  std::vector<uint32_t> counts_;
};

/// Standard deviation of what the draws gave, which estimates the standard error of the number. Fewer than two -> 0.
[[nodiscard]] double spread(std::span<const double> draws);

}  // namespace detent
