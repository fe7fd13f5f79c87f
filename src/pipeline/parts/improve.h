#pragma once

#include <string>
#include <utility>
#include <vector>

#include "detent/quantize.h"
#include "pipeline/parts/chosen.h"

namespace detent {

/// Returns what --equalize is by default, without --accuracy fast or best: "outliers" for INT8, whose steps are all of
/// one size, else "" (off).
[[nodiscard]] std::string usual_equalization(CodeType type);

/// Returns the recipe of ComparedOptions or SensitivityOptions, which judge what quantize writes by default: channels
/// are evened out as there, where the user says nothing else. Errors  those of recipe_of().
template <typename Options>
[[nodiscard]] Recipe recipe_as_quantized(Options given, RequestedSamples samples,
                                         std::vector<std::string> calibrators) {
  if (given.equalize.equalize.empty()) given.equalize.equalize = usual_equalization(given.placement.type);
  return recipe_of(given, std::move(samples), std::move(calibrators));
}

/// Completes the options by their accuracy level where the user gave none: the calibrator and the equalization, and for
/// the best level bias correction, where there is data to measure them on.
[[nodiscard]] QuantizeOptions with_level(QuantizeOptions options);

/// True when weights are rounded by the layers' inputs, given data: always at the best level; with FP8, whose weights
/// have 4 bits of precision and lose more than activations do, also at the balanced one.
[[nodiscard]] bool weights_are_rounded(Accuracy accuracy, CodeType type);

/// Warns where the best level has fewer samples than its steps need, before they take their time.
void warn_of_few_samples(const QuantizeOptions& options, const Prepared& prepared);

/// Changes the choice where that pays. Best level: ranges value by value, then UINT8 weights in first layers. All
/// levels: weights, as weights_are_rounded() says, then biases where they are to be corrected. Each step begins with
/// the result of the step before. Errors  those of refine_ranges, try_uint8_weights, round_weights and correct_biases.
void improve(Chosen& chosen, const QuantizeOptions& options, const Prepared& prepared, const Measured& measured);

}  // namespace detent
