#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>

namespace detent {

// What must not outlive the process, however it ends but by kill -9: temporary files and folders, commands that were
// started. All calls may come from any thread; a path or process that is not there any more does no harm.

/// Remembers `path`, then calls `make`.
/// Output  what that returned.
int make_unfinished(const std::filesystem::path& path, const std::function<int()>& make);
/// `path` has its final name, or is gone.
void forget_unfinished(const std::filesystem::path& path);

/// The process group of a command, from its start to its end.
void remember_command(pid_t group);
void forget_command(pid_t group);

/// Ends the commands, removes what is remembered, and the process ends with `exit_code` at once: nothing is flushed, no
/// destructor runs, other threads get no further. No call above returns after it has begun.
[[noreturn]] void end_at_once(int exit_code);

}  // namespace detent
