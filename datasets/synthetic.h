#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "datasets/source_request.h"

namespace detent {

/// SplitMix64: 64 random bits a call from integer arithmetic, the same on every machine.
/// Source  G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class RandomBits {
 public:
  explicit RandomBits(uint64_t seed) : state_(seed) {}
  uint64_t operator()() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Returns a uniform number in [0, 1), a multiple of 2^-24.
  float uniform() { return static_cast<float>((*this)() >> 40) * 0x1p-24f; }
  /// Returns the sum of twelve uniforms in [0, 2^32) less 6 * 2^32: mean 0, variance 1, bell-shaped, |x| <= 6. Without
  /// a logarithm, whose last bit depends on the machine's library.
  float normal();
  /// Returns a uniform number in [0, bound) without bias, by rejection. bound > 0.
  uint64_t below(uint64_t bound);

 private:
  uint64_t state_;
};

/// random:normal|uniform[,n=32][,seed=1]: n samples for every input of the model, with independent elements. The stream
/// of an input's tensor depends only on seed, sample index and the input's position. Floating-point inputs get N(0, 1)
/// or [0, 1); integer and bool inputs get 0 or 1, which are valid as token ids and masks.
/// Errors  Usage for an unknown distribution or key; InvalidOption when the model leaves a size other than the batch
/// open.
[[nodiscard]] bool is_synthetic(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_synthetic(const SourceRequest& request);

}  // namespace detent
