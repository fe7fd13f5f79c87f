#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detent/quantize.h"
#include "pipeline/parts/prepared.h"

namespace detent {

/// The meaning of a level of `--accuracy` where there is data and the user says nothing else; the steps that it takes
/// are marked in kSteps (pipeline/quantize_steps.cpp).
struct AccuracyLevel {
  Accuracy level;
  std::string_view calibrator;
  std::string_view equalization;  ///< for INT8, whose steps are all of one size; where it is thorough, for all types
  bool rounds_fp8;                ///< weights by the layers' inputs: FP8 has 4 bits of precision and loses most there
  /// It takes minutes and needs data: rounds weights of all types, corrects biases, and reports every step.
  bool thorough;

  /// Returns what --equalize is by default.
  [[nodiscard]] std::string equalization_of(CodeType type) const {
    return std::string(type == CodeType::Int8 || thorough ? equalization : "");
  }
  [[nodiscard]] bool rounds_weights_of(CodeType type) const {
    return thorough || (rounds_fp8 && type == CodeType::Fp8);
  }
};

/// Returns a level, without an argument the default.
[[nodiscard]] const AccuracyLevel& level_of(Accuracy accuracy = Accuracy::Balanced);

/// Returns the recipe of ComparedOptions or SensitivityOptions, which judge what quantize writes by default: channels
/// are evened out as there, where the user says nothing else. Errors  those of recipe_of().
template <typename Options>
[[nodiscard]] Recipe recipe_as_quantized(Options given, const DataOptions& eval, std::vector<std::string> calibrators) {
  if (given.equalize.equalize.empty()) given.equalize.equalize = level_of().equalization_of(given.placement.type);
  return recipe_of(given, eval, std::move(calibrators));
}

/// Completes the options by their level where the user gave none: the calibrator and the equalization, and for a
/// thorough one bias correction, where there is data to measure them on.
[[nodiscard]] QuantizeOptions with_level(QuantizeOptions options);

/// Warns where a thorough level has fewer samples than its steps need, before they take their time.
void warn_of_few_samples(const QuantizeOptions& options, const Prepared& prepared);

}  // namespace detent
