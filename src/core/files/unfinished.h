#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace detent {

// The process's one list of what must be finished when it ends early, unless it ends by kill -9: temporary files and
// folders and commands, which must not outlive it, and work that an interruption waits for. All calls may come from any
// thread; paths or processes that are gone do no harm.

/// Remembers `path`, then calls `make` and returns its result.
int make_unfinished(const std::filesystem::path& path, const std::function<int()>& make);
/// Forgets `path`, which has its final name or is gone.
void forget_unfinished(const std::filesystem::path& path);

/// Remembers the process group of a command from its start to its end.
void remember_command(pid_t group);
void forget_command(pid_t group);

/// Work whose result must not be lost. While an object lives, an interrupted process waits for its end; a second signal
/// ends the process all the same.
class WorkToFinish {
 public:
  /// plan  for the user, as in "interrupted; PLAN": "out.onnx is written, the fastest file so far (default)".
  explicit WorkToFinish(std::string plan);
  ~WorkToFinish();
  WorkToFinish(const WorkToFinish&) = delete;
  WorkToFinish& operator=(const WorkToFinish&) = delete;
  /// Changes the plan.
  void plan(std::string text);
};

/// Returns the plan of the work that began last; nullopt where none is to be finished.
[[nodiscard]] std::optional<std::string> plan_of_work_to_finish();

/// Calls `work`, which takes milliseconds, as one step: end_at_once() waits for its end. `work` must not call functions
/// of this header.
void finish_together(const std::function<void()>& work);

/// Ends the commands, removes the remembered paths, and ends the process with `exit_code` at once: nothing is flushed,
/// no destructor runs, other threads stop. No call above returns after it has begun.
[[noreturn]] void end_at_once(int exit_code);

}  // namespace detent
