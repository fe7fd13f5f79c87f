#include "core/atomic_file.h"
#include "detent/calibrator.h"
#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "tune/correct_biases.h"
#include "tune/equalize/equalized_model.h"
#include "tune/keep_layers_float.h"
#include "tune/choose_calibrator.h"
#include "evaluate/closing_error.h"
#include "pipeline/plan_report.h"
#include "prepare/prepare_model.h"
#include "pipeline/quantize_report.h"
#include "pipeline/sources.h"
#include "core/stopwatch.h"
#include "calibrate/from_table.h"
#include "run/workers.h"
#include "rewrite/qdq_inserter.h"

namespace detent {

QuantizeReport quantize_model(const QuantizeOptions& options) {
  const Stopwatch stopwatch;
  check_writable(options.output, options.overwrite);
  const Target& target = find_target(options.target);
  const RewriteOptions format = rewrite_options(options.format, options.placement, target);
  const auto calibrator = is_auto(options.calibrator) ? nullptr : make_calibrator(options.calibrator);
  const RangeOverrides overrides = read_overrides(options.override_file);
  const EqualizeRequest request = parse_equalize(options.equalize);

  // model.onnx -> graph that the target likes
  Model model = read_float_model(options.model);
  const ModelFacts facts = facts_of(model);
  const auto table = open_table(options, model);            // nothing without --table
  const auto source = open_source(options, model.graph());  // nothing with --table alone
  const std::vector<Tensor> first_inputs =
      source ? read_first_inputs(*source, model.graph(), options.run) : made_up_inputs(model.graph());
  const Preparation preparation = prepare_checked(model, target, first_inputs, prepare_options(options.placement));

  // channels evened out
  const auto evened =
      table ? even_channels_by(*table, model, request, first_inputs)
            : even_channels(model, request, first_inputs, *source, {.per_tensor_weights = format.per_tensor_weights},
                            {target, options.placement, format, overrides, {options.calibrator}, options.run});
  const Model& float_model = reference_of(model, evened);

  // rules x target -> placement plan
  const ValueShapes shapes = first_inputs.empty() ? ValueShapes{} : find_shapes(model.graph(), first_inputs);
  PlacementPlan plan = make_placement_plan(model.graph(), target, options.placement, shapes);
  check_overrides(overrides, model.graph(), plan);
  const auto judge = open_judge(options, float_model, source.get());  // nothing without a bound

  // images -> executor -> histograms, or the table that holds them -> ranges
  const auto measure = [&](std::span<const ValueId> values) {
    return table ? calibration_from(*table, model.graph(), values, *options.run.reporter)
                 : calibrate(model.graph(), values, *source, options.run);
  };
  const Calibration calibration = measure(plan.quantized_values());
  warn_of_unsupported_tail(model.graph(), *options.run.reporter);
  const RangeKind kind = format.activation.type == DataType::UInt8 ? RangeKind::Asymmetric : RangeKind::Symmetric;
  const auto ranges_of = [&](const Calibrator& one) {
    return choose_ranges(model.graph(), plan, calibration, one, overrides, kind, worker_count(options.run));
  };
  MeasuredRanges measured;
  if (!calibrator) measured = measure_calibrators(model, plan, format, ranges_of, source.get(), options.run);
  auto ranges = calibrator ? ranges_of(*calibrator) : measured.ranges;

  // the mean error that is left -> biases
  std::optional<BiasCorrection> correction;
  if (options.equalize.bias_correction)
    correction = correct_biases(model, plan, ranges, format, source.get(), options.run);

  // a bound on what quantization costs -> layers that stay float
  std::optional<BoundReport> bound;
  if (judge) {
    const auto chosen = calibrator ? nullptr : measured.make_winner();
    RangeBook book(model.graph(), calibration, chosen ? *chosen : *calibrator, overrides, kind,
                   worker_count(options.run), measure);
    Model corrected = model.clone();  // `model` stays as it is: ranges come from it
    if (correction) apply_patch(corrected, correction->patch);
    FloatVariants variants(corrected, target, options.placement, shapes, format, book);
    BoundedPlan bounded = keep_layers_float(variants, corrected, *judge, options.run);
    plan = std::move(bounded.plan);
    ranges = book.ranges_of(plan);
    bound = std::move(bounded.report);
  }

  // plan + ranges -> Q/DQ model
  const auto reference =
      source ? keep_outputs(float_model, *source, options.error_samples, options.run) : ReferenceOutputs{};
  if (correction) apply_patch(model, correction->patch);
  QuantizeReport report = start_report(options, facts, preparation, plan, model.graph(), calibration);
  const Rewrite rewrite = make_qdq_patch(model.graph(), plan, ranges, format);
  report.bound = std::move(bound);
  add_values(report, model.graph(), rewrite);
  if (!calibrator) add_measurement(report, measured.measurement);
  if (evened) report.equalized = evened->report;
  if (correction) report.bias_correction = correction->report;
  PromisedFile promised = promise_of(model.graph(), plan);
  apply_patch(model, rewrite.patch);
  const QdqCheckOptions check{options.placement.quantize_outputs, format.per_tensor_weights};
  check_qdq_file(model.graph(), options.output, promised, check);
  promised.forget_contents();  // the float weights; the file is compared with this graph bit by bit
  if (source) report.error = measure_error(reference, model, *source, options.run);
  write_checked(model, options.output, options.overwrite, promised, check);
  finish_report(report, options, model, stopwatch.seconds());
  return report;
}

}  // namespace detent
