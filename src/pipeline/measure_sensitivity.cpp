#include <algorithm>
#include <cmath>

#include "calibrate/calibration.h"
#include "calibrate/range_book.h"
#include "core/stopwatch.h"
#include "detent/data_source.h"
#include "detent/error.h"
#include "detent/error_report.h"
#include "detent/run_settings.h"
#include "detent/sensitivity.h"
#include "evaluate/compared_values.h"
#include "evaluate/error_sums.h"
#include "evaluate/value_errors.h"
#include "pipeline/plan_report.h"
#include "pipeline/setup.h"
#include "pipeline/value_charts.h"
#include "place/plan/placement_plan.h"
#include "run/model_inputs.h"
#include "tune/choose_calibrator.h"
#include "tune/layer_errors.h"

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
  auto calibrator = named_calibrator(options.calibrator);

  // model, plan and data
  const std::filesystem::path no_table;
  Setup setup = set_up({options.model,
                        options.data,
                        no_table,
                        options.override_file,
                        options.target,
                        options.placement,
                        options.format,
                        options.equalize,
                        {options.calibrator},
                        run,
                        options.outliers,
                        &options.eval});
  const Graph& graph = setup.model.graph();
  const auto samples = open_samples(options.eval, graph);
  const auto names = values_to_compare(setup.model, read_first_inputs(*samples, run));
  if (names.empty())
    throw Error(ErrorCode::InvalidOption, "no output can be compared: none that can run comes from float values");

  // one calibration -> ranges
  const Calibration calibration = setup.calibrate_plan();
  warn_of_unsupported_tail(graph, *run.reporter);
  const ChosenRanges chosen = setup.choose(std::move(calibrator), calibration);
  RangeBook ranges(calibration, setup.range_choice(*chosen.calibrator),
                   [&](std::span<const ValueId> values) { return setup.measure(values); });

  // every value by itself, then every layer at the outputs
  SensitivityReport report;
  report.values = measure_value_errors(setup.model, setup.plan, chosen.ranges, setup.format, *samples, run);
  FloatVariants variants(setup.model, *setup.plan.target, options.placement, setup.shapes, setup.format, ranges);
  const LayerErrors errors = measure_layer_errors(variants, setup.model, names, *samples, run);

  report.model = options.model.string();
  report.target = setup.plan.target->spec();
  report.calibrator = chosen.calibrator->name();
  report.calibration_samples = calibration.samples;
  report.evaluation_samples = errors.samples;
  report.skipped_samples = calibration.skipped + errors.skipped;
  report.sqnr_db_all = output_sqnr_db(errors.all);
  add_layers(report, errors, graph, setup.plan);
  report.variants = errors.variants;
  report.plain_runs = errors.float_seconds > 0 ? errors.seconds / errors.float_seconds : 0;
  report.equalized = setup.equalize_report();
  report.plan = describe_plan(setup.plan, graph, report.model, setup.facts, setup.preparation.folded_batchnorms);
  std::map<ValueId, Histogram> histograms;
  for (const auto& [value, histogram] : ranges.calibration().histograms)
    if (chosen.ranges.contains(value)) histograms.emplace(value, histogram);
  report.histograms =
      describe_values(graph, histograms, setup.format.range_kind(), {{report.calibrator, &chosen.ranges}});
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
