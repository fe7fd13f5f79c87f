#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/range_overrides.h"
#include "detent/base/qparams.h"
#include "model/graph/graph.h"
#include "place/plan/placement_plan.h"
#include "tune/choose_calibrator.h"

namespace detent {

/// A range to try for a value.
struct TrialRange {
  Range range;
  std::string origin;  ///< the calibrator that gives it, or "x0.84": the factor to the current range
};

/// A value that changes alone, or values that share a scale and change together.
struct RangeUnit {
  std::vector<ValueId> members;    ///< ascending
  Range own;                       ///< current range
  std::vector<TrialRange> trials;  ///< distinct, without `own`; narrowest first
  int64_t macs = 0;                ///< of the layers behind the members, for one sample: the cost of a trial
};

/// The input of units_to_try(). Its members must outlive the call.
struct TrialQuestion {
  const Graph& graph;
  const PlacementPlan& plan;
  const Calibration& calibration;
  const RangeOverrides& overrides;  ///< checked (check_overrides)
  const RangesOf& ranges_of;
};

/// Returns the units of the plan whose range is a choice, ordered by first member, with the ranges to try: those of
/// auto_candidates(), and the current one times 0.7, 0.84, 1.19 and 1.41 within the measured range and the plan's
/// limits. Ranges within 6 % of another, both ends together, are left out, and units with an override, an imported
/// scale, a fixed range or nothing to try. ranges  current ranges.
[[nodiscard]] std::vector<RangeUnit> units_to_try(const TrialQuestion& question,
                                                  const std::map<ValueId, Range>& ranges);

}  // namespace detent
