#include "calibrate/calibration.h"
#include "calibrate/range_book.h"
#include "core/atomic_file.h"
#include "core/stopwatch.h"
#include "detent/placement_options.h"
#include "detent/quantize.h"
#include "evaluate/closing_error.h"
#include "model/model.h"
#include "pipeline/provenance.h"
#include "pipeline/quantize_report.h"
#include "pipeline/setup.h"
#include "pipeline/verdict.h"
#include "rewrite/check_qdq_file.h"
#include "rewrite/qdq_inserter.h"
#include "rewrite/rewrite.h"
#include "rewrite/write_checked.h"
#include "tune/choose_calibrator.h"
#include "tune/correct_biases.h"
#include "tune/keep_layers_float.h"

namespace detent {

namespace {

/// Keeps layers float until the bound holds; the plan and its ranges change with them.
BoundReport hold_bound(Setup& setup, ChosenRanges& chosen, const Calibration& calibration, const GraphPatch& biases,
                       const PlacementOptions& placement, const BoundJudge& judge) {
  RangeBook book(calibration, setup.range_choice(*chosen.calibrator),
                 [&](std::span<const ValueId> values) { return setup.measure(values); });
  Model corrected = setup.model.clone();  // the model stays as it is: ranges come from it
  if (!biases.empty()) apply_patch(corrected, biases);
  FloatVariants variants(corrected, *setup.plan.target, placement, setup.shapes, setup.format, book);
  BoundedPlan bounded = keep_layers_float(variants, corrected, judge, setup.run);
  setup.plan = std::move(bounded.plan);
  chosen.ranges = book.ranges_of(setup.plan);
  return std::move(bounded.report);
}

}  // namespace

QuantizeReport quantize_model(const QuantizeOptions& options) {
  const Stopwatch stopwatch;
  check_writable(options.output, options.overwrite);
  auto calibrator = named_calibrator(options.calibrator);

  // model.onnx -> float graph that the target likes -> placement plan
  Setup setup = set_up({options.model,
                        options.data,
                        options.table,
                        options.override_file,
                        options.target,
                        options.placement,
                        options.format,
                        options.equalize,
                        {options.calibrator},
                        options.run,
                        options.outliers});
  const auto judge = open_judge(options.bound, setup.reference(), setup.data.get(), options.run);

  // images -> executor -> histograms, or the table that holds them -> ranges
  const Calibration calibration = setup.calibrate_plan();
  warn_of_unsupported_tail(setup.model.graph(), *options.run.reporter);
  ChosenRanges chosen = setup.choose(std::move(calibrator), calibration);

  // the mean error that is left -> biases; a bound on the cost of quantization -> layers that stay float
  std::optional<BiasCorrection> correction;
  if (options.equalize.bias_correction)
    correction = correct_biases(setup.model, setup.plan, chosen.ranges, setup.format, setup.data.get(), options.run);
  const GraphPatch biases = correction ? correction->patch : GraphPatch{};
  std::optional<BoundReport> bound;
  if (judge) bound = hold_bound(setup, chosen, calibration, biases, options.placement, *judge);

  // plan + ranges -> Q/DQ model
  const auto reference = setup.data ? keep_outputs(setup.reference(), *setup.data, options.error_samples, options.run)
                                    : ReferenceOutputs{};
  if (!biases.empty()) apply_patch(setup.model, biases);
  QuantizeReport report = start_report(options, setup, calibration);
  const Rewrite rewrite = make_qdq_patch(setup.model.graph(), setup.plan, chosen.ranges, setup.format);
  add_values(report, setup.model.graph(), rewrite);
  add_histograms(report, setup, calibration, chosen);
  add_choices(report, std::move(chosen.measurement), setup.equalize_report(), correction, std::move(bound));
  report.provenance = describe_origin(setup, calibration, {options.placement, options.format, options.equalize});
  report.provenance.calibrator = chosen.calibrator->name();
  report.provenance.ranges = ranges_fingerprint(setup.model.graph(), chosen.ranges);
  PromisedFile promised = promise_of(setup.model.graph(), setup.plan);
  apply_patch(setup.model, rewrite.patch);
  write_provenance(setup.model, report.provenance);
  const QdqCheckOptions check{options.placement.quantize_outputs, setup.format.per_tensor_weights};
  check_qdq_file(setup.model.graph(), options.output, promised, check);
  promised.forget_contents();  // the float weights; the file is compared with this graph bit by bit
  std::optional<ClosingError> closing;
  if (setup.data) closing = measure_closing_error(reference, setup.model, *setup.data, options.run);
  if (closing) report.error = closing->report;
  write_checked(setup.model, options.output, options.overwrite, promised, check);
  add_verdict(report, options, setup, calibration, chosen.ranges, closing);
  finish_report(report, options, setup.model, stopwatch.seconds());
  return report;
}

}  // namespace detent
