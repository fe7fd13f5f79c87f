#pragma once

#include <span>
#include <string>
#include <vector>

#include "detent/reports/error_report.h"
#include "detent/sensitivity.h"

namespace detent {

/// Sorts outputs: those with an SQNR, the lowest first; integers by their share of equal elements; exact ones; those
/// that are 0 in FP32. The sort is stable.
[[nodiscard]] std::vector<ErrorReport::Output> worst_first(std::vector<ErrorReport::Output> outputs);

/// Sorts layers and operators together: the lowest SQNR alone first, of equals the largest gain by staying float.
[[nodiscard]] std::vector<SensitivityReport::Layer> ranked_layers(const SensitivityReport& report);
/// Returns the scores that layers have beside their SQNR.
[[nodiscard]] std::vector<LayerScore> scores_of(std::span<const SensitivityReport::Layer> layers);

/// Returns true where every element is equal.
[[nodiscard]] bool is_exact(const ErrorReport::Output& output);

/// Returns "argmax agreement 99.90 %" or "sign agreement 99.90 %"; "" without an agreement.
[[nodiscard]] std::string agreement_text(const ErrorReport::Output& output);

/// Returns "SQNR 45.1 dB, cosine 0.99997, argmax agreement 99.90 %", "3 of 1600 elements differ", "exact" or "0
/// throughout in FP32".
[[nodiscard]] std::string output_error_text(const ErrorReport::Output& output);

/// Returns "SQNR 32.4 dB, cosine 0.99975"; of several outputs "SQNR 45.1 dB at 'mask', the worst of 3 outputs"; of none
/// "no output could be compared".
[[nodiscard]] std::string worst_error_text(const ErrorReport& error);

/// Returns "the output" or, of several, "the worst output".
[[nodiscard]] std::string the_output(const std::vector<ErrorReport::Output>& outputs);

/// Returns "max and mse score the same within the noise of 24 samples", or that no other candidate does, as a clause.
[[nodiscard]] std::string ties_text(const std::vector<std::string>& ties, size_t samples);

}  // namespace detent
