#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "evaluate/prepared_model.h"
#include "evaluate/trial.h"
#include "exec/buffer_pool.h"
#include "model/model.h"

namespace detent {

inline constexpr size_t kJudgedBytes = size_t{256} << 20;  ///< of the samples of a judgement that stay in memory

/// The samples of a judgement that runs many times, also on parts of them. Each is decoded and run through the float
/// model once, as far as memory allows. Batches are numbered by the name hash of their first sample, so that the first
/// n are a random part of all, independent of the order of the source.
class JudgedBatches {
 public:
  /// Runs the float model over all samples.
  /// names     values to judge.
  /// task      nullptr, or without anything given: no truths and no scores.
  /// bytes     batches to keep together, while as much memory is free; the others are read and run again when needed.
  /// together  samples to a batch; absent: samples_together() decides.
  /// Errors    those of reading, running and TaskMetric::score; InvalidData when no sample could be read; Interrupted.
  JudgedBatches(const Model& reference, std::vector<std::string> names, const DataSource& source,
                const RunSettings& settings, const TaskMetric* task, size_t bytes = kJudgedBytes,
                std::optional<size_t> together = std::nullopt);

  [[nodiscard]] size_t size() const { return found_.size(); }
  /// Bytes of the float model's weights.
  [[nodiscard]] size_t reference_bytes() const { return reference_bytes_; }
  /// Samples that were joined to a batch because that is faster (samples_together); 1: batches are the model's own.
  [[nodiscard]] size_t together() const { return together_; }
  /// Number of samples that count in the first `batches` batches.
  [[nodiscard]] size_t samples_in(size_t batches) const;
  /// Places in the source of the samples that count in batch b.
  [[nodiscard]] const std::vector<size_t>& samples_of(size_t b) const { return found_[b].samples; }
  /// Name of the sample at that place of the source.
  [[nodiscard]] std::string sample_name(size_t place) const { return source_.sample_name(place); }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const TaskMetric* task() const { return task_; }
  /// The float model's scores by batch, without errors; empty tallies without a task.
  [[nodiscard]] const std::vector<Tally>& float_tally() const { return float_tally_; }
  /// Returns the first `batches` batches in the order in which sums are added: that of the source, for joined batches
  /// that in which they were run.
  [[nodiscard]] std::vector<size_t> in_source_order(size_t batches) const;
  /// Thread-safe; `pool` is the calling thread's.
  /// Errors  those of reading and running.
  [[nodiscard]] std::shared_ptr<const JudgedBatch> get(size_t b, BufferPool& pool) const;
  using Work = std::function<void(size_t b, const JudgedBatch& batch, BufferPool& pool)>;
  /// Calls `work` on batches `from` to `until` - 1 in parallel, and `done` after each, one at a time.
  /// Errors  those of get(); those of `work`, which name the first sample of the batch; Interrupted.
  void for_each(size_t from, size_t until, const RunSettings& settings, const Work& work,
                const std::function<void(size_t b)>& done) const;

 private:
  struct Found {
    size_t position = 0;          // among the batches of the source
    std::vector<size_t> samples;  // places in the source of those that count
    std::string name;
    size_t size = 0;
    TaskSums float_score;
    std::shared_ptr<const JudgedBatch> kept;
  };

  [[nodiscard]] JudgedBatch run(std::vector<Sample>&& samples, size_t real, BufferPool& pool) const;

  const DataSource& source_;
  size_t reference_bytes_;
  std::vector<std::string> names_;
  const TaskMetric* task_;
  std::unique_ptr<const PreparedModel> model_;  // null when every batch is kept: it holds packed weights
  size_t together_ = 1;
  ValueForms forms_;
  std::vector<Found> found_;
  std::vector<Tally> float_tally_;
};

/// Evaluates variants on batches on which the float model has run, as evaluate_models() does with `by_batch`. Samples
/// that were joined have an entry each, as if they ran one by one; a batch that the model fixes has one. Entries are in
/// the order of the source.
///
/// count, make  variants that hold the values of `batches`; they may be quantized. Each is made when its turn comes and
///              freed before the next one, except that as many are held at once as fit into `weight_bytes`.
/// Empty     `task`; `skipped` and `seconds` are 0: nothing is read, judged by labels or timed here.
/// Errors    those of `make`, of reading and of running, naming the first sample of a batch; Interrupted.
[[nodiscard]] Evaluation evaluate_on_batches(size_t count, const std::function<Model(size_t)>& make,
                                             const JudgedBatches& batches, const RunSettings& settings,
                                             std::string_view task, size_t weight_bytes = size_t{256} << 20);

}  // namespace detent
