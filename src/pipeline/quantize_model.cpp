#include "calibrate/calibration.h"
#include "calibrate/range_book.h"
#include "core/files/atomic_file.h"
#include "core/stop.h"
#include "core/stopwatch.h"
#include "detent/error.h"
#include "detent/placement_options.h"
#include "detent/quantize.h"
#include "evaluate/closing_error.h"
#include "half/narrow_io.h"
#include "model/model.h"
#include "pipeline/parts/closing_samples.h"
#include "pipeline/parts/improve.h"
#include "pipeline/parts/provenance.h"
#include "pipeline/parts/quantize_report.h"
#include "pipeline/parts/saturation.h"
#include "pipeline/parts/setup.h"
#include "pipeline/parts/verdict.h"
#include "pipeline/parts/written_file.h"
#include "rewrite/check_onnx_rules.h"
#include "rewrite/check_qdq_file.h"
#include "rewrite/qdq_inserter.h"
#include "rewrite/rewrite.h"
#include "rewrite/unread_casts.h"
#include "rewrite/write_checked.h"
#include "rewrite/written_size.h"
#include "tune/choose_calibrator.h"
#include "tune/keep_layers_float.h"
#include "tune/keep_nodes_float32.h"

namespace detent {

namespace {

/// Keeps layers float until the bound holds; the plan and its ranges change with them.
BoundReport hold_accuracy_bound(Setup& setup, ChosenRanges& chosen, const Calibration& calibration,
                                const GraphPatch& constants, const PlacementOptions& placement,
                                const BoundJudge& judge) {
  RangeBook book(
      calibration, setup.range_choice(*chosen.calibrator),
      [&](std::span<const ValueId> values) { return setup.measure(values); }, known_ranges(setup.plan, chosen.ranges));
  Model improved = setup.model.clone();  // the model stays as it is: ranges come from it
  if (!constants.empty()) apply_patch(improved, constants);
  PairVariants variants(improved, *setup.plan.target, placement, setup.shapes, setup.format, book);
  BoundedPlan bounded = keep_layers_float({variants, improved, judge, setup.run});
  setup.plan = std::move(bounded.plan);
  chosen.ranges = book.ranges_of(setup.plan);
  return std::move(bounded.report);
}

/// Those whose value is read by its pair alone, which begins in front of them.
void take_casts_out(Model& model, PromisedFile& promised) {
  const UnreadCasts casts = take_unread_casts(model.graph());
  if (casts.nodes.empty()) return;
  apply_patch(model, casts.patch);
  promised.rename({}, casts.nodes);
}

/// A 16-bit form that leaves INT8 no room in the bound gets nodes in FP32.
void make_room(Setup& setup, const BoundJudge& judge) {
  const HalfSetup& half = *setup.half;
  ForcedFloat32 nodes =
      keep_nodes_float32({*half.before, half.format, half.reaches, setup.reference(), judge, setup.run});
  if (!nodes.empty()) setup.force_float32(std::move(nodes));
}

/// The last change: until here samples go in and errors come out in FP32.
void give_io_half(Setup& setup, PromisedFile& promised) {
  const NarrowedIo narrowed = narrow_io(setup.model.graph(), setup.half->format.type);
  apply_patch(setup.model, narrowed.patch);
  promised.rename(narrowed.renamed, narrowed.casts);
}

Setup set_up_for(const QuantizeOptions& options) {
  return set_up({options.model,
                 options.data,
                 options.table,
                 options.override_file,
                 options.target,
                 options.placement,
                 options.format,
                 options.equalize,
                 {options.calibrator},
                 options.run,
                 options.outliers,
                 &options.bound.evaluation.data,
                 options.external_data == ExternalData::Never ? &options.output : nullptr});
}

}  // namespace

QuantizeReport quantize_model(const QuantizeOptions& given) {
  const StopScope stop(given.run.stop);
  const Stopwatch stopwatch;
  if (given.accuracy == Accuracy::Best && !given.data.given())
    throw Error(ErrorCode::Usage, "--accuracy best measures what it changes on --data, which was not given",
                "give --data beside --table, or leave --accuracy away");
  check_writable(given.output, given.overwrite);
  const QuantizeOptions options = with_level(given);
  auto calibrator = named_calibrator(options.calibrator);

  // model.onnx -> float graph that the target likes -> placement plan
  Setup setup = set_up_for(options);
  const auto judge = open_judge(options.bound, setup.reference(), setup.data.get(), options.run);

  if (judge && setup.half) make_room(setup, *judge);

  // images -> executor -> histograms, or the table that holds them -> ranges
  const Calibration calibration = setup.calibrate_plan();
  check_one_file(options.output, options.external_data,  // ruined values may have left more weights float
                 [&] { return least_written_bytes(setup.model, setup.plan, setup.format); });
  warn_of_unsupported_tail(setup.model.graph(), *options.run.reporter);
  const std::string otherwise(given.calibrator.empty() ? kSafeCalibrator : "");
  ChosenRanges chosen =
      setup.choose(std::move(calibrator), calibration, {options.accuracy == Accuracy::Best, otherwise});

  // what pays beyond that; a bound on the cost of quantization -> layers that stay float
  Improvement improved = improve(options, setup, calibration, chosen);
  setup.format = improved.format;
  std::optional<BoundReport> bound;
  if (judge) bound = hold_accuracy_bound(setup, chosen, calibration, improved.constants, setup.placement, *judge);

  // plan + ranges -> Q/DQ model
  const ClosingSamples closing_on = closing_samples(options, setup, calibration);
  const auto reference =
      closing_on.source ? keep_outputs(setup.reference(), *closing_on.source, closing_on.source->size(), options.run)
                        : ReferenceOutputs{};
  if (!improved.constants.empty()) apply_patch(setup.model, improved.constants);
  QuantizeReport report = start_report(options, setup, calibration);
  const Rewrite rewrite = make_qdq_patch(setup.model.graph(), setup.plan, chosen.ranges, setup.format);
  add_values(report, setup.model.graph(), rewrite);
  add_histograms(report, setup, calibration, chosen);
  report.provenance =
      describe_origin(setup, calibration,
                      {options.placement, options.format, given.equalize, options.accuracy, options.outliers,
                       improved.biases && improved.biases->kept, bound ? &*bound : nullptr});
  report.provenance.calibrator = chosen.calibrator->name();
  report.provenance.ranges = ranges_fingerprint(setup.model.graph(), chosen.ranges);
  add_choices(report, chosen, setup.equalize_report(), improved, std::move(bound));
  PromisedFile promised = promise_of(setup.model.graph(), setup.plan);
  apply_patch(setup.model, rewrite.patch);
  take_casts_out(setup.model, promised);
  write_provenance(setup.model, report.provenance);
  const QdqCheckOptions check{options.placement.quantize_outputs, setup.format.per_tensor_weights};
  check_qdq_file(setup.model.graph(), options.output, promised, check);
  promised.forget_contents();  // the float weights; the file is compared with this graph bit by bit
  std::optional<ClosingError> closing;
  if (closing_on.source) closing = measure_closing_error(reference, setup.model, *closing_on.source, options.run);
  std::optional<ClosingError> saturated;
  report.saturation = describe_saturation(setup.format, rewrite.paired);
  if (closing && rewrite.paired.unsafe_pairs > 0) {
    saturated = measure_closing_error(reference, setup.model, *closing_on.source, without_vnni(options.run));
    report.saturation->error = saturated->report;
  }
  const size_t calibrated_with = closing_on.calibrated_with(calibration);
  if (closing) report.error = closing->report, report.error_source = closing_on.what;
  if (setup.half && options.format.io == IoType::Same) give_io_half(setup, promised);
  check_onnx_rules(setup.model.graph(), options.output, setup.facts.faults, *options.run.reporter);
  write_checked(setup.model, options.output, write_options(options.overwrite, options.external_data), promised, check);
  const WorseArithmetic worse = worse_of(closing, saturated);
  add_verdict(report, options, setup,
              {worse.closing, closing_on.source.get(), calibrated_with, chosen.ranges, improved.constants});
  if (!worse.caveat.empty()) report.verdict.caveats.insert(report.verdict.caveats.begin(), worse.caveat);
  finish_report(report, options, setup, stopwatch.seconds());
  return report;
}

}  // namespace detent
