#include <algorithm>

#include "calibrate/calibration.h"
#include "core/process/early_end.h"
#include "core/stop.h"
#include "detent/base/calibrator.h"
#include "detent/compare.h"
#include "options/command_inputs.h"
#include "pipeline/candidate_judge.h"
#include "pipeline/parts/accuracy_level.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/pipeline_options.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/sensitivity_report.h"
#include "pipeline/parts/value_charts.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

/// Measures the layers with the candidate `best` as it was made.
SensitivityReport measure_layers(const CompareCalibratorsReport& report, const CompareOptions& options,
                                 const Prepared& prepared, const Measured& measured, const ComparedCandidate& best,
                                 const ComparedModel& made, const CandidateJudge& judge) {
  const auto calibrator = make_calibrator(best.calibrator);
  const size_t steps = std::max<size_t>(1, judge.request().steps.value_or(1));
  const SampleSubset first(judge.samples(), consecutive_samples(judge.samples(), 0, *options.layer_samples * steps));
  SensitivityReport layers =
      sensitivity_of({prepared, measured, *calibrator, made.ranges, made.constants, judge.request()}, first);
  layers.model = report.model;
  layers.plan = report.plan;
  layers.equalized.reset();  // the comparison has it
  return layers;
}

}  // namespace

CompareCalibratorsReport compare_calibrators(const CompareOptions& given) {
  CompareOptions options = given;
  if (const auto pipeline = complete_by_model(options.model, options.data, &options.evaluation.data))
    complete_options(*pipeline, options.evaluation);
  const StopScope stop(options.run.stop);
  const EarlyEnd early(options.run.time_limit);
  const InputFiles protected_inputs = protect_inputs(options);
  const RunSettings& run = options.run;
  const std::vector<std::string> names = candidate_names(options.calibrators);

  // model, plan and data are checked before anything long begins
  const RequestedSamples samples = requested_samples(options.data, &options.evaluation.data, run);
  Prepared made = make(recipe_as_quantized(options, samples, names));
  const CandidateJudge judge(options, samples.eval, *made.float32);

  // one calibration -> ranges and a variant for each candidate
  Attempt attempt = measure(std::move(made));
  const auto& [prepared, measured, none] = attempt;
  Candidates candidates = make_candidates(names, attempt, options);
  const Graph& graph = prepared.graph();
  if (prepared.half) add_baselines(candidates, options.model, *prepared.data, run);

  CompareCalibratorsReport report;
  report.model = options.model.string();
  report.target = prepared.recipe.target->spec();
  report.equalized = prepared.equalize_report();
  note_calibration(report, measured, samples.data);
  for (const ComparedCandidate& one : candidates.candidates)
    report.variants.push_back({{}, one.calibrator == one.name ? "" : one.calibrator});
  const size_t winner = judge.judge(report, candidates, std::to_string(names.size()) + " calibrators");
  report.plan = plan_report_of(prepared);
  report.opset = report.plan.opset, report.nodes = report.plan.nodes;
  if (prepared.half) add_floats(report.plan, prepared.half->report, graph, prepared.plan, prepared.facts);
  std::vector<std::pair<std::string, const std::map<ValueId, Range>*>> chosen;
  for (const ComparedCandidate& one : candidates.candidates)
    chosen.emplace_back(one.name, &candidates.made[one.model].ranges);
  report.values = describe_values(graph, measured.calibration.histograms, prepared.recipe.format.range_kind(), chosen);
  if (options.judged) options.judged(report);
  if (options.layer_samples && is_ending_early()) {
    report.ended.left_out.emplace_back("layers");
  } else if (options.layer_samples) {
    const ComparedCandidate& best = candidates.candidates[winner];
    report.layers = measure_layers(report, options, prepared, measured, best, candidates.made[best.model], judge);
  }
  return report;
}

}  // namespace detent
