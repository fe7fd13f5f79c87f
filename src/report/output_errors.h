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

/// Returns "the output" or, of several, "the worst output".
[[nodiscard]] std::string the_output(const std::vector<ErrorReport::Output>& outputs);

}  // namespace detent
