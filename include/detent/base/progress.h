#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string_view>

#include "detent/base/api.h"

namespace detent {

/// Where long work tells how far it is, and where warnings go. Calls may come from any thread.
class DETENT_API Reporter {
 public:
  virtual ~Reporter() = default;
  /// Starts a task of `total` steps (0 = unknown) and ends the one before.
  virtual void begin(std::string_view task, size_t total) = 0;
  /// `done` steps of the current task are finished.
  virtual void advance_to(size_t done) = 0;
  /// The current task is over.
  virtual void end() = 0;
  /// May be told the same by every pass over the data.
  virtual void warn(std::string_view message) = 0;

  /// Says nothing.
  [[nodiscard]] static Reporter& silent();
};

/// Reports on stderr: a bar with rate and time left on a terminal, one plain line every few seconds elsewhere.
/// quiet: warnings only. A warning is printed once.
[[nodiscard]] DETENT_API std::unique_ptr<Reporter> make_terminal_reporter(bool quiet);

/// Set by Ctrl-C; all long work of the process looks at it and ends with ErrorCode::Interrupted. RunSettings::stop ends
/// one call.
[[nodiscard]] DETENT_API std::atomic<bool>& interrupted();

}  // namespace detent
