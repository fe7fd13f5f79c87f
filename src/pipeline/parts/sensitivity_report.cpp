#include "pipeline/parts/sensitivity_report.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/choose_ranges.h"
#include "calibrate/sample_tracker.h"
#include "core/process/early_end.h"
#include "core/stopwatch.h"
#include "evaluate/compared_values.h"
#include "evaluate/value_errors.h"
#include "pipeline/parts/early_result.h"
#include "pipeline/parts/value_charts.h"
#include "run/model_inputs.h"
#include "run/own_steps.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

/// Fills the scores of a layer in one of its two variants.
void add_scores(SensitivityReport::Layer& layer, const TaskSums& sums,
                std::optional<double> SensitivityReport::Layer::*LayerScore::*variant) {
  const auto metrics = sums.metrics();
  for (const LayerScore& score : kLayerScores)
    if (const auto found = metrics.find(score.metric.name); found != metrics.end())
      layer.*(score.*variant) = found->second;
}

}  // namespace

void finish_layer_errors(SensitivityReport& report, LayerErrors& errors, FloatVariants& variants,
                         const DecodedTexts* texts) {
  const bool whole = !texts || add_word_errors(errors, variants, *texts);
  note_end(report.ended, whole ? std::vector<std::string>() : std::vector<std::string>{"texts"});
}

void add_layer_errors(SensitivityReport& report, const LayerErrors& errors, const Graph& graph,
                      const PlacementPlan& plan, const std::function<double(const LayerDecision&)>& share) {
  for (const LayerErrors::Choice& choice : errors.choices) {
    const Node& node = graph.node(choice.what.node);
    const LayerDecision* layer = plan.find_layer(node.id);
    SensitivityReport::Layer& measured = (layer ? report.layers : report.operators).emplace_back();
    measured.name = node.name;
    measured.op = node.op_type;
    measured.sqnr_db_alone = choice.alone.sqnr_db.value_or(0);
    measured.sqnr_db_all_but = choice.all_but.sqnr_db.value_or(0);
    measured.macs_share = layer ? share(*layer) : 0;
    measured.output = choice.alone.worst;
    add_scores(measured, choice.alone_task, &LayerScore::alone);
    add_scores(measured, choice.all_but_task, &LayerScore::all_but);
  }
  report.evaluation_samples = errors.samples;
  report.skipped_samples += errors.skipped;
  report.sqnr_db_all = errors.all.sqnr_db.value_or(0);
  report.outputs = errors.all.outputs;
  report.fp32 = errors.fp32_task.metrics();
  report.all = errors.all_task.metrics();
  report.variants = errors.variants;
  report.plain_runs = errors.float_seconds > 0 ? errors.seconds / errors.float_seconds : 0;
}

SensitivityReport sensitivity_of(const MeasuredModel& model, const DataSource& samples) {
  const Stopwatch stopwatch;
  const auto& [prepared, measured, calibrator, chosen, constants, request, task, texts] = model;
  const Recipe& recipe = prepared.recipe;
  const PlacementPlan& plan = prepared.plan;
  const RunSettings& run = recipe.run;
  const Graph& graph = prepared.graph();
  std::optional<Unstopped> whole(std::in_place);  // in front of the samples that count there is no table
  const auto names = comparable_values(prepared.model(), read_first_inputs(samples, run),
                                       without_states(run, request, prepared.model()));
  RangeBook ranges = range_book(prepared, measured, calibrator, chosen);

  SensitivityReport report;
  report.ended.finishing = take_interruptions("the table of the samples so far follows");
  Model corrected = prepared.model().clone();
  if (!constants.empty()) apply_patch(corrected, constants);
  PairVariants variants(corrected, *recipe.target, recipe.placement, prepared.shapes, recipe.format, ranges,
                        recipe.kept);
  whole.reset();
  LayerErrors errors = on_part_of_samples([&] {
    return measure_layer_errors(variants, corrected, names, samples, run, task, LayerVariants::Both, &request);
  });
  finish_layer_errors(report, errors, variants, texts);
  const size_t steps = std::max<size_t>(1, request.steps.value_or(1));
  const SampleSubset measured_on(samples, consecutive_samples(samples, 0, errors.samples * steps + errors.skipped));
  report.values = measure_value_errors(prepared.model(), plan, chosen, recipe.format, measured_on, run);

  report.target = recipe.target->spec();
  report.wide = variants.widens();
  report.calibrator = calibrator.name();
  report.corrected_biases = constants.replace_constants.size();
  report.steps = request.steps.value_or(0);
  report.calibration_samples = measured.calibration.samples / steps;
  report.calibration_digest = sample_digest(measured.calibration.identities);
  report.skipped_samples = measured.calibration.skipped;
  const auto macs = static_cast<double>(std::max<int64_t>(1, plan.coverage.macs));
  add_layer_errors(report, errors, graph, plan,
                   [&](const LayerDecision& layer) { return static_cast<double>(layer.macs) / macs; });
  report.equalized = prepared.equalize_report();
  std::map<ValueId, Histogram> histograms;
  for (const auto& [value, histogram] : ranges.calibration().histograms)
    if (chosen.contains(value)) histograms.emplace(value, histogram);
  report.histograms = describe_values(graph, histograms, recipe.format.range_kind(), {{report.calibrator, &chosen}});
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
