#include "core/atomic_file.h"
#include "detent/calibrator.h"
#include "exec/runnable_part.h"
#include "pipeline/calibrate_model.h"
#include "pipeline/choose_ranges.h"
#include "pipeline/measure_calibrators.h"
#include "pipeline/measure_error.h"
#include "pipeline/plan_report.h"
#include "pipeline/prepare_model.h"
#include "pipeline/quantize_report.h"
#include "pipeline/stopwatch.h"
#include "pipeline/workers.h"
#include "rewrite/qdq_inserter.h"

namespace detent {

namespace {

/// An engine may have operators of its own at the end: they stay as they are, but nothing behind them can be measured here.
void report_unsupported_tail(const Graph& graph, Reporter& reporter) {
  const RunnablePart runnable(graph);
  for (const UnsupportedNode& item : runnable.unsupported()) {
    const Node& node = graph.node(item.node);
    reporter.warn("node '" + node.name + "' (" + node.op_type + ") cannot run here: " + item.reason +
                  "; it is kept as it is and errors are measured before it");
  }
}

}  // namespace

QuantizeReport quantize_model(const QuantizeOptions& options) {
  const Stopwatch stopwatch;
  check_writable(options.output, options.overwrite);
  const Target& target = find_target(options.target);
  const RewriteOptions format = rewrite_options(options.format, options.placement, target);
  const auto calibrator = is_auto(options.calibrator) ? nullptr : make_calibrator(options.calibrator);
  const RangeOverrides overrides = read_overrides(options.override_file);

  // model.onnx -> graph that the target likes
  Model model = read_float_model(options.model);
  const ModelFacts facts = facts_of(model);
  const auto source = open_data(options.data, input_specs(model.graph()));
  const std::vector<Tensor> first_inputs = read_first_inputs(*source, model.graph(), options.run);
  const Preparation preparation = prepare_checked(model, target, first_inputs, prepare_options(options.placement));

  // rules x target -> placement plan
  const ValueShapes shapes = find_shapes(model.graph(), first_inputs);
  const PlacementPlan plan = make_placement_plan(model.graph(), target, options.placement, shapes);
  check_overrides(overrides, model.graph(), plan);

  // images -> executor -> histograms -> ranges
  const Calibration calibration = calibrate(model.graph(), plan.quantized_values(), *source, options.run);
  report_unsupported_tail(model.graph(), *options.run.reporter);
  const RangeKind kind = format.activation.type == DataType::UInt8 ? RangeKind::Asymmetric : RangeKind::Symmetric;
  const auto ranges_of = [&](const Calibrator& one) {
    return choose_ranges(model.graph(), plan, calibration, one, overrides, kind, worker_count(options.run));
  };
  MeasuredRanges measured;
  if (!calibrator) measured = measure_calibrators(model, plan, format, ranges_of, source.get(), options.run);
  const auto ranges = calibrator ? ranges_of(*calibrator) : measured.ranges;

  // plan + ranges -> Q/DQ model
  QuantizeReport report = start_report(options, facts, preparation, plan, model.graph(), calibration);
  const Rewrite rewrite = make_qdq_patch(model.graph(), plan, ranges, format);
  add_values(report, model.graph(), rewrite);
  if (!calibrator) add_measurement(report, measured.measurement);
  const ReferenceOutputs reference = keep_outputs(model, *source, options.error_samples, options.run);
  apply_patch(model, rewrite.patch);
  report.error = measure_error(reference, model, *source, options.run);
  write_checked(model, options.output, options.overwrite);
  finish_report(report, options, model, stopwatch.seconds());
  return report;
}

}  // namespace detent
