#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace detent {

/// Kullback-Leibler divergence between a distribution and the same distribution clipped to a window of bins and reduced
/// to `levels` levels.
///
/// p is the window with the counts outside added to its end bins. q is the window without them: its n bins fall into
/// `levels` buckets, bin j into floor(j*levels/n), and each bucket's count is spread evenly over its non-empty bins.
/// D = sum over p>0 of p ln(p/q), both normalised to sum 1; infinite where q = 0 and p > 0, that is when an end bin is
/// empty while something lies beyond it.
/// Source  S. Migacz, "8-bit Inference with TensorRT", GTC 2017; bucket rule of pytorch-quantization 2.x.
class ClippedDivergence {
 public:
  /// Counts need not be whole. Cost O(bins).
  explicit ClippedDivergence(std::span<const double> counts);

  /// Returns the divergence of window [first, last), last - first >= 2. Cost O(levels). Infinite for an empty window.
  [[nodiscard]] double operator()(size_t first, size_t last, size_t levels) const;
  /// Returns a lower bound of the divergence of that window; levels >= 2, and at least as many bins. Cost O(1).
  ///
  /// The log-sum inequality: with C counted in an end bucket and a tail t moved into it, the bucket's part of the sum
  /// is at least (C + t) ln((C + t) / C), which only falls when C is taken larger; that of other buckets is at least 0.
  [[nodiscard]] double lower_bound(size_t first, size_t last, size_t levels) const;
  [[nodiscard]] size_t bins() const { return counts_.size(); }

 private:
  std::vector<double> counts_;
  // Sums over bins [0, i) of: counts, count * ln count, and one per non-empty bin.
  std::vector<double> sums_, log_sums_;
  std::vector<double> non_empty_;
};

struct Window {
  size_t first, last;  ///< bins [first, last)
};

/// Returns the divergences of windows of at least `levels` bins; infinity for those that are certainly more than
/// kSameDivergence above the smallest one.
[[nodiscard]] std::vector<double> window_divergences(const ClippedDivergence& divergence,
                                                     std::span<const Window> windows, size_t levels);

/// Divergences closer than this are equal: a bound on the rounding of sums over some thousand bins.
inline constexpr double kSameDivergence = 1e-12;

/// Returns the index of the last element within kSameDivergence of the smallest one; the last index when all are
/// infinite. Not empty.
[[nodiscard]] size_t last_minimum(std::span<const double> divergences);

/// Returns counts with bin 0 replaced by bin 1: zeros would outweigh everything else.
[[nodiscard]] std::vector<double> without_zero_peak(std::span<const double> counts);

}  // namespace detent
