#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "detent/base/calibrator.h"
#include "detent/base/qparams.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// The user's choice for one value: a calibrator or a range.
struct RangeOverride {
  std::shared_ptr<const Calibrator> calibrator;  ///< nullptr: `range` holds
  Range range;
};
using RangeOverrides = std::map<std::string, RangeOverride>;

/// Reads {"value": {"calibrator": "max"} | {"amax": 1.5} | {"min": -1, "max": 2}}: one of the three for a value. amax
/// is greater than 0; min <= 0 <= max and min < max. No file -> no overrides.
/// Errors  InvalidOption naming the file and the line (text that is not JSON, a name given twice) or the value (unknown
///         or missing keys, another type, an invalid range, an unknown calibrator).
[[nodiscard]] RangeOverrides read_overrides(const std::filesystem::path& file);

/// Returns text that read_overrides() reads, every bit of the ranges: {"value": {"min": -1, "max": 2}}. Values that
/// were 0 throughout have no range and are left out.
[[nodiscard]] std::string format_overrides(const std::map<std::string, Range>& ranges);

/// Throws InvalidOption when an override names a value that gets no pair (the hint lists the nearest that do), or when
/// values of one scale group are given different ranges.
void check_overrides(const RangeOverrides& overrides, const Graph& graph, const PlacementPlan& plan);

/// Returns the override of values that share one range; nullptr when there is none. Overrides are checked.
[[nodiscard]] const RangeOverride* find_override(const RangeOverrides& overrides, const Graph& graph,
                                                 std::span<const ValueId> members);

}  // namespace detent
