#include "core/stop.h"
#include "core/stopwatch.h"
#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "detent/sensitivity.h"
#include "evaluate/compared_values.h"
#include "evaluate/task_metric.h"
#include "pipeline/parts/blocked_model.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/identified_samples.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/sensitivity_report.h"
#include "prepare/read_model_to_run.h"
#include "run/model_inputs.h"
#include "tune/weights/block_variants.h"

namespace detent {

namespace {

/// measure_sensitivity() where weights alone are quantized: options.weights is given.
/// Errors  those of make_blocked_model and measure_layer_errors; InvalidOption when no output can be compared.
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

}  // namespace

SensitivityReport measure_sensitivity(const SensitivityOptions& options) {
  const StopScope stop(options.run.stop);
  if (options.weights) return weight_sensitivity(options);
  const Stopwatch stopwatch;
  const RunSettings& run = options.run;
  auto calibrator = named_calibrator(options.calibrator);

  // model, plan and data
  Prepared prepared = make(recipe_of(options, options.eval, {options.calibrator}));
  const IdentifiedSamples samples(open_samples(options.eval, prepared.graph()));
  EvaluationOptions judged;
  judged.next_token = options.next_token;
  const TaskMetric task(judged, samples, *run.reporter, input_specs(prepared.graph(), options.eval.batch_axes));

  // one calibration -> ranges
  const Measured measured = measure(prepared);
  warn_of_unsupported_tail(prepared.graph(), *run.reporter);
  const Chosen chosen = choose(prepared, measured, std::move(calibrator));

  SensitivityReport report =
      sensitivity_of({prepared, measured, *chosen.calibrator, chosen.ranges, chosen.constants, &task}, samples);
  report.model = options.model.string();
  report.evaluation_spread = options.eval.spread && options.eval.limit == samples.size();
  report.evaluation_digest = samples.digest();
  report.plan = plan_report_of(prepared);
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
