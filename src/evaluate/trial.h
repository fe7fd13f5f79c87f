#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "datasets/sample_request.h"
#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "evaluate/detection_judge.h"
#include "evaluate/error_sums.h"
#include "evaluate/metric_command.h"
#include "evaluate/shown_detections.h"
#include "evaluate/side_by_side.h"
#include "evaluate/task_metric.h"
#include "model/model.h"
#include "run/padding.h"
#include "run/sample_axes.h"

namespace detent {

/// One batch, with the float model's outputs and the truths that models are judged by.
struct JudgedBatch {
  size_t index = 0;                       ///< of its first sample
  std::vector<std::string> sample_names;  ///< of the samples that count
  size_t size = 0, real = 0;              ///< samples, and how many count: the rest repeats the last
  std::vector<Tensor> inputs;             ///< one per model input
  std::vector<Tensor> expected;           ///< the float model's outputs as counted() returns them; empty until it ran
  std::vector<Truth> truths;              ///< of the samples that count; empty without a task
  BatchContent content;                   ///< of the samples that count
  std::vector<SampleAxis> axes;           ///< of the samples in `expected`; empty: axis 0
  InputSize image = {};                   ///< of the inputs
  OutputForms forms = {};                 ///< of `expected`
  std::vector<size_t> shown = {};         ///< places of the samples whose detections are kept

  /// Returns the samples that count of a model's outputs, plain.
  [[nodiscard]] std::vector<Tensor> counted(std::vector<Tensor> outputs) const;
};

/// The form of the compared values.
struct ValueForms {
  std::vector<SampleAxis> axes = {};  ///< of the samples; empty: axis 0
  OutputForms outputs = {};           ///< find_forms()
};

/// Returns the layout of detections that a task knows; without one recognize_outputs(), which runs the model on a
/// sample.
/// task    nullptr: none
/// Errors  those of recognize_outputs.
[[nodiscard]] OutputForms find_forms(const TaskMetric* task, const Model& reference, const DataSource& source,
                                     const RunSettings& settings);

/// Stacks samples of which the first `real` count. task  nullptr: no truths.
/// Errors  those of TaskMetric::truths_of.
[[nodiscard]] JudgedBatch stack_batch(std::vector<Sample>&& samples, size_t real, const ValueForms& forms,
                                      const TaskMetric* task);

/// Reads the detections in a model's outputs, as counted() returns them, and in those of the float model.
/// above    as in PairedDetections::of
/// Returns  nullopt where they hold none.
[[nodiscard]] std::optional<PairedDetections> pair_detections_in(
    const JudgedBatch& batch, const DetectionLayout& layout, std::span<const std::string> names,
    std::span<const Tensor> expected, std::span<const Tensor> outputs, float above = kLeastScore);

/// The errors and task counts of one model on some samples.
struct Tally {
  std::vector<ErrorSums> errors;  ///< by output; empty for the float model
  TaskSums task;
  std::vector<ShownDetections> shown = {};  ///< in the samples of JudgedBatch::shown

  /// Adds the tally of other samples at the same outputs.
  Tally& operator+=(const Tally& other);
};

/// Judges outputs as counted() returns them: by the task (nullptr: none) and, where the float model ran, by their
/// errors. An output whose type or shape differs from the float model's has none, and its entry of `comparable` becomes
/// false.
/// Errors  those of TaskMetric::score.
[[nodiscard]] Tally tally_of(const JudgedBatch& batch, const std::vector<std::string>& names,
                             const std::vector<Tensor>& outputs, const TaskMetric* task, std::vector<bool>& comparable);

/// The errors of several models' outputs against those of a float model, over the same samples.
struct Evaluation {
  std::vector<std::string> outputs;            ///< names of the values that were compared
  std::vector<std::vector<ErrorSums>> errors;  ///< [variant][output], over all samples
  /// [variant][batch][output] in the order of the source, with `by_batch`; a batch is one sample unless the model fixes
  /// it, and of samples that are cut into steps a sample with all of them.
  std::vector<std::vector<std::vector<ErrorSums>>> by_batch;
  std::vector<std::string> batch_names;              ///< of the first sample of each batch, with `by_batch`
  size_t samples = 0, skipped = 0;                   ///< skipped: unreadable; of steps, single ones
  std::vector<TaskSums> task;                        ///< [0] of the float model, [1 + variant]; empty without a task
  std::vector<std::vector<TaskSums>> task_by_batch;  ///< [model][batch], as `by_batch`
  std::vector<double> seconds;                       ///< as `task`: of running, summed over the workers
  /// [variant], in the order of the source: in the samples that the request keeps.
  std::vector<std::vector<ShownDetections>> shown;
  std::vector<OutputReport> meanings = {};  ///< of `outputs`

  /// Returns the metrics of one variant.
  [[nodiscard]] ErrorReport report(size_t variant) const { return summarize_errors(outputs, errors[variant], samples); }
};

/// Returns the error of an Evaluation without outputs: InvalidOption.
[[nodiscard]] Error nothing_compared();

/// The tallies of one batch: of the float model, then of the variants that ran beside it.
struct BatchTallies {
  std::string name;  ///< of the first sample
  size_t index = 0;  ///< its place in the source
  size_t real = 0;
  std::vector<Tally> models;
  std::vector<bool> comparable;                   ///< by output: of the float model's shape in every variant
  std::vector<double> seconds;                    ///< by model
  std::vector<std::vector<Tensor>> outputs = {};  ///< by model; for a MetricCommand only
};

/// Sums over batches, added in the order of the calls: the same order gives the same bits.
class Tallies {
 public:
  /// by_batch  keeps the sums of each batch too.
  /// steps     so many batches of the source in a row are the steps of one sample, which counts as a batch; 0: samples
  ///           are whole.
  Tallies(std::vector<std::string> outputs, size_t variants, bool by_batch, size_t steps = 0);

  /// Adds a batch on which variants from `first` on ran. The float model and the samples are counted only with variant
  /// 0.
  void add(BatchTallies&& batch, size_t first);
  /// Returns the sums without the outputs whose shape differs in some variant. judged  false: without task scores.
  [[nodiscard]] Evaluation take(bool judged);

 private:
  void keep(std::vector<ErrorSums>&& errors, TaskSums&& task, size_t place, bool goes_on);

  Evaluation sums_;
  std::vector<bool> comparable_;
  bool by_batch_;
  size_t steps_;
  std::optional<std::pair<size_t, size_t>> last_ = {};  // `first` and the sample of the last batch, of steps
};

/// The input of evaluate_models() and evaluate_side_by_side(). Its members must outlive it.
struct EvaluationRequest {
  const Model& reference;                 ///< the float model
  const std::vector<std::string>& names;  ///< values to compare
  const DataSource& source;
  const RunSettings& settings;
  std::string_view task;  ///< the text of the progress line
  // Judges get every value of `names`, of any type; errors are those of the float ones.
  const TaskMetric* judge = nullptr;  ///< nullptr or without labels and masks: no task metrics
  MetricCommand* command = nullptr;   ///< gets the outputs of every model, the float model's as model 0
  /// Variants whose weights take more bytes together are run in several passes over the source, at least one at a time.
  size_t weight_bytes = size_t{4} << 30;
  bool by_batch = false;     ///< keep the errors of every batch too: 64 bytes a variant, batch and output
  size_t shown_samples = 0;  ///< keep the detections of so many samples, evenly over the source
  /// That `source` was opened by. Each variant reads its own states (own_steps()) where it cuts samples into steps,
  /// and a sample counts with all its steps. nullptr, and a request without steps: samples are whole.
  const SampleRequest* request = nullptr;
};

/// Runs the float model and every variant on each sample and compares the named values with the float model's. A sample
/// is read once and the float model runs once on it. Memory holds the weights of all models, and for each worker the
/// activations of one model and two sets of outputs. Sums are added in the order of the source: threads change nothing.
///
/// variants  models that hold the named values; they may be quantized.
/// Left out  a value whose shape depends on the data and differs in some variant (boxes behind a NonMaxSuppression): it
///           is in no variant's sums, and not in `outputs`.
/// Batches   the last one is filled by repetition, which does not count.
/// Errors    those of reading, running and TaskMetric::score; InvalidData when no sample could be read, or no next
///           token is known where they are judged; Interrupted.
[[nodiscard]] Evaluation evaluate_models(std::span<const Model> variants, const EvaluationRequest& request);

/// The same of variants that are made when their pass begins and freed behind it.
[[nodiscard]] Evaluation evaluate_models(size_t count, const std::function<Model(size_t)>& make,
                                         const EvaluationRequest& request);

/// Evaluates variants of `request.reference` that share what they have in common, in one pass. Of steps all variants
/// read those of the source.
/// Errors  those of evaluate_models; data without next tokens is no error.
[[nodiscard]] Evaluation evaluate_side_by_side(ModelsSideBySide& variants, const EvaluationRequest& request);

}  // namespace detent
