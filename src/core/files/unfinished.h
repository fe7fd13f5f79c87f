#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>

namespace detent {

// Temporary files and folders, and commands, which must not outlive the process unless it ends by kill -9. All calls
// may come from any thread; paths or processes that are gone do no harm.

/// Remembers `path`, then calls `make` and returns its result.
int make_unfinished(const std::filesystem::path& path, const std::function<int()>& make);
/// Forgets `path`, which has its final name or is gone.
void forget_unfinished(const std::filesystem::path& path);

/// Remembers the process group of a command from its start to its end.
void remember_command(pid_t group);
void forget_command(pid_t group);

/// Ends the commands, removes the remembered paths, and ends the process with `exit_code` at once: nothing is flushed,
/// no destructor runs, other threads stop. No call above returns after it has begun.
[[noreturn]] void end_at_once(int exit_code);

}  // namespace detent
