#include "pipeline/parts/improve.h"

#include <fmt/core.h>

#include "tune/refine/refine_ranges.h"
#include "tune/refine/round_weights.h"
#include "tune/refine/uint8_weights.h"

namespace detent {

namespace {

std::string changed_text(size_t changed, size_t of, const char* what) {
  return fmt::format("{} of {} {}", changed, of, what);
}

AccuracyReport::Step step_of(std::string name, std::string changed, const MeasuredChange& change) {
  return {change, std::move(name), std::move(changed)};
}

}  // namespace

QuantizeOptions with_level(QuantizeOptions options) {
  const bool data = options.data.given();
  if (options.calibrator.empty())
    options.calibrator = data && options.accuracy != Accuracy::Fast ? "auto" : std::string(kSafeCalibrator);
  if (options.accuracy != Accuracy::Best || !data) return options;
  if (options.equalize.equalize.empty() && options.table.empty()) options.equalize.equalize = "auto";
  if (!options.equalize.bias_correction) options.equalize.bias_correction = true;
  return options;
}

bool weights_are_rounded(Accuracy accuracy, CodeType type) {
  return accuracy == Accuracy::Best || (accuracy == Accuracy::Balanced && type == CodeType::Fp8);
}

Improvement improve(const QuantizeOptions& options, const Setup& setup, const Calibration& calibration,
                    ChosenRanges& chosen) {
  Improvement result;
  const auto layers = static_cast<size_t>(setup.plan.coverage.int8_layers);
  const DataSource* source = setup.data ? &setup.samples() : nullptr;
  if (options.accuracy == Accuracy::Best && source) {
    if (setup.equalized && setup.equalized->report.acceptance) {
      const EqualizeReport& evened = setup.equalized->report;
      result.steps.push_back(step_of("equalization",
                                     evened.values.empty() ? "nothing" : fmt::format("{} values", evened.values.size()),
                                     *evened.acceptance));
      result.steps.back().seconds = evened.seconds;
    }
    const RangesOf ranges_of = setup.ranges_from(calibration);
    RefinedRanges refined = refine_ranges(
        {setup.model, setup.plan, setup.format, calibration, setup.overrides, chosen, ranges_of, *source, options.run});
    result.steps.push_back(step_of("ranges", changed_text(refined.changes.size(), refined.values, "ranges"), refined));
    chosen.ranges = std::move(refined.ranges);
  }
  RewriteOptions& format = result.format = setup.format;
  if (options.accuracy == Accuracy::Best && source && format.saturation == RewriteOptions::Saturation::Avoided) {
    const Uint8Weights first = try_uint8_weights(setup.model, setup.plan, chosen.ranges, format, *source, options.run);
    result.steps.push_back(
        step_of("uint8 weights", changed_text(first.names.size(), first.layers, "first layers"), first));
    format.uint8_weights = first.names;
  }
  if (source && weights_are_rounded(options.accuracy, options.placement.type)) {
    WeightRounding weights = round_weights(setup.model, setup.plan, chosen.ranges, format, source, options.run);
    result.steps.push_back(
        step_of("weights", changed_text(weights.report.weights, layers, "layers' weights"), weights.report));
    result.constants = std::move(weights.patch);
    format.weight_scales = std::move(weights.scales);
  }
  if (!options.equalize.bias_correction.value_or(false)) return result;
  BiasCorrection biases =
      correct_biases(setup.model, setup.plan, chosen.ranges, format, source, options.run, result.constants);
  if (options.accuracy == Accuracy::Best)
    result.steps.push_back(
        step_of("biases", changed_text(biases.report.layers, layers, "layers' biases"), biases.report));
  result.biases = std::move(biases.report);
  result.constants = joined(result.constants, biases.patch);
  return result;
}

}  // namespace detent
