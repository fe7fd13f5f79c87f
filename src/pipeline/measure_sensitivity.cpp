#include <memory>

#include "core/process/early_end.h"
#include "core/stop.h"
#include "core/stopwatch.h"
#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "detent/sensitivity.h"
#include "evaluate/compared_values.h"
#include "evaluate/decoded_texts.h"
#include "evaluate/task_metric.h"
#include "pipeline/parts/accuracy_level.h"
#include "pipeline/parts/blocked_model.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/early_result.h"
#include "pipeline/parts/identified_samples.h"
#include "pipeline/parts/pipeline_options.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/sensitivity_report.h"
#include "prepare/read_model_to_run.h"
#include "run/model_inputs.h"
#include "run/open_samples.h"
#include "run/own_steps.h"
#include "tune/weights/block_variants.h"

namespace detent {

namespace {

EvaluationOptions judged_by(const SensitivityOptions& options) {
  return {.next_token = options.next_token, .transcripts = options.transcripts, .vocabulary = options.vocabulary};
}

/// The evaluation samples and the judges of their scores.
struct JudgedSamples {
  IdentifiedSamples samples;
  EvaluationOptions by_batch;  // without transcripts where `texts` judge
  Model reference;             // of `texts`
  std::unique_ptr<const DecodedTexts> texts;
  TaskMetric task;

  JudgedSamples(const SensitivityOptions& options, const SampleRequest& eval, const Model& model)
      : samples(open_samples(eval, model)), by_batch(judged_by(options)), reference(model.clone()),
        texts(take_texts(by_batch, eval, reference, options.run)),
        task(by_batch, eval, samples, *options.run.reporter, &model.graph(),
             recognize_detections(model, samples, options.run)) {}

  /// Completes a report of these samples.
  SensitivityReport describe(SensitivityReport report, const SensitivityOptions& options, PlanReport plan,
                             const Stopwatch& stopwatch) const {
    report.model = options.model.string();
    report.evaluation_spread =
        options.eval.spread && options.eval.limit == samples.size() / std::max<size_t>(1, report.steps);
    report.evaluation_digest = samples.digest();
    report.plan = std::move(plan);
    report.seconds = stopwatch.seconds();
    return report;
  }
};

/// Measures the layers of a model with quantized weights alone: options.weights is given.
/// Errors  those of make_blocked_model and measure_layer_errors.
SensitivityReport weight_sensitivity(const SensitivityOptions& options, const RequestedSamples& requested) {
  const Stopwatch stopwatch;
  const Target& target = find_target(options.target);
  const BlockedRequest request{*options.weights, target, options.placement, options.run};
  Model model = read_float_model(options.model);
  const ModelFacts facts = facts_of(model);
  static_cast<void>(judged_outputs(model.graph(), options.run));  // refuses unknown names
  const IdentifiedSamples data(open_samples(requested.data, model));
  const JudgedSamples judged(options, requested.eval, model);
  const auto inputs = read_first_inputs(judged.samples, options.run);

  const BlockedModel blocked = make_blocked_model(std::move(model), request, &data, inputs);
  const Graph& graph = blocked.model.graph();
  const auto names =
      comparable_values(blocked.model, inputs, without_states(options.run, requested.eval, blocked.model));
  BlockVariants variants(blocked.model, target, options.placement, blocked.format, blocked.weights);
  SensitivityReport report;
  report.ended.finishing = take_interruptions("the table of the samples so far follows");
  LayerErrors errors = on_part_of_samples([&] {
    return measure_layer_errors(variants, blocked.model, names, judged.samples, options.run, &judged.task,
                                LayerVariants::Both, &requested.eval);
  });
  finish_layer_errors(report, errors, variants, judged.texts.get());
  report.target = target.spec();
  report.weights = options.weights;
  report.steps = requested.eval.steps.value_or(0);
  report.calibration_samples = blocked.rounding ? blocked.rounding->samples / std::max<size_t>(1, report.steps) : 0;
  if (blocked.rounding) report.calibration_digest = data.digest();
  const auto elements = static_cast<double>(std::max<int64_t>(1, variants.macs()));
  add_layer_errors(report, errors, graph, blocked.plan,
                   [&](const LayerDecision& layer) { return static_cast<double>(layer.params) / elements; });
  return judged.describe(std::move(report), options,
                         describe_plan(blocked.plan, graph, options.model.string(), facts, 0), stopwatch);
}

}  // namespace

SensitivityReport measure_sensitivity(const SensitivityOptions& given) {
  SensitivityOptions options = given;
  if (const auto pipeline = complete_by_model(options.model, options.data, &options.eval)) {
    EvaluationOptions evaluation = judged_by(options);
    complete_options(*pipeline, evaluation);
    options.vocabulary = evaluation.vocabulary;
  }
  const StopScope stop(options.run.stop);
  const EarlyEnd early(options.run.time_limit);
  RequestedSamples samples = requested_samples(options.data, &options.eval, options.run);
  if (options.weights) return weight_sensitivity(options, samples);
  const Stopwatch stopwatch;
  auto calibrator = named_calibrator(options.calibrator);

  // model, plan and data
  Prepared made = make(recipe_as_quantized(options, std::move(samples), {options.calibrator}));
  const JudgedSamples judged(options, made.recipe.eval, made.model());

  // one calibration -> ranges
  auto [prepared, measured, chosen] = measure(std::move(made));
  warn_of_unsupported_tail(prepared.graph(), *options.run.reporter);
  {
    const Unstopped whole;  // without ranges there is no table
    chosen = choose(prepared, measured, std::move(calibrator));
  }
  return judged.describe(sensitivity_of({prepared, measured, *chosen.calibrator, chosen.ranges, chosen.constants,
                                         prepared.recipe.eval, &judged.task, judged.texts.get()},
                                        judged.samples),
                         options, plan_report_of(prepared), stopwatch);
}

}  // namespace detent
