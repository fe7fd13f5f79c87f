#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluate/trial.h"

namespace detent {

/// How sure the scores of several variants are that were measured on the same samples: by a bootstrap over the samples
/// (of a fixed batch over batches) with draws that are the same for all variants, so that what makes a sample hard for
/// all of them does not count between two.
struct ScoreErrors {
  std::vector<double> own;                      ///< by variant: standard error of its score, in the score's unit
  std::vector<std::vector<double>> difference;  ///< [a][b]: of the difference of two variants' scores
};

/// criterion   the name of a metric of tasks, or of the SQNR (worst_sqnr_db() of the summed errors).
/// evaluation  by_batch was asked for.
/// Empty   another criterion, or fewer than two batches: nullopt.
[[nodiscard]] std::optional<ScoreErrors> score_errors(const Evaluation& evaluation, const std::string& criterion);

/// Two variants cannot be told apart where one lies above the other by no more than this many standard errors of the
/// difference: a difference by chance is smaller in 95 of 100 cases (normal distribution).
inline constexpr double kToldApartErrors = 1.96;

}  // namespace detent
