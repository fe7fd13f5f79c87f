#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "exec/executor.h"
#include "exec/schedule.h"

namespace detent {

/// Returns the number of worker threads that `settings` mean, as far as the address space has room for them: at
/// least 1.
[[nodiscard]] size_t worker_count(const RunSettings& settings);

/// Returns the threads for each kernel when there are fewer batches of samples than workers, so that no core idles: at
/// least 1.
[[nodiscard]] int team_size(const RunSettings& settings, const DataSource& samples);

/// The executors of worker slots, each made when its slot is used first.
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
  /// Returns the times of all executors together; zeros unless measured.
  [[nodiscard]] StepTimes times() const;

 private:
  const Schedule& schedule_;
  std::vector<std::unique_ptr<Executor>> executors_;  // each element is touched by one thread at a time
  std::vector<StepTimes> times_;                      // like executors_
};

/// Slot numbers below `count` for calls that run at the same time, one each.
class WorkerSlots {
 public:
  explicit WorkerSlots(size_t count);

  /// A slot number, taken as long as this object lives. Errors  Internal when more calls run than there are slots.
  class Held {
   public:
    explicit Held(WorkerSlots& slots) : slots_(slots), slot_(slots.take()) {}
    ~Held() { slots_.give_back(slot_); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    [[nodiscard]] size_t operator*() const { return slot_; }

   private:
    WorkerSlots& slots_;
    size_t slot_;
  };

 private:
  size_t take();
  void give_back(size_t slot);

  std::mutex mutex_;
  std::vector<size_t> free_;
};

}  // namespace detent
