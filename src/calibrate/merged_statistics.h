#pragma once

#include <span>
#include <string>
#include <vector>

#include "detent/base/calibrator.h"
#include "detent/base/error.h"
#include "detent/base/histogram.h"

namespace detent {

/// What was measured of values that get one range together.
struct MergedStatistics {
  Histogram histogram;
  std::vector<Extremes> samples;  ///< of the union of their elements; empty: not known

  /// Adds a value that was measured in the same samples as those before, or a constant, which is the same in every
  /// sample: give it {min, max} as often.
  void include(const Histogram& added, std::span<const Extremes> of_samples);
  [[nodiscard]] ValueStatistics view() const { return {histogram, samples}; }
};

/// The error of a calibrator that looks at single samples where a table does not tell them: TableMismatch.
[[nodiscard]] Error lacks_samples(const Calibrator& calibrator, const std::string& value);

}  // namespace detent
