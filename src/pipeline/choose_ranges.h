#pragma once

#include <map>
#include <memory>

#include "pipeline/calibrate_model.h"
#include "place/placement_plan.h"

namespace detent {

/// What the user fixed for single values: a calibrator of their own or a range.
struct RangeOverride {
  std::shared_ptr<const Calibrator> calibrator;  ///< nullptr: `range` holds
  Range range;
};
using RangeOverrides = std::map<std::string, RangeOverride>;

/// Reads {"value": {"calibrator": "max"} | {"amax": 1.5} | {"min": -1, "max": 2}}.
/// Errors  InvalidOption naming the file and the entry.
[[nodiscard]] RangeOverrides read_overrides(const std::filesystem::path& file);

/// One range per paired value: the user's, an imported scale, the plan's fixed range, or what the calibrator chooses from the histogram
/// (merged over the value's scale group). Members of a group get the same range. Values in parallel.
/// Errors  InvalidOption when an override names a value that gets no pair.
[[nodiscard]] std::map<ValueId, Range> choose_ranges(const Graph& graph, const PlacementPlan& plan,
                                                     const Calibration& calibration, const Calibrator& calibrator,
                                                     const RangeOverrides& overrides, RangeKind kind, size_t threads);

}  // namespace detent
