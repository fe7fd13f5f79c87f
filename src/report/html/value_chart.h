#pragma once

#include <string>

#include "detent/reports/calibration_report.h"

namespace detent::html {

/// The histogram of one value (SVG, counts on a logarithmic scale, stretches with the page), and below it on the same
/// axis the range of every calibrator with what it cuts off. `best` is the calibrator that stands out.
/// Empty  no bins:
/// a sentence instead of the histogram. No ranges: none drawn.
[[nodiscard]] std::string value_chart(const ValueHistogram& value, const std::string& best);

/// Fraction of the value's elements outside [min, max]; a bin that is cut counts in proportion. 0 for no elements.
[[nodiscard]] double clipped_fraction(const ValueHistogram& value, double min, double max);

/// Largest over smallest |limit| of the chosen ranges: 1 where all agree. Not a number where there are fewer than two,
/// or one is 0.
[[nodiscard]] double range_spread(const ValueHistogram& value);

}  // namespace detent::html
