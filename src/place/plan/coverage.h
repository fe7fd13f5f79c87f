#pragma once

#include <span>

#include "place/plan/placement_plan.h"

namespace detent {

/// Fills LayerDecision::macs and PlacementPlan::coverage. `activations`: the values whose bytes count, each once.
/// Shapes that are missing count 0.
void count_coverage(const Graph& graph, const ValueShapes& shapes, std::span<const ValueId> activations,
                    PlacementPlan& plan);

}  // namespace detent
