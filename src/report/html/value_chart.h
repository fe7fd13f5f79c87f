#pragma once

#include <string>

#include "detent/reports/calibration_report.h"

namespace detent::html {

/// Draws the histogram of one value as SVG, with counts on a logarithmic scale, and below it on the same axis the range
/// of every calibrator with the share that it clips. `best` is the highlighted calibrator.
/// Empty  no bins: a sentence instead of the histogram; no ranges: only the histogram.
[[nodiscard]] std::string value_chart(const ValueHistogram& value, const std::string& best);

/// Returns the fraction of elements outside [min, max]; a bin that is cut counts in proportion. 0 without elements.
[[nodiscard]] double clipped_fraction(const ValueHistogram& value, double min, double max);

/// Returns the largest over the smallest |limit| of the chosen ranges; NaN with fewer than two, or if one is 0.
[[nodiscard]] double range_spread(const ValueHistogram& value);

}  // namespace detent::html
