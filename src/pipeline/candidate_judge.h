#pragma once

#include <memory>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/compare.h"
#include "evaluate/task_metric.h"
#include "evaluate/trial.h"
#include "model/model.h"
#include "pipeline/compared_candidates.h"
#include "pipeline/parts/identified_samples.h"

namespace detent {

/// Runs the candidates of a comparison side by side, and says which is best. Looks at options that must outlive it.
class CandidateJudge {
 public:
  /// What is wrong with the evaluation data is said here, before anything long begins.
  /// graph      whose inputs the samples are fed to: those of all candidates.
  /// reference  the float model that candidates are held against.
  /// Errors     those of open_samples, TaskMetric and values_to_judge.
  CandidateJudge(const CompareOptions& options, const Graph& graph, const Model& reference);

  [[nodiscard]] const DataSource& samples() const { return *samples_; }
  /// Fills all that the report says of scores: `fp32`, `variants`, `baselines`, `winner`, `criterion`, `ties`, the
  /// provenance of the winner, and what was evaluated. what    "7 calibrators".
  /// Errors  those of evaluate_models and
  /// MetricCommand; InvalidOption when there is nothing to judge by.
  void judge(ComparisonReport& report, Candidates& candidates, const Model& reference, const std::string& what) const;

 private:
  const CompareOptions& options_;
  std::unique_ptr<IdentifiedSamples> samples_;
  TaskMetric task_;
  std::vector<std::string> judged_;
};

/// Position of the winner among the report's variants, which are in the order of the candidates.
[[nodiscard]] size_t index_of_winner(const ComparisonReport& report);

}  // namespace detent
