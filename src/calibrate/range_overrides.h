#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "detent/base/calibrator.h"
#include "detent/base/qparams.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// The user's choice for one value: a calibrator or a range, the number of bits, or both.
struct RangeOverride {
  std::shared_ptr<const Calibrator> calibrator;  ///< nullptr: `range` holds
  Range range;                                   ///< empty without calibrator: only the bits are chosen
  int bits = 0;                                  ///< 16, or 0: those of the other values
  [[nodiscard]] bool chooses_range() const { return calibrator || range.min < range.max; }
};
using RangeOverrides = std::map<std::string, RangeOverride>;

/// Reads {"value": {"calibrator": "max"} | {"amax": 1.5} | {"min": -1, "max": 2}}: one of the three for a value, with
/// or without "bits": 16, or the bits alone. amax is greater than 0; min <= 0 <= max and min < max. No file -> no
/// overrides.
/// Errors  InvalidOption naming the file and the line (text that is not JSON, a name given twice) or the value (unknown
///         or missing keys, another type, an invalid range, an unknown calibrator).
[[nodiscard]] RangeOverrides read_overrides(const std::filesystem::path& file);

/// Returns text that read_overrides() reads, every bit of the ranges: {"value": {"min": -1, "max": 2}}. Values that
/// were 0 throughout have no range and are left out.
[[nodiscard]] std::string format_overrides(const std::map<std::string, Range>& ranges);

/// Returns the names of the values that get 16 bits.
[[nodiscard]] std::vector<std::string> wide_values(const RangeOverrides& overrides);

/// Throws InvalidOption when an override names a value that gets no pair (the hint lists the nearest that do), or when
/// values of one scale group are given different ranges.
/// A member's bits hold for its group.
void check_overrides(const RangeOverrides& overrides, const Graph& graph, const PlacementPlan& plan);

/// Returns the override of the range of values that share one; nullptr when there is none. Overrides are checked.
[[nodiscard]] const RangeOverride* find_override(const RangeOverrides& overrides, const Graph& graph,
                                                 std::span<const ValueId> members);

}  // namespace detent
