#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/accuracy_bound.h"
#include "detent/options/run_settings.h"
#include "evaluate/task_metric.h"
#include "model/model.h"

namespace detent {

/// Measures quantized models by what a bound speaks of.
class BoundJudge {
 public:
  /// Of one model, on all samples.
  struct Score {
    double fp32 = 0;                                      ///< the float model's, in the same metric; 0 for the SQNR
    double score = 0;                                     ///< in the metric
    double sqnr_db = 0;                                   ///< at the worst output
    std::string output;                                   ///< that output, where several were measured
    std::map<std::string, double> metrics, fp32_metrics;  ///< of labels, masks and tokens; from measure() alone
  };

  /// data  what a bound on the SQNR is measured on when it names nothing else; nullptr: none.
  /// Errors  Usage: a bound that is no finite number, no samples to judge on, or a --max-drop without labels, masks,
  /// tokens and command; those of open_data and of
  ///         TaskMetric; InvalidOption when the model has no output to judge.
  BoundJudge(const AccuracyBound& bound, const Model& model, const DataSource* data, const RunSettings& settings);

  [[nodiscard]] const DataSource& samples() const { return *samples_; }
  /// There are labels, masks or tokens, whose metrics the bound need not speak of.
  [[nodiscard]] bool has_task() const;
  /// Where errors can be measured.
  [[nodiscard]] const std::vector<std::string>& float_values() const { return float_values_; }
  [[nodiscard]] const Metric& metric() const { return metric_; }
  [[nodiscard]] bool by_command() const { return metric_.source == MetricSource::Command; }
  [[nodiscard]] std::string bound_text() const;
  [[nodiscard]] bool meets(const Score& score) const;
  /// The score takes at most half of what the bound allows: of the drop, or of the noise power.
  [[nodiscard]] bool leaves_room(const Score& score) const;
  /// Higher is better, in the terms of the bound.
  [[nodiscard]] std::pair<double, double> rank(const Score& score) const;
  /// What the score has lost against the float model's, in the metric; what nats have gained.
  [[nodiscard]] double drop(const Score& score) const;
  /// What the bound leaves, in the metric: below 0 it is broken, but for the rounding of a quotient of counts.
  [[nodiscard]] double slack(const Score& score) const;

  /// The float model that scores are held against, the values that are run, and what judges them but for a command.
  [[nodiscard]] const Model& reference() const { return model_; }
  [[nodiscard]] const std::vector<std::string>& judged_values() const { return judged_; }
  [[nodiscard]] const TaskMetric& task() const { return *task_; }

  /// Runs quantized variants of the model side by side over all samples.
  /// Errors  those of evaluate_models and MetricCommand; InvalidOption when nothing can be compared.
  [[nodiscard]] std::vector<Score> measure(std::span<const Model> variants, std::string_view task) const;

 private:
  const AccuracyBound& bound_;
  const Model& model_;
  RunSettings settings_;
  std::unique_ptr<DataSource> own_;
  const DataSource* samples_;
  std::unique_ptr<TaskMetric> task_;
  std::vector<std::string> judged_, float_values_;
  const Metric& metric_;
  mutable std::optional<double> fp32_by_command_;  // asked once: a command may take long
};

/// The judge of a bound; nullptr where none is given.
/// Errors  those of BoundJudge.
[[nodiscard]] std::unique_ptr<const BoundJudge> open_judge(const AccuracyBound& bound, const Model& model,
                                                           const DataSource* data, const RunSettings& settings);

}  // namespace detent
