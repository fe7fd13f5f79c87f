#include "detent/plan.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/stop.h"
#include "detent/base/error.h"
#include "pipeline/latency/latency_factors.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/speed_outlook.h"
#include "tune/latency/latency_table.h"

namespace detent {

namespace {

Recipe recipe_for(const PlanModelOptions& options) {
  FormatOptions format;
  format.float_type = options.float_type;
  format.activation = options.activation;
  format.dynamic = options.dynamic;
  Recipe recipe{.model = options.model, .run = options.run};
  recipe.data = requested_samples(options.data, nullptr, options.run).data;
  recipe.measures = recipe.identify = options.data.given();
  recipe.shapes = options.shapes;
  return resolved(std::move(recipe), options.target, options.placement, format);
}

/// True where the forecast's engine is that of another target; a command of the user's may time any.
bool is_of_another(const LatencyForecast& forecast, const Target& target) {
  const std::string word = forecast.machine.engine.substr(0, forecast.machine.engine.find(','));
  const auto is_engine = [&](const Target& other) { return std::string_view(*other.engine.name) == word; };
  return !is_engine(target) && std::ranges::any_of(target_list(), is_engine);
}

/// Returns what the table knows of the changes that a search by latency would try.
std::vector<LatencyForecast> forecasts_for(const Attempt& attempt, const PlanModelOptions& options,
                                           const LatencyTable& table) {
  QuantizeOptions searched{.model = options.model, .target = options.target, .placement = options.placement};
  searched.format.activation = options.activation;
  searched.format.dynamic = options.dynamic;
  std::vector<PlannedPart> parts;
  for (const LatencyFactor& factor : latency_factors(attempt, searched))
    parts.push_back({factor.name, factor.kind, factor.nodes.size()});
  std::vector<LatencyForecast> forecasts = forecasts_of(table, parts);
  std::erase_if(forecasts, [&](const LatencyForecast& forecast) {
    return is_of_another(forecast, *attempt.prepared.recipe.target);
  });
  return forecasts;
}

}  // namespace

PlanReport plan_model(const PlanModelOptions& options) {
  const StopScope stop(options.run.stop);
  if (options.data.given() && !options.shapes.empty())
    throw Error(ErrorCode::Usage, "--shape does not apply with --data: the sizes are those of the samples");
  const LatencyTable table(options.latency_table);
  Attempt attempt{make(recipe_for(options))};
  std::vector<LatencyForecast> forecasts;
  if (!table.machines().empty()) forecasts = forecasts_for(attempt, options, table);
  PlanReport report = describe_final_plan(std::move(attempt.prepared));
  report.forecasts = std::move(forecasts);
  if (report.outlook) report.outlook = judge_speed(*report.outlook, report.coverage, report.forecasts);
  return report;
}

}  // namespace detent
