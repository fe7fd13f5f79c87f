#include "run/workers.h"

#include <algorithm>
#include <thread>

#include "core/memory_limit.h"

namespace detent {

size_t worker_count(const RunSettings& settings) {
  const size_t wanted = settings.threads > 0 ? settings.threads : std::max(1U, std::thread::hardware_concurrency());
  return threads_with_room(wanted);
}

int team_size(const RunSettings& settings, const DataSource& samples) {
  const size_t batches = std::max<size_t>(1, samples.size() / samples.batch());
  return static_cast<int>(std::max<size_t>(1, worker_count(settings) / batches));
}

StepTimes ExecutorSlots::times() const {
  StepTimes all(schedule_.steps().size());
  for (const StepTimes& one : times_) all.merge(one);
  return all;
}

WorkerSlots::WorkerSlots(size_t count) {
  for (size_t slot = count; slot-- > 0;) free_.push_back(slot);
}

size_t WorkerSlots::take() {
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) throw Error(ErrorCode::Internal, "more calls run than there are worker slots");
  const size_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void WorkerSlots::give_back(size_t slot) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(slot);
}

}  // namespace detent
