#pragma once

#include <map>
#include <optional>

#include "calibrate/calibration.h"
#include "detent/quantize.h"
#include "pipeline/setup.h"
#include "tune/correct_biases.h"

namespace detent {

/// The options with what their accuracy level says filled in where the user said nothing: the calibrator; for the best level
/// equalization and bias correction, where there is data to measure them on.
[[nodiscard]] QuantizeOptions with_level(QuantizeOptions options);

/// What changes besides the choice of a calibrator. Each step begins with what the steps before it kept.
struct Improvement {
  GraphPatch constants;  ///< weights and biases of the float model to replace; empty where nothing was kept
  std::optional<BiasCorrectionReport> biases;
  std::vector<AccuracyReport::Step> steps;
};

/// Of the best level: ranges value by value, then weights rounded by what they do to outputs. Then biases, where they are to be
/// corrected. `chosen` gets the new ranges; the model stays as it is.
/// Errors  those of refine_ranges, round_weights and correct_biases.
[[nodiscard]] Improvement improve(const QuantizeOptions& options, const Setup& setup, const Calibration& calibration,
                                  ChosenRanges& chosen);

}  // namespace detent
