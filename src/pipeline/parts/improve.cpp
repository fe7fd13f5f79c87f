#include "pipeline/parts/improve.h"

#include <fmt/core.h>

#include "core/text.h"
#include "run/sample_counts.h"
#include "tune/correct_biases.h"
#include "tune/refine/refine_ranges.h"
#include "tune/refine/round_weights.h"
#include "tune/refine/uint8_weights.h"

namespace detent {

QuantizeOptions with_level(QuantizeOptions options) {
  const bool data = options.data.given();
  if (options.calibrator.empty())
    options.calibrator = data && options.accuracy != Accuracy::Fast ? "auto" : std::string(kSafeCalibrator);
  if (options.accuracy == Accuracy::Fast || !data) return options;
  const bool best = options.accuracy == Accuracy::Best;
  if (options.equalize.equalize.empty() && options.table.empty())
    options.equalize.equalize = best ? "auto" : usual_equalization(options.placement.type);
  if (!best) return options;
  if (!options.equalize.bias_correction) options.equalize.bias_correction = true;
  return options;
}

std::string usual_equalization(CodeType type) { return type == CodeType::Int8 ? "outliers" : ""; }

bool weights_are_rounded(Accuracy accuracy, CodeType type) {
  return accuracy == Accuracy::Best || (accuracy == Accuracy::Balanced && type == CodeType::Fp8);
}

void warn_of_few_samples(const QuantizeOptions& options, const Prepared& prepared) {
  const size_t samples = prepared.data ? prepared.data->size() : kFewestToRefine;
  if (options.accuracy != Accuracy::Best || samples >= kFewestToRefine) return;
  options.run.reporter->warn(
      fmt::format("--accuracy best with {}: choosing ranges and correcting biases need {} and are left out, rounding "
                  "weights needs 8",
                  plural(samples, "sample"), kFewestToRefine));
}

void improve(Chosen& chosen, const QuantizeOptions& options, const Prepared& prepared, const Measured& measured) {
  const Model& model = prepared.model();
  const PlacementPlan& plan = prepared.plan;
  const auto layers = static_cast<size_t>(plan.coverage.int8_layers);
  const DataSource* source = measured.samples;
  const bool best = options.accuracy == Accuracy::Best;
  RewriteOptions& format = chosen.format;
  const auto add_step = [&](const char* name, size_t changed, size_t of, const char* what, const MeasuredChange& step) {
    chosen.steps.push_back({step, name, fmt::format("{} of {} {}", changed, of, what)});
  };
  if (best && source) {
    const RangesOf ranges_of = ranges_from(prepared, measured);
    RefinedRanges refined = refine_ranges({model, plan, format, measured.calibration, prepared.recipe.overrides, chosen,
                                           ranges_of, *source, options.run});
    add_step("ranges", refined.changes.size(), refined.values, "ranges", refined);
    chosen.ranges = std::move(refined.ranges);
  }
  if (best && source && format.saturation == RewriteOptions::Saturation::Avoided && !format.narrow_weights) {
    const Uint8Weights first = try_uint8_weights(model, plan, chosen.ranges, format, *source, options.run);
    add_step("uint8 weights", first.names.size(), first.layers, "first layers", first);
    format.uint8_weights = first.names;
  }
  // TensorRT chooses the scales of weights itself where a cache has only those of activations.
  const bool rounds =
      prepared.recipe.target->engine.takes_pairs && weights_are_rounded(options.accuracy, options.placement.type);
  if (source && rounds) {
    WeightRounding weights = round_weights(model, plan, chosen.ranges, format, source, options.run);
    add_step("weights", weights.report.weights, layers, "layers' weights", weights.report);
    chosen.constants = std::move(weights.patch);
    format.weight_scales = std::move(weights.scales);
  }
  if (!options.equalize.bias_correction.value_or(false)) return;
  BiasCorrection biases = correct_biases(model, plan, chosen.ranges, format, source, options.run, chosen.constants);
  if (best) add_step("biases", biases.report.layers, layers, "layers' biases", biases.report);
  chosen.biases = std::move(biases.report);
  chosen.constants = joined(chosen.constants, biases.patch);
}

}  // namespace detent
