#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace detent {

/// Exit code and output of a command.
struct CommandResult {
  int exit_code = 0;       ///< 128 + number when a signal ended it, as in shells
  bool timed_out = false;  ///< it was ended because of the limit
  std::string out, err;
};

/// Runs `command` in /bin/sh with `arguments`, each as one word, and waits for its end. Its standard input is empty;
/// its output goes through files in `scratch`, a folder. A command that stops (SIGSTOP) is continued within a second.
/// limit    seconds after which it is ended with all processes that it started
/// Errors  Interrupted when the caller or Ctrl-C stops the work: the command and its children are ended first;
/// InvalidOption when it stops more than ten times; CannotWrite when it cannot be started or its files cannot be made.
[[nodiscard]] CommandResult run_command(const std::string& command, const std::vector<std::string>& arguments,
                                        const std::filesystem::path& scratch,
                                        double limit = std::numeric_limits<double>::infinity());

}  // namespace detent
