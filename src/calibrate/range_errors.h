#pragma once

#include <map>
#include <span>
#include <vector>

#include "calibrate/calibration.h"
#include "detent/base/calibrator.h"
#include "detent/base/qparams.h"

namespace detent {

/// Of several choices of ranges: how far each one's worst value lies below the best that any of them does for that
/// value, in dB of the value's expected squared error in 8 bits, at most 60. 0: it is the best, or equal, for every
/// value.
///
/// choices  ranges by value. Values without a histogram (imported scales) or with nothing but zeros say nothing.
/// Source   expected error from the histogram: calibrators/squared_error.h.
[[nodiscard]] std::vector<double> worst_regrets_db(std::span<const std::map<ValueId, Range>> choices,
                                                   const Calibration& calibration, RangeKind kind);

}  // namespace detent
