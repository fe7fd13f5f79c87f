#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "detent/base/api.h"

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

/// Distribution of one value: counts of x in bins whose width is a power of two, both signs apart.
///
/// Positive bin i counts x in [i*2^k, (i+1)*2^k), negative bin i counts x in (-(i+1)*2^k, -i*2^k], 0 <= i < kBins,
/// where k = log2_width() is the smallest integer >= kMinLog2Width with max|x| < 2^(k+12). When a larger |x| arrives,
/// neighbouring bins are added and k grows; all counters are integers, so the state depends on the multiset of elements
/// only: not on their order, on batching, or on the way parts were merged.
/// |x| < 2^-40, zeros and denormals count as zero only (min and max see +0); NaN and +-Inf are counted and enter
/// nothing else. A side takes memory (32 KiB) only when something fell into it.
/// Source  src/decisions/observe.md, "Histograms
/// with power-of-two bins".
class DETENT_API Histogram {
 public:
  static constexpr int kBins = 4096;         ///< bins a side
  static constexpr int kMinLog2Width = -51;  ///< 2^-40 lands in bin 2048
  static constexpr int kMaxLog2Width = 116;  ///< FLT_MAX fits

  Histogram() = default;

  /// Adds elements. Any order, any batching: same state. Empty span -> no change. Returns the extremes of the finite
  /// ones.
  Extremes add(std::span<const float> values);
  /// Adds another histogram's counts. Commutative and associative.
  void merge(const Histogram& other);

  [[nodiscard]] uint64_t count() const { return count_; }  ///< finite elements, zeros included
  [[nodiscard]] uint64_t zeros() const { return zeros_; }  ///< |x| < 2^-40
  [[nodiscard]] uint64_t nans() const { return nans_; }
  [[nodiscard]] uint64_t infinities() const { return infinities_; }
  [[nodiscard]] float min() const { return min_; }  ///< smallest finite element; 0 when count() == 0
  [[nodiscard]] float max() const { return max_; }  ///< largest finite element; 0 when count() == 0
  [[nodiscard]] float max_abs() const;              ///< exact max |x|; 0 when empty
  [[nodiscard]] int log2_width() const { return log2_width_; }
  [[nodiscard]] double bin_width() const;                    ///< 2^log2_width()
  [[nodiscard]] std::span<const uint64_t> positive() const;  ///< kBins counts
  [[nodiscard]] std::span<const uint64_t> negative() const;  ///< kBins counts
  /// Both sides added and trimmed to the last non-empty bin; zeros are not in it. Empty when nothing is non-zero.
  [[nodiscard]] std::vector<uint64_t> magnitude_counts() const;
  [[nodiscard]] bool empty() const { return count_ == 0; }

  /// Derived from the bins (centres, ascending order), so as reproducible as they are.
  [[nodiscard]] double sum() const;
  [[nodiscard]] double sum_of_squares() const;

  friend bool operator==(const Histogram&, const Histogram&) = default;

  /// Raw state, for readers and writers of calibration tables.
  struct State {
    uint64_t count = 0, zeros = 0, nans = 0, infinities = 0;
    float min = 0, max = 0;
    int log2_width = kMinLog2Width;
    std::vector<uint64_t> positive, negative;  ///< kBins each
  };
  [[nodiscard]] State state() const;
  /// Errors  InvalidData when the sizes are not kBins, the width is outside its bounds or not the smallest that fits
  ///         min and max, or the counts do not add up: such a state was never written by state().
  static Histogram from_state(State state);

 private:
  friend class HistogramAccumulator;  // src/observe: the SIMD collector fills the counters directly
  struct Summary {                    ///< of finite elements, |x| < 2^-40 taken as +0
    uint64_t count = 0;
    float min = 0, max = 0;
  };
  /// Enters count, min and max and grows the bins so that max|x| fits; the caller then counts zeros and bins.
  void admit(const Summary& summary);
  void grow_to(int log2_width);

  uint64_t count_ = 0, zeros_ = 0, nans_ = 0, infinities_ = 0;
  float min_ = 0, max_ = 0;
  int log2_width_ = kMinLog2Width;
  std::vector<uint64_t> positive_,
      negative_;  // kBins counts, or empty while the side holds none: equal states compare equal
};

}  // namespace detent
