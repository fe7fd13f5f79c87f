#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluate/trial.h"

namespace detent {

/// Standard errors of the scores of several variants on the same samples, by a bootstrap over the samples (over batches
/// where the model fixes them). All variants share the draws, so samples that are hard for all do not count in
/// differences.
struct ScoreErrors {
  std::vector<double> own;                      ///< of each variant's score, in the score's unit
  std::vector<std::vector<double>> difference;  ///< [a][b]: of the difference of two variants' scores
};

/// Estimates the errors of `criterion`: the name of a task's metric, or of the SQNR (worst_sqnr_db() of summed errors).
/// evaluation  with `by_batch`.
/// Empty       another criterion, or fewer than two batches: nullopt.
[[nodiscard]] std::optional<ScoreErrors> score_errors(const Evaluation& evaluation, const std::string& criterion);

/// Estimates the errors of the mAP of several variants, [variant][batch]: those of their detections in the same
/// batches. Draws without objects are left out.
[[nodiscard]] ScoreErrors precision_errors(const std::vector<std::vector<const MatchedDetections*>>& variants);

/// Two variants are tied where their difference is at most this many standard errors of it: by chance it is smaller in
/// 95 of 100 cases (normal distribution).
inline constexpr double kToldApartErrors = 1.96;

}  // namespace detent
