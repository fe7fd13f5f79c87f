#pragma once

#include <string>
#include <vector>

#include "tune/float_variants.h"

namespace detent {

/// What each quantized layer costs at the outputs, by two measurements.
struct LayerErrors {
  struct Choice {
    FloatChoice what;
    ErrorReport alone;    ///< only this one quantized
    ErrorReport all_but;  ///< only this one float
  };
  std::vector<Choice>
      choices;      ///< those of FloatVariants::choices(), worst first: by SQNR alone, of equals by the gain of
                    ///< leaving it float, then in node order
  ErrorReport all;  ///< everything quantized
  size_t samples = 0, skipped = 0;
  size_t variants = 0;
  double seconds = 0;        ///< running, workers added up
  double float_seconds = 0;  ///< the float model alone: seconds / float_seconds is the cost in plain runs
};

/// Measures on every sample of `source` at the values `names`; values that these variants quantize and that were not
/// calibrated yet are calibrated first. Same result for any number of threads. Memory: see SharedVariants.
/// Empty   nothing is quantized -> no choices, `all` of identical outputs.
/// Errors  those of evaluate_shared and of calibrating; InvalidOption when no output can be compared.
[[nodiscard]] LayerErrors measure_layer_errors(FloatVariants& variants, const Model& model,
                                               const std::vector<std::string>& names, const DataSource& source,
                                               const RunSettings& settings);

}  // namespace detent
