#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detent/data_source.h"
#include "detent/error_report.h"
#include "detent/run_settings.h"
#include "evaluate/error_sums.h"
#include "evaluate/metric_command.h"
#include "evaluate/task_metric.h"
#include "model/model.h"

namespace detent {

/// How far the outputs of several models lie from those of a float model, over the same samples.
struct Evaluation {
  std::vector<std::string> outputs;            ///< names of the values that were compared
  std::vector<std::vector<ErrorSums>> errors;  ///< [variant][output], over all samples
  /// [variant][batch][output], in the order of the source; a batch is one sample unless the model fixes it. Where asked for.
  std::vector<std::vector<std::vector<ErrorSums>>> by_batch;
  std::vector<std::string> batch_names;  ///< of the first sample of each batch; where asked for
  size_t samples = 0, skipped = 0;       ///< skipped: unreadable
  std::vector<TaskSums> task;            ///< [0] of the float model, [1 + variant]; empty without a TaskMetric
  std::vector<std::vector<TaskSums>> task_by_batch;  ///< [1 + variant][batch], as `by_batch`; [0] is empty
  std::vector<double> seconds;                       ///< in the same order: spent running it, summed over the workers

  /// Metrics of one variant.
  [[nodiscard]] ErrorReport report(size_t variant) const { return summarize_errors(outputs, errors[variant], samples); }
};

/// Judges of the outputs themselves, besides their errors. Both may be absent.
struct OutputJudges {
  const TaskMetric* task = nullptr;  ///< nullptr or without labels and masks: no task metrics
  MetricCommand* command = nullptr;  ///< gets the outputs of every model, the float model's as model 0
};

/// The question that evaluate_models() answers. Looks at things that must outlive it.
struct EvaluationRequest {
  const Model& reference;                 ///< the float model
  const std::vector<std::string>& names;  ///< values to compare
  const DataSource& source;
  const RunSettings& settings;
  std::string_view task;     ///< the text of the progress line
  OutputJudges judges = {};  ///< see every value of `names`, of whatever type; errors are measured of the float ones
  /// Variants whose weights take more bytes than this together are run in several passes over the source, at least one
  /// variant at a time.
  size_t weight_bytes = size_t{4} << 30;
  bool by_batch = false;  ///< keep the errors of every batch too: 64 bytes a variant, batch and output
};

/// Runs the float model and every variant on each sample, and compares the named values of every variant with the float
/// model's. A sample is read once, the float model runs once on it, and outputs go when they were compared: memory holds the
/// weights of all models, and for each worker the activations of one model and two sets of outputs, whatever the number of
/// samples. Sums are added in the order of the source, so threads change nothing.
///
/// variants  models that hold the named values; they may be quantized.
/// Left out  a value whose shape depends on the data and came out different for some variant (boxes behind a
///           NonMaxSuppression): it is in no variant's sums, and not in `outputs`.
/// Batches   the last one is filled by repetition and what was repeated does not count, for values of that extent on
///           axis 0.
/// Errors    those of reading, running and TaskMetric::score; InvalidData when no sample could be read, or no next token is known
///           where they are judged; Interrupted.
[[nodiscard]] Evaluation evaluate_models(std::span<const Model> variants, const EvaluationRequest& request);

}  // namespace detent
