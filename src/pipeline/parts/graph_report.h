#pragma once

#include "detent/graph_report.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// The graph that `plan` decides about, with what each node computes in. A graph without nodes gives an empty report.
[[nodiscard]] GraphReport describe_graph(const PlacementPlan& plan, const Graph& graph);

}  // namespace detent
