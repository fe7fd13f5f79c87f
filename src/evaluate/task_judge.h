#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detent/base/metric.h"
#include "detent/options/evaluation_options.h"
#include "evaluate/metric_command.h"
#include "evaluate/task_metric.h"
#include "evaluate/trial.h"

namespace detent {

/// Returns the order in which scores are better: larger first by the metric, where NaN is the worst, then by the SQNR.
[[nodiscard]] std::pair<double, double> rank_of(const Metric& metric, double score, double sqnr_db);

/// Models judged by the user's task, and against a reference model.
struct TaskScores {
  Evaluation evaluation;
  std::unique_ptr<MetricCommand> command = {};             ///< holds the outputs of all; nullptr: none is asked for
  std::vector<double> numbers = {}, command_seconds = {};  ///< of the command by model, the reference first

  /// Calls the command for every model. Errors  those of MetricCommand.
  void call_command(Reporter& reporter);
  /// Returns the scores of the task by Metric::name, without errors. model  0: the reference, 1 + variant
  [[nodiscard]] std::map<std::string, double> metrics(size_t model) const;
};

/// The one judge of models by a task: its samples, the values that are run, and the truths. The arguments must outlive
/// it.
class TaskJudge {
 public:
  /// Checks samples and truths, before anything long begins.
  /// request    that `samples` were opened by; where it cuts them into steps, models are judged over all of them, each
  ///            fed by its own states, without outputs that only go back into the model (without_states())
  /// reference  the model that variants are compared with; all have its inputs
  /// Errors     those of TaskMetric and values_to_judge.
  TaskJudge(const EvaluationOptions& options, const SampleRequest& request, const Model& reference,
            const DataSource& samples, const RunSettings& run);

  [[nodiscard]] const Model& reference() const { return reference_; }
  [[nodiscard]] const DataSource& samples() const { return samples_; }
  [[nodiscard]] const std::vector<std::string>& values() const { return values_; }
  [[nodiscard]] const TaskMetric& task() const { return task_; }

  /// Things that a judgement keeps beside the sums.
  struct Asked {
    bool task = true;      ///< scores of the task; false: errors alone
    bool by_batch = true;  ///< the sums of each batch
    size_t shown = 0;      ///< the detections of so many samples
  };
  /// Runs the reference and the variants on every sample.
  /// names     "fp32", then by variant, for the folders of the metric command
  /// progress  the text of the progress line
  /// Errors    those of evaluate_models and MetricCommand.
  [[nodiscard]] TaskScores judge(std::span<const Model> variants, const std::vector<std::string>& names,
                                 std::string_view progress, const Asked& asked) const;

 private:
  const EvaluationOptions& options_;
  const SampleRequest& request_;
  const Model& reference_;
  const DataSource& samples_;
  RunSettings run_;
  TaskMetric task_;
  std::vector<std::string> values_;
};

}  // namespace detent
