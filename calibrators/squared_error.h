#pragma once

#include <optional>
#include <span>
#include <vector>

#include "detent/base/calibrator.h"
#include "detent/base/histogram.h"

namespace detent {

/// Returns the range with the least rounding error, as the `mse` calibrator chooses it. Only zeros -> an empty range.
[[nodiscard]] Range least_error_range(const Histogram& histogram, RangeKind kind);

/// Returns the total squared error of rounding the histogram's elements to 8 bits in `range`, in squared bin widths
/// (see GridError). Only zeros, or a range of width 0 -> 0.
[[nodiscard]] double squared_error(const Histogram& histogram, const Range& range, RangeKind kind);
/// Returns the same for each range.
[[nodiscard]] std::vector<double> squared_errors(const Histogram& histogram, std::span<const Range> ranges,
                                                 RangeKind kind);

/// Returns the SQNR in dB that 8 bits are expected to keep of the histogram's elements in `range`; nullopt where
/// nothing is lost, or all are zero.
[[nodiscard]] std::optional<double> expected_sqnr_db(const Histogram& histogram, const Range& range, RangeKind kind);

/// Returns the same for their least_error_range().
[[nodiscard]] std::optional<double> expected_sqnr_db(const Histogram& histogram, RangeKind kind);

}  // namespace detent
