#pragma once

#include <map>
#include <span>
#include <vector>

#include "calibrate/calibration.h"
#include "detent/base/calibrator.h"
#include "detent/base/qparams.h"

namespace detent {

/// Returns for each of several choices of ranges its largest regret: by how many dB, at most 60, the expected squared
/// error of a value in 8 bits exceeds that of the best choice for the value.
///
/// choices  ranges by value. Values without a histogram (imported scales) and values of only zeros do not count.
/// Source   expected error from the histogram: calibrators/squared_error.h.
[[nodiscard]] std::vector<double> worst_regrets_db(std::span<const std::map<ValueId, Range>> choices,
                                                   const Calibration& calibration, RangeKind kind);

}  // namespace detent
