#pragma once

#include <set>
#include <span>

#include "place/plan/placement_plan.h"

namespace detent {

/// Returns the Casts between float types whose value only pairs read: those pairs begin before them, and the file is
/// written without them (take_unread_casts; with --format scales=fp32 they stay).
[[nodiscard]] std::set<NodeId> casts_inside_pairs(const Graph& graph, const PlacementPlan& plan);

/// Counts a layer in PlacementPlan::coverage, except in its types.
void count_layer(const LayerDecision& layer, PlacementPlan& plan);

/// Fills LayerDecision::macs and PlacementPlan::coverage. Missing shapes count 0. A value that only
/// casts_inside_pairs() read has their pairs, and counts once with them.
/// activations  the values whose bytes count, each once
void count_coverage(const Graph& graph, const ValueShapes& shapes, std::span<const ValueId> activations,
                    PlacementPlan& plan);

}  // namespace detent
