#pragma once

#include "detent/base/calibrator.h"
#include "detent/base/histogram.h"

namespace detent {

/// The range whose rounding costs least: what the `mse` calibrator chooses.
/// Empty   nothing but zeros -> an empty range.
[[nodiscard]] Range least_error_range(const Histogram& histogram, RangeKind kind);

/// Total squared error of rounding the histogram's elements to 8 bits in `range`, in squared bin widths (see
/// GridError).
/// Empty   nothing but zeros, or a range of width 0 -> 0.
[[nodiscard]] double squared_error(const Histogram& histogram, const Range& range, RangeKind kind);

}  // namespace detent
