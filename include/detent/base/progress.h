#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string_view>

#include "detent/base/api.h"

namespace detent {

/// Receiver of progress and warnings. Calls may come from any thread.
class DETENT_API Reporter {
 public:
  virtual ~Reporter() = default;
  /// Says that the work is at step `number` of `count`, from 1; tasks below belong to it.
  virtual void step(size_t number, size_t count, std::string_view name);
  /// Starts a task of `total` steps (0: unknown) and ends the previous one.
  virtual void begin(std::string_view task, size_t total) = 0;
  /// Reports that `done` steps of the current task are finished.
  virtual void advance_to(size_t done) = 0;
  /// Ends the current task.
  virtual void end() = 0;
  /// Reports a warning. Every pass over the data may repeat it.
  virtual void warn(std::string_view message) = 0;

  /// Returns a reporter that prints nothing.
  [[nodiscard]] static Reporter& silent();
};

/// Makes a reporter for stderr: a bar with rate and remaining time on a terminal, elsewhere one line every few seconds.
/// Each warning is printed once. With `quiet` only warnings are printed.
[[nodiscard]] DETENT_API std::unique_ptr<Reporter> make_terminal_reporter(bool quiet);

/// Makes a reporter for programs: a JSON object a line on stderr, each whole, with "event": "step" (step, steps, name),
/// "task" (task, total), "progress" (task, done, total, seconds, and left where it is known; at most one a second),
/// "warning" (text); each has "elapsed", the seconds since it was made.
[[nodiscard]] DETENT_API std::unique_ptr<Reporter> make_json_reporter();

/// Returns the flag that Ctrl-C sets. All long work of the process reads it and ends with ErrorCode::Interrupted;
/// RunSettings::stop ends one call.
[[nodiscard]] DETENT_API std::atomic<bool>& interrupted();

}  // namespace detent
