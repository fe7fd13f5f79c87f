#include "detent/base/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "core/process/progress_line.h"
#include "core/running_steps.h"
#include "core/shown_text.h"

namespace detent {

namespace {

using Clock = std::chrono::steady_clock;

class SilentReporter final : public Reporter {
 public:
  void begin(std::string_view, size_t) override {}
  void advance_to(size_t) override {}
  void end() override {}
  void warn(std::string_view) override {}
};

class TerminalReporter final : public Reporter {
 public:
  explicit TerminalReporter(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {
    watch_steps();
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  }

  void step(size_t number, size_t count, std::string_view name) override {
    const std::scoped_lock lock(mutex_);
    step_ = fmt::format("step {}/{}, {}: ", number, count, name);
  }

  void begin(std::string_view task, size_t total) override {
    const std::scoped_lock lock(mutex_);
    clear_bar();
    task_ = task;
    total_ = total;
    done_ = 0;
    started_ = last_shown_ = Clock::now();
  }

  void advance_to(size_t done) override {
    const std::scoped_lock lock(mutex_);
    done_ = done;
    const auto now = Clock::now();
    const auto interval = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(30000);
    if (quiet_ || task_.empty() || now - last_shown_ < interval) return;
    last_shown_ = now;
    show(progress_line(now));
  }

  void end() override {
    const std::scoped_lock lock(mutex_);
    clear_bar();
    task_.clear();
  }

  void warn(std::string_view message) override {
    const std::scoped_lock lock(mutex_);
    if (!said_.insert(std::string(message)).second) return;  // each pass over the data meets the same file again
    clear_bar();
    std::fprintf(stderr, "detent: %s %s\n",
                 terminal_ && !std::getenv("NO_COLOR") ? "\033[33mwarning:\033[0m" : "warning:",
                 shown_text(message, Lines::Lists).c_str());
  }

 private:
  /// Watches the running steps until it is stopped.
  void watch(const std::stop_token& stop) {
    constexpr auto kInterval = std::chrono::milliseconds(500);
    std::unique_lock lock(watcher_mutex_);
    while (!watcher_wakes_.wait_for(lock, stop, kInterval, [] { return false; }) && !stop.stop_requested()) {
      const std::vector<RunningStep> steps = running_steps();
      for (const RunningStep& step : steps)
        if (const std::string text = absurd_work_text(step); !text.empty()) warn(text);
      constexpr double kSlow = 3;
      if (const RunningStep* slow = slowest_step(steps, kSlow)) tell_slow(*slow);
    }
  }

  /// Shows a slow step: continuously on a terminal, elsewhere when its time has doubled.
  void tell_slow(const RunningStep& step) {
    const std::scoped_lock lock(mutex_);
    if (quiet_) return;
    if (slow_node_ != step.node) told_at_ = 0;
    slow_node_ = step.node;
    if (!terminal_ && step.seconds < 2 * told_at_) return;
    told_at_ = step.seconds;
    const std::string text = shown_text(slow_step_text(step), Lines::Escape);
    show(task_.empty() ? text : counted_task() + ": " + text);
  }

  /// Returns "calibrating 3/8".
  [[nodiscard]] std::string counted_task() const {
    return step_ + shown_text(task_, Lines::Escape) + " " + std::to_string(done_) +
           (total_ > 0 ? "/" + std::to_string(total_) : "");
  }

  void show(const std::string& line) {
    // A line that wraps would leave its first rows: only the last one is cleared.
    if (terminal_)
      std::fprintf(stderr, "\r\033[K%s", cut_to_columns(line, terminal_columns(STDERR_FILENO)).c_str());
    else
      std::fprintf(stderr, "%s\n", line.c_str());
    bar_shown_ = terminal_;
  }

  [[nodiscard]] std::string progress_line(Clock::time_point now) const {
    const double seconds = std::chrono::duration<double>(now - started_).count();
    const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
    std::string speed = fmt::format("  {:.1f}/s", rate);
    if (const auto left = seconds_left(seconds, done_, total_))
      speed += fmt::format(", {:.0f} s left", std::ceil(*left));
    if (!step_.empty()) speed += fmt::format(", {:.0f} s used", std::chrono::duration<double>(now - made_).count());
    const std::string task = counted_task();
    const std::string bar = total_ > 0 && terminal_ ? " " + this->bar() : std::string();
    const bool fits = task.size() + bar.size() + speed.size() <= terminal_columns(STDERR_FILENO);
    return task + (fits ? bar : "") + speed;
  }

  [[nodiscard]] std::string bar() const {
    constexpr size_t kWidth = 24;
    const size_t filled = total_ ? kWidth * std::min(done_, total_) / total_ : 0;
    return "[" + std::string(filled, '=') + std::string(kWidth - filled, ' ') + "]";
  }

  void clear_bar() {
    if (bar_shown_) std::fprintf(stderr, "\r\033[K");
    bar_shown_ = false;
  }

  std::mutex mutex_;
  bool quiet_, terminal_, bar_shown_ = false;
  std::set<std::string, std::less<>> said_;
  std::string step_, task_;
  size_t total_ = 0, done_ = 0;
  const Clock::time_point made_ = Clock::now();
  Clock::time_point started_, last_shown_;
  std::string slow_node_;
  double told_at_ = 0;
  std::mutex watcher_mutex_;
  std::condition_variable_any watcher_wakes_;
  std::jthread watcher_;  // last member: it ends before the others are destroyed
};

}  // namespace

void Reporter::step(size_t, size_t, std::string_view) {}

Reporter& Reporter::silent() {
  static SilentReporter reporter;
  return reporter;
}

std::unique_ptr<Reporter> make_terminal_reporter(bool quiet) { return std::make_unique<TerminalReporter>(quiet); }

std::atomic<bool>& interrupted() {
  static std::atomic<bool> flag{false};
  return flag;
}

}  // namespace detent
