#include "calibrate/range_book.h"

#include <set>

namespace detent {

void RangeBook::measure_for(std::span<const PlacementPlan> plans) {
  std::set<ValueId> missing;
  for (const PlacementPlan& plan : plans)
    for (const ValueId value : plan.quantized_values())
      if (!calibration_.histograms.contains(value) && !calibration_.scales.contains(value)) missing.insert(value);
  if (missing.empty()) return;
  const std::vector<ValueId> values(missing.begin(), missing.end());
  Calibration more = measure_(values);
  calibration_.histograms.merge(more.histograms);
  calibration_.extremes.merge(more.extremes);  // of the same samples: it is the same data
  calibration_.scales.merge(more.scales);
}

std::map<ValueId, Range> RangeBook::ranges_of(const PlacementPlan& plan) {
  measure_for(std::span(&plan, 1));
  return choose_ranges(plan, calibration_, choice_, &known_);
}

}  // namespace detent
