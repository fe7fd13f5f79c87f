#pragma once

#include <set>
#include <string>
#include <vector>

#include "detent/reports/plan_report.h"
#include "model/model.h"
#include "ops/value_types.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// The facts that reports give of a model as it came, before preparation.
struct ModelFacts {
  int64_t opset = 0;
  size_t nodes = 0, bytes = 0;
  std::string producer = {};         ///< "pytorch 2.1"; empty: it names none
  std::set<std::string> casts = {};  ///< names of its Cast nodes
  size_t states = 0;  ///< outputs that the next step reads: an input has the shape and the start of the name
  std::vector<GraphFault> faults = {};  ///< rules of ONNX that it breaks itself
};
[[nodiscard]] ModelFacts facts_of(const Model& model);

/// How many Cast nodes the main graph has that the model did not come with.
[[nodiscard]] size_t casts_added(const Graph& graph, const ModelFacts& original);

[[nodiscard]] CoverageReport describe_coverage(const Coverage& coverage);
/// The plan with names instead of ids. `original` is the model before preparation.
[[nodiscard]] PlanReport describe_plan(const PlacementPlan& plan, const Graph& graph, const std::string& model_path,
                                       const ModelFacts& original, size_t folded_batchnorms);
/// Says in the report of a plan what was made half, and how many casts the written file has for it.
void add_floats(PlanReport& report, const FloatReport& floats, const Graph& graph, const PlacementPlan& plan,
                const ModelFacts& original);

}  // namespace detent
