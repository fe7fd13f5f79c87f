#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "calibrate/gathered.h"
#include "core/stopwatch.h"
#include "detent/base/progress.h"

namespace detent {

/// Where a pass leaves what it has measured so far, for a process that is killed.
struct Checkpoint {
  double seconds = 0;  ///< between two of them; 0: none
  /// Called by one thread at a time, beside running samples. so_far.added is sorted.
  std::function<void(const Gathered& so_far)> write;
};

/// Gathers what the workers of a pass have measured, every so many seconds, and has it written. No worker waits for
/// another's sample: one that is at work hands its part over when its sample is done, and the last of them writes. What
/// a kill loses is the work of those seconds, and of the samples that run. A checkpoint that cannot be written is
/// warned about once and the pass goes on: the next may succeed.
class Checkpointer {
 public:
  /// nothing  what a worker has measured before its first sample.
  Checkpointer(const Checkpoint& checkpoint, Gathered nothing, size_t workers, Reporter& reporter);

  /// A worker's work on one batch. What it measured must not be looked at between begin and end.
  class Turn {
   public:
    Turn(Checkpointer& all, size_t worker, Gathered& measured);
    /// Without done() what the worker measured may hold half a batch: no checkpoint takes it any more.
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    void done();

   private:
    Checkpointer& all_;
    size_t worker_;
    bool done_ = false;
  };

  /// What the workers handed over. Call it when none runs.
  [[nodiscard]] const Gathered& gathered() const { return gathered_; }

 private:
  struct Worker {
    Gathered* measured = nullptr;
    bool busy = false, asked = false;
  };
  enum class State { Waiting, Gathering, Writing };

  void begin(size_t worker, Gathered& measured);
  void end(size_t worker, bool whole);
  /// Takes over the parts of idle workers, and asks the others for theirs.
  void gather();
  void take(Worker& worker);
  void write(std::unique_lock<std::mutex>& lock);

  const Checkpoint& checkpoint_;
  const Gathered nothing_;
  Gathered gathered_;
  std::vector<Worker> workers_;
  Reporter& reporter_;
  std::mutex mutex_;
  State state_ = State::Waiting;
  size_t asked_ = 0;  // workers that have not handed over yet
  Stopwatch since_last_;
};

}  // namespace detent
