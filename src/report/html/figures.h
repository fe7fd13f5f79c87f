#pragma once

#include <string>

#include "detent/reports/plan_report.h"

namespace detent::html {

/// Parts of the summaries that head the pages.

/// A large number with its label and, where there is one, a detail below it.
[[nodiscard]] std::string figure(const std::string& number, const std::string& label, const std::string& detail = {});
/// The share of MACs in INT8; "" without MACs.
[[nodiscard]] std::string coverage_figure(const CoverageReport& coverage);
/// "<li>24 calibration samples, 0.4 s</li>"; without the time where it is 0.
[[nodiscard]] std::string samples_fact(size_t count, const char* what, double seconds = 0);
/// "" when none was skipped.
[[nodiscard]] std::string skipped_fact(size_t count);
/// "12.3 dB"; "no error" where it is infinite.
[[nodiscard]] std::string decibels(double value);

}  // namespace detent::html
