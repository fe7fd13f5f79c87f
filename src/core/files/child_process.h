#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace detent {

struct CommandResult {
  int exit_code = 0;  ///< 128 + number when a signal ended it, as shells say
  std::string out, err;
};

/// Runs `command` in /bin/sh with `arguments` behind it, each as one word whatever it holds, and waits for its end. Its
/// standard input is empty; what it prints goes through files in `scratch`, a folder.
/// Errors  Interrupted when the caller or Ctrl-C ends its work while it runs: the command and what it started are ended
/// first;
///         CannotWrite when it cannot be started or its files cannot be made.
[[nodiscard]] CommandResult run_command(const std::string& command, const std::vector<std::string>& arguments,
                                        const std::filesystem::path& scratch);

}  // namespace detent
