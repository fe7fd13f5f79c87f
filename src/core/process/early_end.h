#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "core/stop.h"
#include "core/stopwatch.h"
#include "detent/base/error.h"

namespace detent {

/// Work whose unfinished result is of use: a search for a better file, a table that grows with the samples. Between
/// begin() and close() this thread's work also ends with Interrupted when the time is up; who catches that, and asks
/// ends_early(), goes on to a result with what there is. Work in front of that has no result yet, and work behind it
/// only finishes one.
///
/// One object is in force at a time in a thread: another one that is made below it changes nothing.
class EarlyEnd {
 public:
  enum class Reason : uint8_t { None, TimeLimit, Interruption };

  /// seconds  from now to the time limit, also where begin() comes later; 0: no limit
  explicit EarlyEnd(double seconds);
  ~EarlyEnd();
  EarlyEnd(const EarlyEnd&) = delete;
  EarlyEnd& operator=(const EarlyEnd&) = delete;

  /// The one in force in this thread; nullptr: none.
  [[nodiscard]] static EarlyEnd* current();

  /// From here on the time limit ends the work, at once where the time is up.
  void begin();
  /// From here on it does not any more. An early end remains one.
  void close();
  /// From here on an interruption is an early end, too: there is a result to finish.
  void take_interruptions() { takes_interruptions_ = true; }
  /// Why the work ends early; None until ends_early() said so.
  [[nodiscard]] Reason reason() const { return reason_; }

 private:
  friend bool ends_early(const Error& error);
  friend class Unstopped;

  double seconds_;
  Stopwatch since_ = {};
  EarlyEnd* outer_;
  std::stop_token caller_;  // of the work as a whole: nothing is finished for it
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forwards_;
  std::stop_token token_;  // the caller's before begin() and behind close(), unstopped_token() once the work ends early
  std::optional<StopScope> scope_;
  Reason reason_ = Reason::None;
  bool takes_interruptions_ = false;
  std::mutex mutex_;
  std::condition_variable_any wakes_;
  std::jthread clock_;  // last member: it ends before the others are destroyed
};

/// True where `error` is the early end of this thread's work: from then on nothing stops it but, behind a time limit,
/// its caller (RunSettings::stop), so that the result is finished. False for every other error, and for work whose
/// caller wants no result (RunSettings::stop).
[[nodiscard]] bool ends_early(const Error& error);

/// While an object lives, the time limit does not stop this thread's work and the threads that it starts: for a change
/// between whose parts nothing usable exists. An interruption ends the work, unless there is a result to finish
/// (take_interruptions()). The caller's end (RunSettings::stop) always does.
/// A second signal ends the process.
class Unstopped {
 public:
  Unstopped();

 private:
  [[nodiscard]] std::stop_token what_stops() const;

  std::stop_source source_;
  std::stop_token token_;
  StopScope scope_;
};

/// While an object lives, a pass over samples that ends early has the result of the samples that it ran, at least of
/// one batch; where the work is ending early already, of one batch.
class PartOfSamples {
 public:
  PartOfSamples();
  ~PartOfSamples();
  PartOfSamples(const PartOfSamples&) = delete;
  PartOfSamples& operator=(const PartOfSamples&) = delete;
};

/// True below a PartOfSamples of this thread.
[[nodiscard]] bool takes_part_of_samples();

/// Does work to its end: where it ends early, it is done again, and nothing stops it then.
template <class Work>
[[nodiscard]] auto done_all_the_same(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!ends_early(error)) throw;
    return work();
  }
}

/// True once ends_early() was true in this thread: what remains is done in its shortest form.
[[nodiscard]] bool is_ending_early();

/// Returns "time limit" or "interrupted"; "" where the work in force has not ended early.
[[nodiscard]] const char* early_end_text();

}  // namespace detent
