#include "core/bootstrap.h"

#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "core/mean.h"

namespace detent {

namespace {

/// Bounds of the draws and of their cost. Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), find 200
/// draws enough for a standard error.
constexpr double kFewest = 200, kMost = 1000, kOperations = 2e8;

/// Returns the next number of splitmix64 (Steele, Lea, Flood 2014). The standard library's distributions differ between
/// implementations.
uint64_t next_random(uint64_t& state) {
  uint64_t z = state += 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

}  // namespace

Bootstrap::Bootstrap(size_t samples, double cost)
    : draws_(static_cast<size_t>(std::clamp(kOperations / std::max(1.0, cost), kFewest, kMost))), counts_(samples) {}

std::span<const uint32_t> Bootstrap::next() {
  std::ranges::fill(counts_, 0U);
  // The remainder's bias is samples / 2^64.
  for (size_t i = 0; i < counts_.size(); ++i) ++counts_[next_random(state_) % counts_.size()];
  return counts_;
}

double spread(std::span<const double> draws) {
  return standard_error(draws) * std::sqrt(static_cast<double>(draws.size()));
}

}  // namespace detent
