#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/range_overrides.h"
#include "detent/base/calibrator.h"
#include "detent/base/qparams.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// Ranges that were chosen before, by the values that got one together.
using KnownRanges = std::map<std::vector<ValueId>, Range>;

[[nodiscard]] const std::set<std::string>& no_samples();

/// Ranges of a plan's values as choose_ranges() takes them.
[[nodiscard]] KnownRanges known_ranges(const PlacementPlan& plan, const std::map<ValueId, Range>& ranges);

/// How ranges are chosen, besides from which data. Looks at things that must outlive it.
struct RangeChoice {
  const Graph& graph;
  const Calibrator& calibrator;
  const RangeOverrides& overrides;  ///< checked (check_overrides)
  RangeKind kind = RangeKind::Symmetric;
  size_t threads = 1;
  /// Samples beyond whose company no measured range goes: it ends where the other samples do. Values of overrides,
  /// given ranges and values whose samples are not told apart are not cut.
  const std::set<std::string>& clipped_samples = no_samples();
};

/// What a value reaches in the samples that are not left out. extremes  in parallel with names.
[[nodiscard]] Extremes reach_without(std::span<const Extremes> extremes, std::span<const std::string> names,
                                     const std::set<std::string>& left_out);

/// `range`, cut where `reach` ends; contains 0 still. A reach of nothing but zeros cuts nothing.
[[nodiscard]] Range clipped(const Range& range, const Extremes& reach, RangeKind kind);

/// One range per paired value: the user's, an imported scale, the plan's fixed range, or the one that the calibrator
/// chooses from the histogram (merged over the value's scale group). Members of a group get the same range. Values in
/// parallel. A calibrator among the overrides comes before a fixed range, but not beyond a limit.
/// Errors  TableMismatch
/// for a calibrator that looks at single samples where the calibration does not tell them. known  ranges by the same
/// calibration and choice: taken from there, new ones are added.
[[nodiscard]] std::map<ValueId, Range> choose_ranges(const PlacementPlan& plan, const Calibration& calibration,
                                                     const RangeChoice& choice, KnownRanges* known = nullptr);

}  // namespace detent
