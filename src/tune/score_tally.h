#pragma once

#include <string>
#include <vector>

#include "evaluate/error_sums.h"
#include "evaluate/judged_batches.h"
#include "evaluate/task_metric.h"
#include "tune/bound_judge.h"

namespace detent {

/// What was counted of one quantized model, batch by batch in the order of JudgedBatches: its score on any number of the first batches.
class ScoreTally {
 public:
  struct Batch {
    std::vector<ErrorSums> errors;  ///< by output
    TaskSums task;
  };

  [[nodiscard]] size_t size() const { return batches_.size(); }
  void resize(size_t batches) { batches_.resize(batches); }
  /// Different batches may be set by different threads.
  void set(size_t b, Batch&& batch) { batches_[b] = std::move(batch); }
  [[nodiscard]] const Batch& at(size_t b) const { return batches_[b]; }

 private:
  std::vector<Batch> batches_;
};

/// What tallies are added up by.
struct TallyRules {
  const JudgedBatches& batches;
  const Metric& metric;          ///< BoundJudge::metric(), no command
  std::vector<bool> comparable;  ///< by output: its errors count
};

/// On the first `batches` batches, FP32's score too. Sums are added in the order of the source: on all batches the result has the bits
/// of evaluate_models.
[[nodiscard]] BoundJudge::Score score_of(const ScoreTally& tally, size_t batches, const TallyRules& rules);

/// The score on the first `batches` batches less one, for each of them: what a jackknife takes.
[[nodiscard]] std::vector<double> scores_without_one(const ScoreTally& tally, size_t batches, const TallyRules& rules);
/// The same of the float model; a metric of tasks.
[[nodiscard]] std::vector<double> float_scores_without_one(size_t batches, const TallyRules& rules);

/// Standard error of the difference of two scores that were measured on the same batches, by the jackknife.
/// Source  Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), equation 11.5.
/// Empty   fewer than two batches: infinity.
[[nodiscard]] double jackknife_error(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace detent
