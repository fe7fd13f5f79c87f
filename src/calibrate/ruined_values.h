#pragma once

#include <map>
#include <string>

#include "calibrate/calibration.h"
#include "calibrate/range_overrides.h"
#include "detent/base/qparams.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// What 8 bits keep at least of a value of the residual stream, in dB of its expected squared error with the range that
/// loses least. A normal distribution keeps 40, the worst normalized value of a network without outlying channels 36 or
/// more (src/decisions/place.md, "The residual stream").
inline constexpr double kLeastStreamDb = 32;

/// The plan has a pair on the residual stream.
[[nodiscard]] bool pairs_the_stream(const Graph& graph, const PlacementPlan& plan, const PlacementOptions& placement);

/// The readers of those pairs of the plan whose value is part of the residual stream and is ruined by one scale in 8
/// bits: by node name, with the figures. Values with a range or calibrator of the user's are left alone, and so are
/// those without a histogram (imported scales) and constants.
/// Empty   no normalization over features -> nothing. Source
/// expected error from the histogram: calibrators/squared_error.h.
[[nodiscard]] std::map<std::string, std::string> ruined_readers(const Graph& graph, const PlacementPlan& plan,
                                                                const PlacementOptions& placement,
                                                                const Calibration& calibration,
                                                                const RangeOverrides& overrides, RangeKind kind);

}  // namespace detent
