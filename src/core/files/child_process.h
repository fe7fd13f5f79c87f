#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace detent {

/// Exit code and output of a command.
struct CommandResult {
  int exit_code = 0;       ///< 128 + number when a signal ended it, as in shells
  bool timed_out = false;  ///< it was ended because of the limit
  std::string out, err;    ///< of a long output the first and the last 64 KiB at least, with a line feed between them
};

inline constexpr size_t kOutputPart = size_t{1} << 16;

/// Runs `command` in /bin/sh with `arguments`, each as one word, and waits for its end. Its standard input is empty. A
/// command that stops (SIGSTOP) is continued within a second. Processes that it leaves running are ended, unless they
/// made a new session (setsid).
/// limit    seconds after which it is ended with all processes that it started
/// Errors  Interrupted when the caller or Ctrl-C stops the work: the command and its children are ended first;
/// InvalidOption when it stops more than ten times; CannotWrite when it cannot be started.
[[nodiscard]] CommandResult run_command(const std::string& command, const std::vector<std::string>& arguments = {},
                                        double limit = std::numeric_limits<double>::infinity());

}  // namespace detent
