#include "calibrate/range_errors.h"

#include <algorithm>
#include <cmath>

#include "calibrators/squared_error.h"

namespace detent {

namespace {

constexpr double kMostDb = 60;

/// Symmetric ranges of an override or an engine's scale may be of any form; the grid is that of the wider side.
Range as_grid(const Range& range, RangeKind kind) {
  return is_asymmetric(kind) ? range : Range{-range.amax(), range.amax()};
}

}  // namespace

std::vector<double> worst_regrets_db(std::span<const std::map<ValueId, Range>> choices, const Calibration& calibration,
                                     RangeKind kind) {
  std::vector<double> worst(choices.size());
  for (const auto& [value, histogram] : calibration.histograms) {
    std::vector<Range> ranges;
    for (const auto& choice : choices)
      if (const auto range = choice.find(value); range != choice.end())
        ranges.push_back(as_grid(range->second, kind));
      else
        ranges.push_back({});
    std::vector<double> errors = squared_errors(histogram, ranges, kind);
    double least = std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < choices.size(); ++c)
      if (ranges[c].amax() > 0)
        least = std::min(least, errors[c]);
      else
        errors[c] = -1;
    for (size_t c = 0; c < choices.size(); ++c)
      if (errors[c] > least)
        worst[c] = std::max(worst[c], least > 0 ? std::min(kMostDb, 10 * std::log10(errors[c] / least)) : kMostDb);
  }
  return worst;
}

}  // namespace detent
