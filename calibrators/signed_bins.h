#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "detent/base/histogram.h"

namespace detent {

/// Bins of x from the most negative to the most positive one in use; zeros are left out.
/// Bin i covers [i - zero, i - zero + 1] in units of the bin width, so `zero` is the index of the edge at 0.
struct SignedBins {
  std::vector<double> counts;  ///< exact up to 2^53 a bin; empty when nothing is non-zero
  size_t zero = 0;             ///< number of negative bins
};

/// Returns the number of bins of one side up to the last that is not empty.
[[nodiscard]] size_t bins_in_use(std::span<const uint64_t> side);

/// Returns the bins of x.
[[nodiscard]] SignedBins signed_bins(const Histogram& histogram);

/// Returns the bins of |x|: both sides added, zero == 0.
[[nodiscard]] SignedBins magnitude_bins(const Histogram& histogram);

}  // namespace detent
