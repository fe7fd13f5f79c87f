#include "pipeline/parts/accuracy_level.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/text.h"
#include "run/sample_counts.h"

namespace detent {

namespace {

using enum Accuracy;
constexpr AccuracyLevel kAccuracyLevels[] = {
    {Fast, kSafeCalibrator, "", false, false},
    {Balanced, "auto", "outliers", true, false},
    {Best, "auto", "auto", true, true},
};

}  // namespace

const AccuracyLevel& level_of(Accuracy accuracy) {
  return *std::ranges::find(kAccuracyLevels, accuracy, &AccuracyLevel::level);
}

QuantizeOptions with_level(QuantizeOptions options) {
  const bool data = options.data.given();
  const AccuracyLevel& level = level_of(options.accuracy);
  if (options.calibrator.empty()) options.calibrator = data ? level.calibrator : kSafeCalibrator;
  if (!data) return options;
  if (options.equalize.equalize.empty() && options.table.empty())
    options.equalize.equalize = level.equalization_of(options.placement.type);
  if (level.thorough && !options.equalize.bias_correction) options.equalize.bias_correction = true;
  return options;
}

void warn_of_few_samples(const QuantizeOptions& options, const Prepared& prepared) {
  const size_t samples = prepared.data ? prepared.data->size() : kFewestToRefine;
  if (!level_of(options.accuracy).thorough || samples >= kFewestToRefine) return;
  options.run.reporter->warn(
      fmt::format("--accuracy {} with {}: choosing ranges and correcting biases need {} and are left out, rounding "
                  "weights needs {}",
                  name_of(options.accuracy), plural(samples, "sample"), kFewestToRefine, kFewestToJudge));
}

}  // namespace detent
