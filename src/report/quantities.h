#pragma once

#include <cstddef>
#include <string>

#include "detent/plan_report.h"

namespace detent {

/// "1 sample", "2 samples".
[[nodiscard]] std::string plural(size_t count, const std::string& noun);
/// "1.9 MB", "512 B".
[[nodiscard]] std::string bytes_text(double bytes);
/// A fraction in percent, rounded to `decimals` digits behind the point; one below 1 stays below 100. Texts and pages round so.
[[nodiscard]] double rounded_percent(double fraction, int decimals);
/// "99.6 %"; exactly "100 %" only when it is.
[[nodiscard]] std::string percent_text(double fraction, int decimals = 1);
/// "14 of 18 weighted layers INT8 (95.4 % of MACs)"; no share where MACs were not counted.
[[nodiscard]] std::string coverage_text(const CoverageReport& coverage);

}  // namespace detent
