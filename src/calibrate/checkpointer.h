#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "calibrate/sample_tracker.h"
#include "core/stopwatch.h"
#include "detent/base/progress.h"
#include "observe/collector.h"
#include "observe/float_reach.h"
#include "observe/token_reach.h"

namespace detent {

/// The measurements of some samples.
struct Gathered {
  Collector collector;                      ///< whole batches only
  FloatReachObserver reaches;               ///< of the values whose reach is wanted, of the same batches
  TokenReachObserver tokens;                ///< of the same batches
  std::vector<SampleTracker::Added> added;  ///< those samples, with a tracker; in any order

  /// Adds the measurements of other samples, of the same values.
  void merge(const Gathered& other) {
    collector.merge(other.collector);
    reaches.merge(other.reaches);
    tokens.merge(other.tokens);
    added.insert(added.end(), other.added.begin(), other.added.end());
  }
};

/// The saving of a pass's measurements so far, in case the process is killed.
struct Checkpoint {
  double seconds = 0;  ///< between two of them; 0: none
  /// Called by one thread at a time, beside running samples. so_far.added is sorted.
  std::function<void(const Gathered& so_far)> write;
};

/// Gathers the measurements of a pass's workers at intervals and has them written. No worker waits for another's
/// sample: a busy one hands its part over when its sample is done, and the last one writes. A kill loses the work of
/// one interval and the running samples. A checkpoint that cannot be written causes a warning, and the pass continues.
class Checkpointer {
 public:
  /// nothing  the measurements of a worker before its first sample.
  Checkpointer(const Checkpoint& checkpoint, Gathered nothing, size_t workers, Reporter& reporter);

  /// A worker's work on one batch. Its measurements must not be read between begin and end.
  class Turn {
   public:
    Turn(Checkpointer& all, size_t worker, Gathered& measured);
    /// Without done() the worker's measurements may hold half a batch, and no checkpoint takes them any more.
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    void done();

   private:
    Checkpointer& all_;
    size_t worker_;
    bool done_ = false;
  };

  /// The measurements that workers handed over. Call it when none runs.
  [[nodiscard]] const Gathered& gathered() const { return gathered_; }

 private:
  struct Worker {
    Gathered* measured = nullptr;
    bool busy = false, asked = false;
  };
  enum class State { Waiting, Gathering, Writing };

  void begin(size_t worker, Gathered& measured);
  void end(size_t worker, bool whole);
  /// Takes over the parts of idle workers and asks the others for theirs.
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
