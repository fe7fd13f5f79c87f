#include "calibrate/checkpointer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "detent/base/error.h"

namespace detent {

Checkpointer::Checkpointer(const Checkpoint& checkpoint, Gathered nothing, size_t workers, Reporter& reporter)
    : checkpoint_(checkpoint), nothing_(std::move(nothing)), gathered_(nothing_), workers_(workers),
      reporter_(reporter) {}

Checkpointer::Turn::Turn(Checkpointer& all, size_t worker, Gathered& measured) : all_(all), worker_(worker) {
  all_.begin(worker_, measured);
}

Checkpointer::Turn::~Turn() {
  if (!done_) all_.end(worker_, false);
}

void Checkpointer::Turn::done() {
  done_ = true;
  all_.end(worker_, true);
}

void Checkpointer::begin(size_t worker, Gathered& measured) {
  const std::scoped_lock lock(mutex_);
  workers_[worker] = {.measured = &measured, .busy = true};
}

void Checkpointer::end(size_t worker, bool whole) {
  std::unique_lock lock(mutex_);
  Worker& own = workers_[worker];
  own.busy = false;
  const bool asked = std::exchange(own.asked, false);
  if (asked) --asked_;
  if (!whole) {  // an error or an interruption: the pass ends
    own.measured = nullptr;
    return;
  }
  if (asked) {
    take(own);
  } else if (state_ == State::Waiting && checkpoint_.seconds > 0 && since_last_.seconds() >= checkpoint_.seconds) {
    gather();
  }
  if (state_ == State::Gathering && asked_ == 0) write(lock);
}

void Checkpointer::gather() {
  state_ = State::Gathering;
  for (Worker& worker : workers_)
    if (worker.busy) {
      worker.asked = true;
      ++asked_;
    } else {
      take(worker);
    }
}

void Checkpointer::take(Worker& worker) {
  if (!worker.measured) return;
  gathered_.merge(*worker.measured);
  *worker.measured = nothing_;
}

void Checkpointer::write(std::unique_lock<std::mutex>& lock) {
  state_ = State::Writing;
  Gathered so_far = gathered_;  // a copy, so that no worker waits for the disk
  lock.unlock();
  std::ranges::sort(so_far.added);
  try {
    checkpoint_.write(so_far);
  } catch (const Error& error) {
    reporter_.warn(std::string("no checkpoint: ") + error.what());
  }
  lock.lock();
  since_last_ = Stopwatch();
  state_ = State::Waiting;
}

}  // namespace detent
