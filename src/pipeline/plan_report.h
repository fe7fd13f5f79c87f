#pragma once

#include "detent/reports.h"
#include "model/model.h"
#include "place/placement_plan.h"

namespace detent {

/// The plan with names instead of ids. `original` tells opset and node count before preparation.
[[nodiscard]] PlanReport describe_plan(const PlacementPlan& plan, const Graph& graph, const std::string& model_path,
                                       const Graph& original, size_t folded_batchnorms);

/// Shapes of every value that can run, from one run on `inputs`.
[[nodiscard]] ValueShapes find_shapes(const Graph& graph, std::span<const Tensor> inputs);

}  // namespace detent
