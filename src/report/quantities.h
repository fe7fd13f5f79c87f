#pragma once

#include <cstddef>
#include <string>

#include "detent/plan_report.h"

namespace detent {

/// "1 sample", "2 samples".
[[nodiscard]] std::string plural(size_t count, const std::string& noun);
/// "1.9 MB", "512 B".
[[nodiscard]] std::string bytes_text(double bytes);
/// "99.6 %"; exactly 100 % only when it is.
[[nodiscard]] std::string percent_text(double fraction);
/// "14 of 18 weighted layers INT8 (95.4 % of MACs)"; no share where MACs were not counted.
[[nodiscard]] std::string coverage_text(const CoverageReport& coverage);

}  // namespace detent
