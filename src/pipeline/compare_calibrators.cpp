#include "calibrate/calibration.h"
#include "core/stop.h"
#include "detent/calibrator.h"
#include "detent/compare.h"
#include "detent/data_source.h"
#include "detent/run_settings.h"
#include "model/model.h"
#include "pipeline/candidate_judge.h"
#include "pipeline/compared_candidates.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/sensitivity_report.h"
#include "pipeline/parts/setup.h"
#include "pipeline/parts/value_charts.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

SensitivityReport measure_winner(const ComparisonReport& report, const CompareOptions& options, const Setup& setup,
                                 const Calibration& calibration, const Candidates& candidates,
                                 const DataSource& samples) {
  const size_t best = index_of_winner(report), variant = candidates.variant_of[best];
  const auto calibrator = make_calibrator(candidates.calibrators[best]);
  const SampleSubset first(samples, consecutive_samples(samples, 0, *options.layer_samples));
  SensitivityReport layers = sensitivity_of(
      {setup, setup.placement, calibration, *calibrator, candidates.ranges[variant], candidates.constants[variant]},
      first);
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
  const std::filesystem::path no_table;
  Setup setup = set_up({options.model, options.data, no_table, options.override_file, options.target, options.placement,
                        options.format, options.equalize, names, run, options.outliers, &options.evaluation.data});
  const Graph& graph = setup.model.graph();
  const CandidateJudge judge(options, graph, setup.reference());

  // one calibration -> ranges and a variant for each candidate
  const Calibration calibration = setup.calibrate_plan();
  warn_of_unsupported_tail(graph, *run.reporter);
  Candidates candidates = make_candidates(names, setup, calibration, options);
  if (setup.half) add_baselines(candidates, options.model, *setup.data, run);

  ComparisonReport report;
  report.model = options.model.string();
  report.target = setup.plan.target->spec();
  report.calibration_samples = calibration.samples;
  report.calibration_seconds = calibration.seconds;
  report.outliers = setup.outlier_report;
  report.skipped_samples = calibration.skipped;
  report.equalized = setup.equalize_report();
  judge.judge(report, candidates, setup.reference(), std::to_string(names.size()) + " calibrators");
  report.plan = describe_plan(setup.plan, graph, report.model, setup.facts, setup.preparation.folded_batchnorms);
  if (setup.half) add_floats(report.plan, setup.half->report, graph, setup.plan, setup.facts);
  std::vector<std::pair<std::string, const std::map<ValueId, Range>*>> chosen;
  for (size_t c = 0; c < names.size(); ++c) chosen.emplace_back(names[c], &candidates.ranges[candidates.variant_of[c]]);
  report.values = describe_values(graph, calibration.histograms, setup.format.range_kind(), chosen);
  if (options.judged) options.judged(report);
  if (options.layer_samples)
    report.layers = measure_winner(report, options, setup, calibration, candidates, judge.samples());
  return report;
}

}  // namespace detent
