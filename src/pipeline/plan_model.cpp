#include "detent/plan.h"

#include <map>
#include <utility>

#include "core/stop.h"
#include "detent/base/error.h"
#include "model/graph_patch.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/speed_outlook.h"
#include "rewrite/qdq_inserter.h"

namespace detent {

namespace {

Recipe recipe_for(const PlanModelOptions& options) {
  FormatOptions format;
  format.float_type = options.float_type;
  format.activation = options.activation;
  Recipe recipe{.model = options.model, .data = options.data, .table = {}, .eval = {}, .run = options.run};
  recipe.measures = recipe.identify = options.data.given();
  recipe.shapes = options.shapes;
  return resolved(std::move(recipe), options.target, options.placement, format);
}

/// Returns the file that would be written, with float weights and scales of 1/127. Takes the model out.
Model with_pairs(Prepared& prepared) {
  PlacementPlan pairs = prepared.plan;
  pairs.weights.clear();
  std::map<ValueId, Range> ranges;
  for (const ValueId value : pairs.quantized_values()) ranges[value] = {-1, 1};
  const GraphPatch patch = make_qdq_patch(prepared.graph(), pairs, ranges, prepared.recipe.format).patch;
  Model model = take_model(prepared);
  if (!patch.empty()) apply_patch(model, patch);
  return model;
}

}  // namespace

PlanReport plan_model(const PlanModelOptions& options) {
  const StopScope stop(options.run.stop);
  if (options.data.given() && !options.shapes.empty())
    throw Error(ErrorCode::Usage, "--shape does not apply with --data: the sizes are those of the samples");
  Prepared prepared = make(recipe_for(options));
  PlanReport report = describe_final_plan(prepared);
  if (prepared.recipe.target->engine == Engine::TensorRT && prepared.plan.type == CodeType::Int8) {
    const auto sizes = named_sizes(prepared.graph(), prepared.shapes);
    add_outlook(with_pairs(prepared).graph(), sizes, report);
  }
  return report;
}

}  // namespace detent
