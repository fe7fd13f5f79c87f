#pragma once

#include "detent/quantize.h"
#include "pipeline/parts/chosen.h"

namespace detent {

/// The options with what their accuracy level says filled in where the user said nothing: the calibrator; for the best
/// level equalization and bias correction, where there is data to measure them on.
[[nodiscard]] QuantizeOptions with_level(QuantizeOptions options);

/// Whether weights are rounded by what layers read, where there is data: always at the best level; with FP8, whose
/// weights have 4 bits of precision and lose more than activations do, unless the fast one is asked for.
[[nodiscard]] bool weights_are_rounded(Accuracy accuracy, CodeType type);

/// Warns where the best level has fewer samples than its steps need, before they take their time.
void warn_of_few_samples(const QuantizeOptions& options, const Prepared& prepared);

/// Changes what was chosen where that pays. Of the best level: ranges value by value, first layers with UINT8 weights.
/// Then weights, as weights_are_rounded() says. Then biases, where they are to be corrected. Each step begins with what
/// the steps before it kept.
/// Errors  those of refine_ranges, try_uint8_weights, round_weights and correct_biases.
void improve(Chosen& chosen, const QuantizeOptions& options, const Prepared& prepared, const Measured& measured);

}  // namespace detent
