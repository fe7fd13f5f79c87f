#include "pipeline/weight_sensitivity.h"

#include "core/stopwatch.h"
#include "detent/error.h"
#include "evaluate/compared_values.h"
#include "evaluate/task_metric.h"
#include "pipeline/parts/blocked_model.h"
#include "pipeline/parts/identified_samples.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/sensitivity_report.h"
#include "prepare/read_model_to_run.h"
#include "run/model_inputs.h"
#include "tune/weights/block_variants.h"

namespace detent {

SensitivityReport weight_sensitivity(const SensitivityOptions& options) {
  const Stopwatch stopwatch;
  const RunSettings& run = options.run;
  const Target& target = find_target(options.target);
  const BlockedRequest request{*options.weights, target, options.placement, run};
  Model model = read_float_model(options.model);
  const ModelFacts facts = facts_of(model);
  const IdentifiedSamples data(open_samples(options.data, model.graph()));
  const IdentifiedSamples samples(open_samples(options.eval, model.graph()));
  EvaluationOptions judged;
  judged.next_token = options.next_token;
  const TaskMetric task(judged, samples, *run.reporter, input_specs(model.graph(), options.eval.batch_axes));
  const auto inputs = read_first_inputs(samples, run);

  const BlockedModel blocked = make_blocked_model(std::move(model), request, &data, inputs);
  const Graph& graph = blocked.model.graph();
  const auto names = values_to_compare(blocked.model, inputs);
  if (names.empty())
    throw Error(ErrorCode::InvalidOption, "no output can be compared: none that can run comes from float values");
  BlockVariants variants(blocked.model, target, options.placement, blocked.format, blocked.weights);
  const LayerErrors errors = measure_layer_errors(variants, blocked.model, names, samples, run, &task);

  SensitivityReport report;
  report.model = options.model.string();
  report.target = target.spec();
  report.weights = options.weights;
  report.calibration_samples = blocked.rounding ? blocked.rounding->samples : 0;
  report.evaluation_spread = options.eval.spread && options.eval.limit == samples.size();
  if (blocked.rounding) report.calibration_digest = data.digest();
  report.evaluation_digest = samples.digest();
  const auto elements = static_cast<double>(std::max<int64_t>(1, variants.macs()));
  add_layer_errors(report, errors, graph, blocked.plan,
                   [&](const LayerDecision& layer) { return static_cast<double>(layer.params) / elements; });
  report.plan = describe_plan(blocked.plan, graph, report.model, facts, 0);
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
