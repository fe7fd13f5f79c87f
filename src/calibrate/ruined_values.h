#pragma once

#include <map>
#include <string>

#include "calibrate/calibration.h"
#include "calibrate/range_overrides.h"
#include "place/plan/placement_plan.h"
#include "place/plan/placement_request.h"

namespace detent {

/// The least SQNR in dB that a value of the residual stream may have in 8 bits, expected with its best range. A normal
/// distribution has 40; the worst normalized value of a network without outlying channels has 36 or more
/// (src/decisions/place.md, "The residual stream").
inline constexpr double kLeastStreamDb = 32;

/// True when the plan has a pair on the residual stream.
[[nodiscard]] bool pairs_the_stream(const Graph& graph, const PlacementPlan& plan, const PlacementRequest& placement);

/// Returns the readers of the plan's pairs on values of the residual stream that one scale in 8 bits ruins: by node
/// name, with the figures. Values with a range or calibrator of the user's, constants, and values without a histogram
/// (imported scales) do not count. No normalization over features -> none.
/// Source  expected error from the histogram: calibrators/squared_error.h.
[[nodiscard]] std::map<std::string, std::string> ruined_readers(const Graph& graph, const PlacementPlan& plan,
                                                                const PlacementRequest& placement,
                                                                const Calibration& calibration,
                                                                const RangeOverrides& overrides, RangeKind kind);

}  // namespace detent
