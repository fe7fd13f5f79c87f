#include <algorithm>

#include "calibrate/calibration.h"
#include "core/stop.h"
#include "detent/base/calibrator.h"
#include "detent/compare.h"
#include "pipeline/candidate_judge.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/detection_pictures.h"
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

/// Returns the layout of the detections to show; nullopt where none are asked for, or a page can do without.
/// Errors  those of check_drawing and check_drawable.
std::optional<DetectionLayout> layout_to_show(const CompareOptions& options, const CandidateJudge& judge) {
  if (!options.draw.empty()) {
    check_drawing(options.draw, options.overwrite_draw);
    check_drawable(options.model, judge.recognized());
  }
  return options.draw.empty() && !options.pictures ? std::nullopt : judge.recognized();
}

/// Shows the detections of the winner beside those of FP32.
void show_detections(ComparisonReport& report, const CompareOptions& options, const DetectionLayout& layout,
                     const Model& reference, const Model& winner, const DataSource& samples) {
  constexpr size_t kMost = 200;
  const size_t count = std::min(kMost, samples.size());
  std::vector<size_t> spread;
  for (size_t i = 0; i < count; ++i) spread.push_back(i * samples.size() / count);
  std::vector<ShownDetections> shown =
      detect(reference, &winner, layout, SampleSubset(samples, std::move(spread)), options.run);
  const PicturedSamples pictured(samples, options.evaluation.data, reference.graph());
  if (options.pictures) report.detections = picture_detections(shown, pictured);
  if (options.draw.empty()) return;
  put_worst_first(shown);
  shown.resize(std::min(shown.size(), kDrawnSamples));
  draw_detections(options.draw, shown, pictured, DrawnModels::Both);
}

}  // namespace

ComparisonReport compare_calibrators(const CompareOptions& options) {
  const StopScope stop(options.run.stop);
  const RunSettings& run = options.run;
  const std::vector<std::string> names = candidate_names(options.calibrators);

  // model, plan and data are checked before anything long begins
  Prepared prepared = make(recipe_of(options, options.evaluation.data, names));
  const CandidateJudge judge(options, prepared.graph(), *prepared.float32);
  const auto layout = layout_to_show(options, judge);

  // one calibration -> ranges and a variant for each candidate
  Measured measured = measure(prepared);
  keep_ruinous_float(prepared, measured, nullptr);
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
  for (const ComparedCandidate& one : candidates.candidates)
    chosen.emplace_back(one.name, &candidates.made[one.model].ranges);
  report.values = describe_values(graph, measured.calibration.histograms, prepared.recipe.format.range_kind(), chosen);
  const Model& winner = candidates.models[candidates.candidates[index_of_winner(report)].model];
  if (layout) show_detections(report, options, *layout, *prepared.float32, winner, judge.samples());
  if (options.judged) options.judged(report);
  if (options.layer_samples)
    report.layers = measure_winner(report, options, prepared, measured, candidates, judge.samples());
  return report;
}

}  // namespace detent
