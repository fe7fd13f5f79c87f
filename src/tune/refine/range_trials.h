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

/// A range that a value may have instead of its own.
struct TrialRange {
  Range range;
  std::string origin;  ///< the calibrator that gives it, or "x0.84": the factor to the range it has
};

/// A value that changes alone, or values that share a scale and change together.
struct RangeUnit {
  std::vector<ValueId> members;    ///< ascending
  Range own;                       ///< that they have
  std::vector<TrialRange> trials;  ///< distinct, never `own`; narrowest first
  int64_t macs = 0;                ///< of the layers behind them, for one sample: what a change of the range runs anew
};

/// What units_to_try() asks. Looks at things that must outlive the call.
struct TrialQuestion {
  const Graph& graph;
  const PlacementPlan& plan;
  const Calibration& calibration;
  const RangeOverrides& overrides;  ///< checked (check_overrides)
  const RangesOf& ranges_of;
};

/// The values of the plan whose range is a choice, by their first member, with the ranges to try: those of
/// auto_candidates(), and their own times 0.7, 0.84, 1.19 and 1.41, but no wider than what was measured and the limits
/// of the plan allow. A range that lies within 6 % of another, both ends together, is not tried. ranges    that the
/// values have now. Left out  values with an override, an imported scale or a fixed range, their groups, and units with
/// nothing to try.
[[nodiscard]] std::vector<RangeUnit> units_to_try(const TrialQuestion& question,
                                                  const std::map<ValueId, Range>& ranges);

}  // namespace detent
