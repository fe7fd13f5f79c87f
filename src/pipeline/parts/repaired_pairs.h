#pragma once

#include <map>
#include <vector>

#include "detent/repair.h"
#include "place/plan/placement_plan.h"
#include "repair/carried_scales.h"

namespace detent {

/// The decisions of a repair. Its members must outlive the calls.
struct RepairedPlan {
  const Graph& graph;  ///< of the plan
  const PlacementPlan& plan;
  const TrainedPairs& trained;
  const std::map<ValueId, CarriedRange>& carried;
  const std::map<ValueId, Range>& ranges;  ///< of every planned value
  bool int32_biases = false;
};

/// Lists what becomes of every pair: those of the plan in the order of the graph, then those of the file that go.
[[nodiscard]] std::vector<RepairReport::Pair> describe_pairs(const RepairedPlan& repaired);

}  // namespace detent
