#include "tune/acceptance.h"

#include <algorithm>
#include <vector>

#include "core/mean.h"
#include "tune/tie_band.h"

namespace detent {

namespace {

/// Half of what users are promised not to lose: single samples move by some tenths with any change.
constexpr double kWorstMayFallDb = 0.5;

}  // namespace

double worst_tenth_db(std::span<const double> samples_db) {
  std::vector<double> sorted(samples_db.begin(), samples_db.end());
  std::ranges::sort(sorted);
  return mean(std::span(sorted).first((sorted.size() + 9) / 10));
}

AcceptanceReport accept_change(std::span<const double> before, std::span<const double> after,
                               std::optional<double> agreement_before, std::optional<double> agreement_after) {
  AcceptanceReport report;
  report.samples = before.size();
  report.before_db = score_db(before);
  report.after_db = score_db(after);
  report.worst_before_db = worst_tenth_db(before);
  report.worst_after_db = worst_tenth_db(after);
  const bool agrees = !agreement_before || !agreement_after || *agreement_after >= *agreement_before;
  report.accepted = !before.empty() && report.after_db >= report.before_db &&
                    report.worst_after_db >= report.worst_before_db - kWorstMayFallDb && agrees;
  return report;
}

}  // namespace detent
