#pragma once

#include <set>
#include <string>
#include <vector>

#include "detent/reports/plan_report.h"
#include "model/model.h"
#include "ops/value_types.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// Facts of a model as it was read, for reports.
struct ModelFacts {
  int64_t opset = 0;
  size_t nodes = 0, bytes = 0;
  std::string producer = {};         ///< "pytorch 2.1"; empty: it names none
  std::set<std::string> casts = {};  ///< names of its Cast nodes
  size_t states = 0;  ///< outputs that the next step reads: an input has the shape and the start of the name
  std::vector<GraphFault> faults = {};  ///< rules of ONNX that it breaks itself
};
[[nodiscard]] ModelFacts facts_of(const Model& model);

/// Returns how many Cast nodes the main graph has beyond those of the original model.
[[nodiscard]] size_t casts_added(const Graph& graph, const ModelFacts& original);

/// Describes the plan with names instead of ids. `original` is the model before preparation.
[[nodiscard]] PlanReport describe_plan(const PlacementPlan& plan, const Graph& graph, const std::string& model_path,
                                       const ModelFacts& original, size_t folded_batchnorms);
/// Adds to the report of a plan the 16-bit nodes, and the casts that the written file has for them.
void add_floats(PlanReport& report, const FloatReport& floats, const Graph& graph, const PlacementPlan& plan,
                const ModelFacts& original);

}  // namespace detent
