#include "tune/acceptance.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/mean.h"
#include "tune/tie_band.h"

namespace detent {

namespace {

/// Half of what users are promised not to lose: single samples move by some tenths with any change.
constexpr double kWorstMayFallDb = 0.5;

}  // namespace

std::string fall_text(double before_db, double after_db) {
  if (std::isinf(before_db) && before_db > after_db) return fmt::format("{:.2f} dB instead of exact", after_db);
  const double fall = before_db - after_db;
  return fall < 0.005 ? "no higher" : fmt::format("{:.2f} dB lower", fall);
}

double worst_tenth_db(std::span<const double> samples_db) {
  std::vector<double> sorted(samples_db.begin(), samples_db.end());
  std::ranges::sort(sorted);
  return mean(std::span(sorted).first((sorted.size() + 9) / 10));
}

AcceptanceReport accept_change(std::span<const double> before, std::span<const double> after,
                               std::optional<double> agreement_before, std::optional<double> agreement_after) {
  AcceptanceReport report;
  report.samples = before.size();
  const double before_db = told_score_db(before), after_db = told_score_db(after);
  report.before_db = before_db, report.after_db = after_db;
  report.worst_before_db = worst_tenth_db(before);
  report.worst_after_db = worst_tenth_db(after);
  const bool agrees = !agreement_before || !agreement_after || *agreement_after >= *agreement_before;
  if (before.empty())
    report.reason = "no sample to judge it by";
  else if (!(after_db >= before_db))
    report.reason = "SQNR " + fall_text(before_db, after_db);
  else if (!(report.worst_after_db >= report.worst_before_db - kWorstMayFallDb))
    report.reason = "worst tenth of samples " + fall_text(report.worst_before_db, report.worst_after_db);
  else if (!agrees)
    report.reason = fmt::format("{:.2f} % of classes as in FP32 instead of {:.2f} %", 100 * *agreement_after,
                                100 * *agreement_before);
  report.kept = report.reason.empty();
  return report;
}

}  // namespace detent
