#pragma once

#include <set>
#include <span>

#include "place/plan/placement_plan.h"

namespace detent {

/// Casts between float types whose value only pairs read: those pairs begin in front of them, and the file is written
/// without them (rewrite/unread_casts.h; with --scales fp32 they stay).
[[nodiscard]] std::set<NodeId> casts_inside_pairs(const Graph& graph, const PlacementPlan& plan);

/// Fills LayerDecision::macs and PlacementPlan::coverage. `activations`: the values whose bytes count, each once.
/// Shapes that are missing count 0. What only casts_inside_pairs() read has their pairs, and counts once with them.
void count_coverage(const Graph& graph, const ValueShapes& shapes, std::span<const ValueId> activations,
                    PlacementPlan& plan);

}  // namespace detent
