#pragma once

#include <map>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/range_overrides.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// Ranges that were chosen before, by the values that got one together.
using KnownRanges = std::map<std::vector<ValueId>, Range>;

/// One range per paired value: the user's, an imported scale, the plan's fixed range, or what the calibrator chooses from the histogram
/// (merged over the value's scale group). Members of a group get the same range. Values in parallel.
/// known      ranges by the same calibration, calibrator and overrides: taken from there, what is new is added.
/// overrides  checked (check_overrides). A calibrator among them comes before a fixed range, but not beyond a limit.
[[nodiscard]] std::map<ValueId, Range> choose_ranges(const Graph& graph, const PlacementPlan& plan,
                                                     const Calibration& calibration, const Calibrator& calibrator,
                                                     const RangeOverrides& overrides, RangeKind kind, size_t threads,
                                                     KnownRanges* known = nullptr);

}  // namespace detent
