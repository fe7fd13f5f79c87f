#pragma once

#include <map>
#include <optional>

#include "calibrate/calibration.h"
#include "detent/quantize.h"
#include "pipeline/parts/setup.h"
#include "tune/correct_biases.h"

namespace detent {

/// The options with what their accuracy level says filled in where the user said nothing: the calibrator; for the best level
/// equalization and bias correction, where there is data to measure them on.
[[nodiscard]] QuantizeOptions with_level(QuantizeOptions options);

/// Whether weights are rounded by what layers read, where there is data: always at the best level; with FP8, whose weights have 4 bits
/// of precision and lose more than activations do, unless the fast one is asked for.
[[nodiscard]] bool weights_are_rounded(Accuracy accuracy, CodeType type);

/// What changes besides the choice of a calibrator. Each step begins with what the steps before it kept.
struct Improvement {
  RewriteOptions format;  ///< the setup's, with what was chosen for single weights
  GraphPatch constants;   ///< weights and biases of the float model to replace; empty where nothing was kept
  std::optional<BiasCorrectionReport> biases;
  std::vector<AccuracyReport::Step> steps;
};

/// Of the best level: ranges value by value. Then weights, as weights_are_rounded() says. Then biases, where they are to be corrected.
/// `chosen` gets the new ranges; the model stays as it is.
/// Errors  those of refine_ranges, round_weights and correct_biases.
[[nodiscard]] Improvement improve(const QuantizeOptions& options, const Setup& setup, const Calibration& calibration,
                                  ChosenRanges& chosen);

}  // namespace detent
