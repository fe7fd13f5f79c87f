#include "core/files/unfinished.h"

#include <signal.h>
#include <unistd.h>

#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace detent {

namespace {

namespace fs = std::filesystem;

struct Unfinished {
  std::mutex mutex;
  std::set<fs::path> paths;
  std::set<pid_t> commands;
  std::vector<std::pair<const WorkToFinish*, std::string>> work;  ///< with its plan, the last one to begin last
};

/// Never destroyed: the thread that ends the process may run while static objects are destroyed.
Unfinished& unfinished() {
  static auto* all = new Unfinished;
  return *all;
}

}  // namespace

int make_unfinished(const fs::path& path, const std::function<int()>& make) {
  const std::scoped_lock lock(unfinished().mutex);  // over both, so that nothing is made after end_at_once()
  unfinished().paths.insert(path);
  return make();
}

void forget_unfinished(const fs::path& path) {
  const std::scoped_lock lock(unfinished().mutex);
  unfinished().paths.erase(path);
}

void remember_command(pid_t group) {
  const std::scoped_lock lock(unfinished().mutex);
  unfinished().commands.insert(group);
}

void forget_command(pid_t group) {
  const std::scoped_lock lock(unfinished().mutex);
  unfinished().commands.erase(group);
}

WorkToFinish::WorkToFinish(std::string plan) {
  const std::scoped_lock lock(unfinished().mutex);
  unfinished().work.emplace_back(this, std::move(plan));
}

WorkToFinish::~WorkToFinish() {
  const std::scoped_lock lock(unfinished().mutex);
  std::erase_if(unfinished().work, [this](const auto& one) { return one.first == this; });
}

void WorkToFinish::plan(std::string text) {
  const std::scoped_lock lock(unfinished().mutex);
  for (auto& [work, plan] : unfinished().work)
    if (work == this) plan = std::move(text);
}

std::optional<std::string> plan_of_work_to_finish() {
  const std::scoped_lock lock(unfinished().mutex);
  if (unfinished().work.empty()) return std::nullopt;
  return unfinished().work.back().second;
}

void finish_together(const std::function<void()>& work) {
  const std::scoped_lock lock(unfinished().mutex);
  work();
}

void end_at_once(int exit_code) {
  unfinished().mutex.lock();
  for (const pid_t group : unfinished().commands) ::kill(-group, SIGKILL);
  // Other threads may still write into a folder: their files are removed with the next try.
  constexpr int kTries = 3;
  std::error_code ignored;
  for (const fs::path& path : unfinished().paths)
    for (int i = 0; i < kTries && fs::exists(fs::symlink_status(path, ignored)); ++i) fs::remove_all(path, ignored);
  ::_exit(exit_code);
}

}  // namespace detent
