#include <fmt/core.h>

#include <algorithm>

#include "report/quantities.h"
#include "report/text/text.h"

namespace detent {

std::string outlier_text(const OutlierReport& report, Listing& listing) {
  constexpr size_t kShown = 3;
  const size_t shown = listing.shown(report.samples.size(), kShown);
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const auto& one = report.samples[i];
    text += fmt::format("{} alone sets the range of {} of {}, up to {:.3g} times the median sample\n", one.sample,
                        one.values, plural(report.values, "value"), one.ratio);
  }
  if (!text.empty() && report.policy == "clip")
    text += "  no range goes beyond what the other samples reach (--outliers clip)\n";
  if (!text.empty() && report.policy == "drop") text += "  left out of the calibration (--outliers drop)\n";
  if (report.samples.size() > shown)
    text += plural(report.samples.size() - shown, "more sample") + " like these; the JSON report lists all\n";
  return text;
}

}  // namespace detent
