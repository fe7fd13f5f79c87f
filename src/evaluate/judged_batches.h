#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "detent/data_source.h"
#include "detent/run_settings.h"
#include "evaluate/task_metric.h"
#include "exec/buffer_pool.h"
#include "exec/schedule.h"
#include "model/model.h"
#include "run/padding.h"
#include "run/sample_axes.h"

namespace detent {

/// One batch, and what every model that is judged on it is held against.
struct JudgedBatch {
  std::string name;              ///< of its first sample
  size_t size = 0, real = 0;     ///< samples, and how many of them count: the rest repeats the last
  std::vector<Tensor> inputs;    ///< one per model input
  std::vector<Tensor> expected;  ///< what the float model says, the samples that count, plain
  std::vector<Truth> truths;     ///< of the samples that count; empty: nothing is judged by them
  BatchContent content;          ///< likewise
  std::vector<SampleAxis> axes;  ///< where samples lie in `expected`; empty: in front
};

/// The samples of a judgement that asks again and again, of parts of them too: each is decoded and run through the float model
/// once, as far as memory for it goes. Batches are numbered in the order of the hash of their first sample's name, so that the
/// first n are a sample of all, the same ones however the source is shuffled.
class JudgedBatches {
 public:
  /// Runs the float model over all samples.
  /// names  the values that are judged. task  nullptr, or without anything given: no truths and no scores.
  /// bytes  batches are kept that take so much together and leave as much memory free; the others are read and run again when they
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
  /// The float model's score on batch b; nothing without a task.
  [[nodiscard]] const TaskSums& float_score(size_t b) const { return found_[b].float_score; }
  /// The first `batches` batches in the order of the source, in which sums over them are added; joined ones in their own.
  [[nodiscard]] std::vector<size_t> in_source_order(size_t batches) const;
  /// Thread-safe; `pool` is the calling thread's. Errors  those of reading and running.
  [[nodiscard]] std::shared_ptr<const JudgedBatch> get(size_t b, BufferPool& pool) const;

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
  std::vector<ValueId> wanted_;
  std::unique_ptr<const Schedule> schedule_;  // gone where every batch is kept: it holds the weights packed
  size_t together_ = 1;
  std::vector<SampleAxis> axes_;
  std::vector<Found> found_;
};

}  // namespace detent
