#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detent/options/evaluation_options.h"
#include "evaluate/task_metric.h"
#include "evaluate/trial.h"
#include "pipeline/parts/identified_samples.h"

namespace detent {

/// Models judged on the evaluation samples: by the user's task, and against a reference model.
struct TaskScores {
  Evaluation evaluation;                                   ///< with the sums of each batch
  std::vector<double> numbers = {}, command_seconds = {};  ///< of the metric command by model, the reference first

  /// Returns the scores of the task by Metric::name, without errors. model  0: the reference, 1 + variant
  [[nodiscard]] std::map<std::string, double> metrics(size_t model) const;
};

/// The evaluation samples and the task that judges models on them. The options must outlive it.
class TaskJudge {
 public:
  /// Opens and checks the evaluation data, before anything long begins.
  /// reference  the model that variants are compared with; all have its inputs
  /// Errors     those of open_samples, TaskMetric and values_to_judge.
  TaskJudge(const EvaluationOptions& options, const SampleRequest& eval, const Model& reference,
            const RunSettings& run);

  [[nodiscard]] const IdentifiedSamples& samples() const { return *samples_; }
  /// Returns TaskMetric::reading().
  [[nodiscard]] std::string reading() const { return task_.reading(); }
  /// Returns the layout of the reference's detections; nullopt where it was not recognized.
  [[nodiscard]] const std::optional<DetectionLayout>& recognized() const { return task_.recognized(); }

  /// Runs the reference and the variants on every sample.
  /// names     "fp32", then by variant, for the folders of the metric command
  /// progress  the text of the progress line
  /// shown     keep the detections of so many samples
  /// Errors    those of evaluate_models and MetricCommand.
  [[nodiscard]] TaskScores judge(std::span<const Model> variants, const Model& reference,
                                 std::vector<std::string> names, std::string_view progress, size_t shown = 0) const;

 private:
  const EvaluationOptions& options_;
  const RunSettings& run_;
  std::unique_ptr<IdentifiedSamples> samples_;
  TaskMetric task_;
  std::vector<std::string> judged_;
};

}  // namespace detent
