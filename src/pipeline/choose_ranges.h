#pragma once

#include <map>

#include "pipeline/calibrate_model.h"
#include "pipeline/range_overrides.h"
#include "place/placement_plan.h"

namespace detent {

/// One range per paired value: the user's, an imported scale, the plan's fixed range, or what the calibrator chooses from the histogram
/// (merged over the value's scale group). Members of a group get the same range. Values in parallel.
/// overrides  checked (check_overrides). A calibrator among them comes before a fixed range, but not beyond a limit.
[[nodiscard]] std::map<ValueId, Range> choose_ranges(const Graph& graph, const PlacementPlan& plan,
                                                     const Calibration& calibration, const Calibrator& calibrator,
                                                     const RangeOverrides& overrides, RangeKind kind, size_t threads);

}  // namespace detent
