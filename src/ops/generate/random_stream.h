#pragma once

#include <cstdint>

#include "ops/kernel.h"

namespace detent {

/// Numbers that look random and are the same on every machine: SplitMix64. Distributions are ours too, because those of
/// <random> differ between standard libraries.
/// Source  G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
class RandomStream {
 public:
  explicit RandomStream(uint64_t seed) : state_(seed) {}
  /// Evenly spread over all 64-bit integers.
  [[nodiscard]] uint64_t next();
  /// Evenly spread over [0, 1), in steps of 2^-53.
  [[nodiscard]] double uniform();
  /// Mean 0, standard deviation 1 (Box and Muller 1958).
  [[nodiscard]] double normal();

 private:
  uint64_t state_;
};

/// Seed of a random operator: its attribute `seed` where it has one, else a fixed number mixed with the name of its
/// first output. A node therefore draws the same numbers in every run, for every sample, in every iteration of a Loop
/// around it and in a model rewritten around it; another node draws others.
[[nodiscard]] uint64_t seed_of(const KernelContext& context);

}  // namespace detent
