#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "exec/executor.h"
#include "exec/schedule.h"

namespace detent {

/// How many worker threads `settings` mean: at least 1.
[[nodiscard]] size_t worker_count(const RunSettings& settings);

/// Threads for each kernel when there are fewer batches of samples than workers: the cores that would have nothing to
/// do. At least 1.
[[nodiscard]] int team_size(const RunSettings& settings, const DataSource& samples);

/// One executor per worker slot, made when the slot is used first.
class ExecutorSlots {
 public:
  ExecutorSlots(const Schedule& schedule, size_t slots, bool measured = false)
      : schedule_(schedule), executors_(slots), times_(measured ? slots : 0, StepTimes(schedule.steps().size())) {}
  [[nodiscard]] Executor& at(size_t slot) {
    if (executors_[slot]) return *executors_[slot];
    executors_[slot] = std::make_unique<Executor>(schedule_);
    if (!times_.empty()) executors_[slot]->measure(&times_[slot]);
    return *executors_[slot];
  }
  /// Of all executors together; zeros unless measured.
  [[nodiscard]] StepTimes times() const;

 private:
  const Schedule& schedule_;
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
  ValueMap<std::vector<size_t>> places_;
  std::vector<Tensor> kept_;
};

}  // namespace detent
