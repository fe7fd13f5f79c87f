#include "detent/plan.h"

#include <utility>

#include "core/stop.h"
#include "detent/base/error.h"
#include "pipeline/parts/chosen.h"

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

}  // namespace

PlanReport plan_model(const PlanModelOptions& options) {
  const StopScope stop(options.run.stop);
  if (options.data.given() && !options.shapes.empty())
    throw Error(ErrorCode::Usage, "--shape does not apply with --data: the sizes are those of the samples");
  Prepared prepared = make(recipe_for(options));
  return describe_final_plan(prepared);
}

}  // namespace detent
