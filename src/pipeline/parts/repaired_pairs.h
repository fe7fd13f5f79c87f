#pragma once

#include <vector>

#include "pipeline/parts/repair_plan.h"

namespace detent {

/// Lists what becomes of every pair, once the ranges are known: those of the plan in the order of the graph, then those
/// of the file that go.
[[nodiscard]] std::vector<RepairReport::Pair> describe_pairs(const RepairPlan& repaired);

}  // namespace detent
