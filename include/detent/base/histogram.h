#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "detent/base/api.h"

namespace detent {

/// Smallest and largest of some elements; |x| < 2^-40 counts as +0. The default is the empty set, which a union
/// ignores.
struct Extremes {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();

  [[nodiscard]] bool empty() const { return !(min <= max); }
  /// Returns the largest |x|; 0 when empty.
  [[nodiscard]] float max_abs() const { return empty() ? 0.0F : std::max(max, -min); }
  /// Extends the extremes to the union of both. Commutative and associative.
  void include(const Extremes& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }
  friend bool operator==(const Extremes&, const Extremes&) = default;
};

/// Distribution of one value: counts of x in bins whose width is a power of two, positive and negative x separately.
///
/// Positive bin i counts x in [i*2^k, (i+1)*2^k), negative bin i counts x in (-(i+1)*2^k, -i*2^k], 0 <= i < kBins,
/// where k = log2_width() is the smallest integer >= kMinLog2Width with max|x| < 2^(k+12). When a larger |x| arrives,
/// neighbouring bins are added and k grows. All counters are integers, so the state depends only on the multiset of
/// elements: not on their order, on batching, or on how parts were merged.
/// |x| < 2^-40, zeros and denormals count only as zero (min and max see +0); NaN and +-Inf have separate counters.
/// Each side takes 32 KiB once an element falls into it.
/// Source  src/decisions/observe.md, "Histograms with power-of-two bins".
class DETENT_API Histogram {
 public:
  static constexpr int kBins = 4096;         ///< bins a side
  static constexpr int kMinLog2Width = -51;  ///< 2^-40 lands in bin 2048
  static constexpr int kMaxLog2Width = 116;  ///< FLT_MAX fits

  Histogram() = default;

  /// Adds elements and returns the extremes of the finite ones. The state does not depend on order or batching.
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
  /// Returns both sides added, up to the last non-empty bin and without zeros. Empty when every element is zero.
  [[nodiscard]] std::vector<uint64_t> magnitude_counts() const;
  [[nodiscard]] bool empty() const { return count_ == 0; }

  /// Computes the sums from the bins (centres, in ascending order), so they are as reproducible as the bins.
  [[nodiscard]] double sum() const;
  [[nodiscard]] double sum_of_squares() const;

  friend bool operator==(const Histogram&, const Histogram&) = default;

  /// Raw state, to read and write calibration tables.
  struct State {
    uint64_t count = 0, zeros = 0, nans = 0, infinities = 0;
    float min = 0, max = 0;
    int log2_width = kMinLog2Width;
    std::vector<uint64_t> positive, negative;  ///< kBins each
  };
  [[nodiscard]] State state() const;
  /// Errors  InvalidData when a size is not kBins, the width is outside its bounds or not the smallest that fits
  ///         min and max, or the counts do not add up.
  static Histogram from_state(State state);

 private:
  friend class HistogramAccumulator;  // src/observe: the SIMD collector fills the counters directly
  struct Summary {                    ///< of finite elements, |x| < 2^-40 taken as +0
    uint64_t count = 0;
    float min = 0, max = 0;
  };
  /// Adds to count, min and max, and grows the bins so that max|x| fits; the caller counts zeros and bins.
  void admit(const Summary& summary);
  void grow_to(int log2_width);

  uint64_t count_ = 0, zeros_ = 0, nans_ = 0, infinities_ = 0;
  float min_ = 0, max_ = 0;
  int log2_width_ = kMinLog2Width;
  std::vector<uint64_t> positive_,
      negative_;  // kBins counts, or empty while the side holds none: equal states compare equal
};

}  // namespace detent
