#include "calibrate/calibration.h"
#include "core/stop.h"
#include "detent/base/calibrator.h"
#include "detent/base/data_source.h"
#include "detent/compare.h"
#include "detent/options/run_settings.h"
#include "model/model.h"
#include "pipeline/candidate_judge.h"
#include "pipeline/compared_candidates.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/sensitivity_report.h"
#include "pipeline/parts/value_charts.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

SensitivityReport measure_winner(const ComparisonReport& report, const CompareOptions& options,
                                 const Prepared& prepared, const Measured& measured, const Candidates& candidates,
                                 const DataSource& samples) {
  const size_t best = index_of_winner(report), variant = candidates.variant_of[best];
  const auto calibrator = make_calibrator(candidates.calibrators[best]);
  const SampleSubset first(samples, consecutive_samples(samples, 0, *options.layer_samples));
  SensitivityReport layers = sensitivity_of(
      {prepared, measured, *calibrator, candidates.ranges[variant], candidates.constants[variant]}, first);
  layers.model = report.model;
  layers.plan = report.plan;
  layers.equalized.reset();  // the comparison tells it
  return layers;
}

}  // namespace

ComparisonReport compare_calibrators(const CompareOptions& options) {
  const StopScope stop(options.run.stop);
  const RunSettings& run = options.run;
  const std::vector<std::string> names = candidate_names(options.calibrators);

  // model, plan and data; what is wrong with any of them is said before anything long begins
  Prepared prepared = make(recipe_of(options, options.evaluation.data, names));
  const CandidateJudge judge(options, prepared.graph(), *prepared.float32);

  // one calibration -> ranges and a variant for each candidate
  const Measured measured = measure(prepared);
  const Graph& graph = prepared.graph();
  warn_of_unsupported_tail(graph, *run.reporter);
  Candidates candidates = make_candidates(names, prepared, measured, options);
  if (prepared.half) add_baselines(candidates, options.model, *prepared.data, run);

  ComparisonReport report;
  report.model = options.model.string();
  report.target = prepared.recipe.target->spec();
  note_calibration(report, prepared, measured);
  judge.judge(report, candidates, *prepared.float32, std::to_string(names.size()) + " calibrators");
  report.plan = plan_report_of(prepared);
  if (prepared.half) add_floats(report.plan, prepared.half->report, graph, prepared.plan, prepared.facts);
  std::vector<std::pair<std::string, const std::map<ValueId, Range>*>> chosen;
  for (size_t c = 0; c < names.size(); ++c) chosen.emplace_back(names[c], &candidates.ranges[candidates.variant_of[c]]);
  report.values = describe_values(graph, measured.calibration.histograms, prepared.recipe.format.range_kind(), chosen);
  if (options.judged) options.judged(report);
  if (options.layer_samples)
    report.layers = measure_winner(report, options, prepared, measured, candidates, judge.samples());
  return report;
}

}  // namespace detent
