#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/text.h"
#include "detent/lint.h"
#include "detent/options/float_types.h"
#include "detent/reports/error_report.h"
#include "detent/reports/plan_report.h"

namespace detent {

/// Returns "1.9 MB" or "512 B".
[[nodiscard]] std::string bytes_text(double bytes);
[[nodiscard]] std::string bytes_text(std::integral auto bytes) { return bytes_text(static_cast<double>(bytes)); }
/// Returns a fraction in percent, rounded to `decimals` digits after the point; a fraction below 1 stays below 100.
[[nodiscard]] double rounded_percent(double fraction, int decimals);
/// Returns "99.6 %"; "100 %" only for exactly 1.
[[nodiscard]] std::string percent_text(double fraction, int decimals = 1);
/// Returns a value with its unit: "76.60 %", "29.32 dB", "exact", "1.4204".
[[nodiscard]] std::string metric_text(const Metric& metric, double value);
/// Returns why a candidate was chosen, as a clause: "the highest score", or the reason to prefer it to the highest one.
[[nodiscard]] std::string choice_text(const CalibratorMeasurement& measured);
/// Explains CalibratorMeasurement::Candidate::score_db.
inline constexpr std::string_view kScoreMeaning =
    "mean of the average SQNR of the samples and of the SQNR of their average noise";

/// Returns a key that is equal for findings of one kind.
[[nodiscard]] inline std::string kind_key(const LintReport::Finding& finding) { return finding.id + finding.level; }
/// Remark on a plan without data.
inline constexpr std::string_view kValuesBounded =
    "no sample was run: the scales of pairs and the weights bound the values; with --data more nodes may leave float32";
inline constexpr std::string_view kValuesNotMeasured =
    "no value was measured: with --data, nodes whose values a 16-bit type would ruin stay in float32 too";
/// Returns what decided without samples; empty with samples.
[[nodiscard]] inline std::string_view without_samples_text(const FloatReport& report) {
  if (report.values_measured) return {};
  return report.values_bounded ? kValuesBounded : kValuesNotMeasured;
}

}  // namespace detent
