#pragma once

#include <map>
#include <string>

#include "calibrate/calibration.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// Returns the paired values of a plan for TensorRT that share a scale around a Concat and whose largest magnitude is
/// less than an eighth of the group's, by name, with that share. Values without a histogram or a given range, and
/// zeros, do not count; other engines tie only scales of the same numbers.
[[nodiscard]] std::map<std::string, double> values_apart(const Graph& graph, const PlacementPlan& plan,
                                                         const Calibration& calibration);

}  // namespace detent
