#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "evaluate/prepared_model.h"
#include "evaluate/trial.h"
#include "exec/buffer_pool.h"
#include "model/model.h"

namespace detent {

/// The samples of a judgement that asks again and again, of parts of them too: each is decoded and run through the
/// float model once, as far as memory for it goes. Batches are numbered in the order of the hash of their first
/// sample's name, so that the first n are a sample of all, the same ones however the source is shuffled.
class JudgedBatches {
 public:
  /// Runs the float model over all samples.
  /// names  the values that are judged. task  nullptr, or without anything given: no truths and no scores.
  /// bytes  batches are kept that take so much together and leave as much memory free; the others are read and run
  /// again when they
  ///        are asked for.
  /// together  samples to a batch, where a caller knows samples_together() already.
  /// Errors  those of reading, running and TaskMetric::score; InvalidData when no sample could be read; Interrupted.
  JudgedBatches(const Model& reference, std::vector<std::string> names, const DataSource& source,
                const RunSettings& settings, const TaskMetric* task, size_t bytes = size_t{256} << 20,
                std::optional<size_t> together = std::nullopt);

  [[nodiscard]] size_t size() const { return found_.size(); }
  /// Of the float model's weights.
  [[nodiscard]] size_t reference_bytes() const { return reference_bytes_; }
  /// Samples that were joined to a batch because that is faster (samples_together); 1: batches are the model's own.
  [[nodiscard]] size_t together() const { return together_; }
  /// Samples that count in the first `batches` batches.
  [[nodiscard]] size_t samples_in(size_t batches) const;
  /// Where the samples that count in batch b stand in the source.
  [[nodiscard]] const std::vector<size_t>& samples_of(size_t b) const { return found_[b].samples; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const TaskMetric* task() const { return task_; }
  /// By batch: the float model's scores. Without errors, and empty without a task.
  [[nodiscard]] const std::vector<Tally>& float_tally() const { return float_tally_; }
  /// The first `batches` batches in the order of the source, in which sums over them are added; joined ones in their
  /// own.
  [[nodiscard]] std::vector<size_t> in_source_order(size_t batches) const;
  /// Thread-safe; `pool` is the calling thread's.
  /// Errors  those of reading and running.
  [[nodiscard]] std::shared_ptr<const JudgedBatch> get(size_t b, BufferPool& pool) const;
  using Work = std::function<void(size_t b, const JudgedBatch& batch, BufferPool& pool)>;
  /// Calls `work` on batches `from` to `until` - 1, in parallel, and `done` behind each, one at a time.
  /// Errors  those of get(); those of `work`, which name the first sample of the batch; Interrupted.
  void for_each(size_t from, size_t until, const RunSettings& settings, const Work& work,
                const std::function<void(size_t b)>& done) const;

 private:
  struct Found {
    size_t position = 0;          // in the source, among batches
    std::vector<size_t> samples;  // in the source, those that count
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
  std::unique_ptr<const PreparedModel> model_;  // gone where every batch is kept: it holds the weights packed
  size_t together_ = 1;
  std::vector<SampleAxis> axes_;
  std::vector<Found> found_;
  std::vector<Tally> float_tally_;
};

}  // namespace detent
