#pragma once

#include "detent/plan_report.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// The facts that reports give of a model as it came, before preparation.
struct ModelFacts {
  int64_t opset = 0;
  size_t nodes = 0, bytes = 0;
  std::string producer = {};  ///< "pytorch 2.1"; empty: it names none
};
[[nodiscard]] ModelFacts facts_of(const Model& model);

/// The plan with names instead of ids. `original` is the model before preparation.
[[nodiscard]] PlanReport describe_plan(const PlacementPlan& plan, const Graph& graph, const std::string& model_path,
                                       const ModelFacts& original, size_t folded_batchnorms);

}  // namespace detent
