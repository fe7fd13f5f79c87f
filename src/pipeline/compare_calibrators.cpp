#include <algorithm>

#include "calibrate/calibration.h"
#include "core/stop.h"
#include "detent/base/calibrator.h"
#include "detent/compare.h"
#include "options/command_inputs.h"
#include "pipeline/candidate_judge.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/improve.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/sensitivity_report.h"
#include "pipeline/parts/value_charts.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

SensitivityReport measure_winner(const ComparisonReport& report, const CompareOptions& options,
                                 const Prepared& prepared, const Measured& measured, const Candidates& candidates,
                                 const DataSource& samples) {
  const ComparedCandidate& best = candidates.candidates[index_of_winner(report)];
  const ComparedModel& made = candidates.made[best.model];
  const auto calibrator = make_calibrator(best.calibrator);
  const SampleSubset first(samples, consecutive_samples(samples, 0, *options.layer_samples));
  SensitivityReport layers = sensitivity_of({prepared, measured, *calibrator, made.ranges, made.constants}, first);
  layers.model = report.model;
  layers.plan = report.plan;
  layers.equalized.reset();  // the comparison has it
  return layers;
}

}  // namespace

ComparisonReport compare_calibrators(const CompareOptions& options) {
  const StopScope stop(options.run.stop);
  const InputFiles protected_inputs = protect_inputs(options);
  const RunSettings& run = options.run;
  const std::vector<std::string> names = candidate_names(options.calibrators);

  // model, plan and data are checked before anything long begins
  Prepared prepared = make(recipe_as_quantized(options, options.evaluation.data, names));
  const CandidateJudge judge(options, prepared.graph(), *prepared.float32);

  // one calibration -> ranges and a variant for each candidate
  Measured measured = measure(prepared);
  Candidates candidates = make_candidates(names, prepared, measured, options);
  const Graph& graph = prepared.graph();
  if (prepared.half) add_baselines(candidates, options.model, *prepared.data, run);

  ComparisonReport report;
  report.model = options.model.string();
  report.target = prepared.recipe.target->spec();
  note_calibration(report, prepared, measured);
  judge.judge(report, candidates, *prepared.float32, std::to_string(names.size()) + " calibrators");
  report.plan = plan_report_of(prepared);
  if (prepared.half) add_floats(report.plan, prepared.half->report, graph, prepared.plan, prepared.facts);
  std::vector<std::pair<std::string, const std::map<ValueId, Range>*>> chosen;
  for (const ComparedCandidate& one : candidates.candidates)
    chosen.emplace_back(one.name, &candidates.made[one.model].ranges);
  report.values = describe_values(graph, measured.calibration.histograms, prepared.recipe.format.range_kind(), chosen);
  if (options.judged) options.judged(report);
  if (options.layer_samples)
    report.layers = measure_winner(report, options, prepared, measured, candidates, judge.samples());
  return report;
}

}  // namespace detent
