#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "detent/detent.h"
#include "exec/executor.h"

namespace detent {

/// How many worker threads `settings` mean: at least 1.
[[nodiscard]] size_t worker_count(const RunSettings& settings);

/// Threads for each kernel when there are fewer batches of `samples` than workers: the cores that would have nothing to do.
/// At least 1.
[[nodiscard]] int team_size(const RunSettings& settings, size_t samples, int64_t batch);

/// One executor per worker slot, made when the slot is used first.
class ExecutorSlots {
 public:
  ExecutorSlots(const ExecutionPlan& plan, size_t slots, bool measured = false)
      : plan_(plan), executors_(slots), times_(measured ? slots : 0, StepTimes(plan.steps().size())) {}
  [[nodiscard]] Executor& at(size_t slot) {
    if (executors_[slot]) return *executors_[slot];
    executors_[slot] = std::make_unique<Executor>(plan_);
    if (!times_.empty()) executors_[slot]->measure(&times_[slot]);
    return *executors_[slot];
  }
  /// Of all executors together; zeros unless measured.
  [[nodiscard]] StepTimes times() const;

 private:
  const ExecutionPlan& plan_;
  std::vector<std::unique_ptr<Executor>> executors_;  // each element is touched by one thread at a time
  std::vector<StepTimes> times_;                      // like executors_
};

/// Keeps the wanted values of one run, in the order asked for, in plain layout and in memory of their own.
class OutputKeeper : public Observer {
 public:
  OutputKeeper(const Graph& graph, std::span<const ValueId> wanted);
  void observe(ValueId value, const Tensor& tensor) override;
  [[nodiscard]] std::vector<Tensor> take() { return std::move(kept_); }

 private:
  std::vector<std::vector<size_t>> places_;  // by ValueId
  std::vector<Tensor> kept_;
};

/// Batch size that the model fixes for all its inputs; 1 when it is open, 1, or not the same for all.
[[nodiscard]] int64_t fixed_batch(const Graph& graph);

/// The samples' inputs joined on axis 0: one tensor per model input. A single sample is passed through.
[[nodiscard]] std::vector<Tensor> stack_samples(std::vector<Sample> samples);

/// Peak resident memory of this process in MB (10^6 bytes); 0 where the system does not tell.
[[nodiscard]] double peak_memory_mb();

}  // namespace detent
