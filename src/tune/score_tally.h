#pragma once

#include <string>
#include <vector>

#include "evaluate/judged_batches.h"
#include "evaluate/trial.h"
#include "tune/bound_judge.h"

namespace detent {

/// What was counted of one quantized model, batch by batch in the order of JudgedBatches: its score on any number of
/// the first batches.
using ScoreTally = std::vector<Tally>;

/// What tallies are added up by.
struct TallyRules {
  const JudgedBatches& batches;
  const Metric& metric;          ///< BoundJudge::metric(), no command
  std::vector<bool> comparable;  ///< by output: its errors count
};

/// On the first `batches` batches, FP32's score too. Sums are added in the order of the source: on all batches the
/// result has the bits of evaluate_models.
[[nodiscard]] BoundJudge::Score score_of(const ScoreTally& tally, size_t batches, const TallyRules& rules);

/// Returns the score on the first `batches` batches less one, for each of them, which a jackknife takes. Of the float
/// model (JudgedBatches::float_tally) by a task alone.
[[nodiscard]] std::vector<double> scores_without_one(const ScoreTally& tally, size_t batches, const TallyRules& rules);

/// Standard error of the difference of two scores that were measured on the same batches, by the jackknife.
/// Source  Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), equation 11.5.
/// Empty   fewer than two batches: infinity.
[[nodiscard]] double jackknife_error(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace detent
