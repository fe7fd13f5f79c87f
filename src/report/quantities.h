#pragma once

#include <cstddef>
#include <string>

#include "core/text.h"
#include "detent/reports/error_report.h"
#include "detent/reports/plan_report.h"

namespace detent {

/// "1.9 MB", "512 B".
[[nodiscard]] std::string bytes_text(double bytes);
/// A fraction in percent, rounded to `decimals` digits behind the point; one below 1 stays below 100. Texts and pages
/// round so.
[[nodiscard]] double rounded_percent(double fraction, int decimals);
/// "99.6 %"; exactly "100 %" only when it is.
[[nodiscard]] std::string percent_text(double fraction, int decimals = 1);
/// Returns a value with its unit, as tables of text have it: "76.60 %", "29.32 dB", "exact", "1.4204".
[[nodiscard]] std::string metric_text(const Metric& metric, double value);
/// "SQNR 20.00 -> 21.50 dB"; "exact" for an infinite one.
[[nodiscard]] std::string change_text(double before_db, double after_db);
/// "the highest score", or what it was chosen for beside the higher score of another candidate. A clause.
[[nodiscard]] std::string choice_text(const CalibratorMeasurement& measured);
/// "64 samples"; "16 to 64 samples" where some candidates were measured on fewer.
[[nodiscard]] std::string measured_on_text(const CalibratorMeasurement& measured);
/// "14 of 18 weighted layers INT8 (95.4 % of MACs)"; no share where MACs were not counted.
[[nodiscard]] std::string coverage_text(const CoverageReport& coverage);

}  // namespace detent
