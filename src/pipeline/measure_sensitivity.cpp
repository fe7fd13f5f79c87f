#include <algorithm>
#include <cmath>

#include "detent/calibrator.h"
#include "pipeline/value_charts.h"
#include "evaluate/evaluate_models.h"
#include "tune/layer_errors.h"
#include "evaluate/value_errors.h"
#include "pipeline/setup.h"
#include "pipeline/quantize_report.h"
#include "core/stopwatch.h"
#include "run/workers.h"

namespace detent {

namespace {

/// Infinite only when every output is exact: one that no layer touches says nothing of the others.
double output_sqnr_db(const ErrorReport& error) {
  const bool exact = std::ranges::all_of(error.outputs, [](const auto& output) { return std::isinf(output.sqnr_db); });
  return exact ? error.sqnr_db : mean_sqnr_db(error);
}

void add_layers(SensitivityReport& report, const LayerErrors& errors, const Graph& graph, const PlacementPlan& plan) {
  const auto macs = static_cast<double>(std::max<int64_t>(1, plan.coverage.macs));
  for (const LayerErrors::Choice& choice : errors.choices) {
    const Node& node = graph.node(choice.what.node);
    const LayerDecision* layer = plan.find_layer(node.id);
    (layer ? report.layers : report.operators)
        .push_back({node.name, node.op_type, output_sqnr_db(choice.alone), output_sqnr_db(choice.all_but),
                    layer ? static_cast<double>(layer->macs) / macs : 0});
  }
}

}  // namespace

SensitivityReport measure_sensitivity(const SensitivityOptions& options) {
  const Stopwatch stopwatch;
  const RunSettings& run = options.run;
  const bool measured = is_auto(options.calibrator);
  auto calibrator = measured ? nullptr : make_calibrator(options.calibrator);

  // model, plan and data
  const PlannedModel planned = plan_model_for({options.model,
                                               options.data,
                                               options.override_file,
                                               options.target,
                                               options.placement,
                                               options.format,
                                               options.equalize,
                                               {options.calibrator},
                                               run});
  const Graph& graph = planned.model.graph();
  const auto samples = open_data(options.eval, input_specs(graph));
  const auto names = values_to_compare(planned.model, read_first_inputs(*samples, graph, run));
  if (names.empty())
    throw Error(ErrorCode::InvalidOption, "no output can be compared: none that can run comes from float values");

  // one calibration -> ranges
  const auto calibrate_more = [&](std::span<const ValueId> values) {
    return calibrate(graph, values, *planned.data, run);
  };
  Calibration calibration = calibrate_more(planned.plan.quantized_values());
  warn_of_unsupported_tail(graph, *run.reporter);
  const size_t calibration_samples = calibration.samples, skipped = calibration.skipped;
  if (measured) {
    const RangesOf ranges_of = planned.ranges_from(calibration, worker_count(run));
    calibrator = measure_calibrators(planned.model, planned.plan, planned.format, ranges_of, planned.data.get(), run)
                     .make_winner();
  }
  RangeBook ranges(graph, std::move(calibration), *calibrator, planned.overrides, planned.range_kind(),
                   worker_count(run), calibrate_more);

  // every value by itself, then every layer at the outputs
  SensitivityReport report;
  const auto chosen = ranges.ranges_of(planned.plan);
  report.values = measure_local_errors(planned.model, planned.plan, chosen, planned.format, *samples, run);
  FloatVariants variants(planned.model, *planned.plan.target, options.placement, planned.shapes, planned.format,
                         ranges);
  const LayerErrors errors = measure_layer_errors(variants, planned.model, names, *samples, run);

  report.model = options.model.string();
  report.target = planned.plan.target->spec();
  report.calibrator = calibrator->name();
  report.calibration_samples = calibration_samples;
  report.evaluation_samples = errors.samples;
  report.skipped_samples = skipped + errors.skipped;
  report.sqnr_db_all = output_sqnr_db(errors.all);
  add_layers(report, errors, graph, planned.plan);
  report.variants = errors.variants;
  report.plain_runs = errors.float_seconds > 0 ? errors.seconds / errors.float_seconds : 0;
  report.equalized = planned.equalized();
  report.plan = describe_plan(planned.plan, graph, report.model, planned.facts, planned.preparation.folded_batchnorms);
  std::map<ValueId, Histogram> histograms;
  for (const auto& [value, histogram] : ranges.calibration().histograms)
    if (chosen.contains(value)) histograms.emplace(value, histogram);
  report.histograms = describe_values(graph, histograms, planned.range_kind(), {{report.calibrator, &chosen}});
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
