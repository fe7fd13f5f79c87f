#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detent/detent.h"
#include "model/model.h"
#include "evaluate/metric_command.h"
#include "evaluate/task_metric.h"
#include "evaluate/error_sums.h"

namespace detent {

/// How far the outputs of several models lie from those of a float model, over the same samples.
struct Evaluation {
  std::vector<std::string> outputs;            ///< names of the values that were compared
  std::vector<std::vector<ErrorSums>> errors;  ///< [variant][output], over all samples
  size_t samples = 0, skipped = 0;             ///< skipped: unreadable
  std::vector<TaskSums> task;                  ///< [0] of the float model, [1 + variant]; empty without a TaskMetric
  std::vector<double> seconds;                 ///< in the same order: spent running it, summed over the workers

  /// Metrics of one variant.
  [[nodiscard]] ErrorReport report(size_t variant) const { return summarize_errors(outputs, errors[variant], samples); }
};

/// What looks at the outputs themselves, besides their errors. Both may be absent.
struct OutputJudges {
  const TaskMetric* task = nullptr;  ///< nullptr or without labels and masks: no task metrics
  MetricCommand* command = nullptr;  ///< gets the outputs of every model, the float model's as model 0
};

/// The values by which variants of a model are judged: its float outputs that can run. Where there is none (a network
/// that ends in ArgMax), the last float values before them. Found by running the model on `inputs`.
/// Empty   no output depends on a float value that is computed.
[[nodiscard]] std::vector<std::string> values_to_compare(const Model& model, std::span<const Tensor> inputs);

/// What is run for judges too: where the model ends, of whatever type, then what else errors are measured of.
/// Errors  InvalidOption when no output can run; those of reading and running the first sample.
[[nodiscard]] std::vector<std::string> values_to_judge(const Model& model, const DataSource& samples,
                                                       const RunSettings& settings);

/// Runs the float model and every variant on each sample of `source`, and compares the values `names` of every variant with
/// the float model's. A sample is read once, the float model runs once on it, and outputs go when they were compared:
/// memory holds the weights of all models, and for each worker the activations of one model and two sets of outputs,
/// whatever the number of samples. Sums are added in the order of the source, so threads change nothing.
///
/// weight_bytes  variants whose weights take more than this together are run in several passes over the source, at least
///               one variant at a time.
/// variants  models that hold the values `names`; they may be quantized.
/// judges    see every value of `names`, of whatever type; errors are measured of the float ones.
/// Left out  a value whose shape depends on the data and came out different for some variant (boxes behind a
///           NonMaxSuppression): it is in no variant's sums, and not in `outputs`.
/// Batches   the last one is filled by repetition and what was repeated does not count, for values of that extent on
///           axis 0.
/// Errors    those of reading and running; InvalidData when no sample could be read; Interrupted.
[[nodiscard]] Evaluation evaluate_variants(const Model& reference, std::span<const Model> variants,
                                           const std::vector<std::string>& names, const DataSource& source,
                                           const RunSettings& settings, std::string_view task,
                                           const OutputJudges& judges = {}, size_t weight_bytes = size_t{4} << 30);

}  // namespace detent
