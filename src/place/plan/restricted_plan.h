#pragma once

#include "place/plan/placement_plan.h"

namespace detent {

/// Reduces a plan to the part that one quantized node needs: its weight, the nearest pairs before it and the nearest
/// behind it, each for all readers that the plan pairs. Some engines run a layer with integers only between pairs, and
/// their rules would leave a layer float that has no quantized neighbour. The range of the scores of a
/// masked sum is still known. The plan's coverage and reasons stay. A node
/// without pairs gives a plan without pairs.
[[nodiscard]] PlacementPlan restricted_to(const PlacementPlan& plan, const Graph& graph, NodeId node);

}  // namespace detent
