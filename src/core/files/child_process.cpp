#include "core/files/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <thread>
#include <utility>

#include "core/files/unfinished.h"
#include "core/index.h"
#include "core/stop.h"
#include "core/system_reason.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using std::chrono::milliseconds;

/// The beginning and the end of an output; the middle of a long one is left out.
class BoundedText {
 public:
  void add(std::string_view text) {
    const std::string_view first = text.substr(0, kOutputPart - head_.size());
    head_ += first;
    tail_ += text.substr(first.size());
    if (tail_.size() > 2 * kOutputPart) tail_.erase(0, tail_.size() - kOutputPart), cut_ = true;
  }
  [[nodiscard]] std::string text() const { return head_ + (cut_ ? "\n" : "") + tail_; }

 private:
  std::string head_, tail_;
  bool cut_ = false;
};

/// The reading end of a pipe for the output of a command.
class Output {
 public:
  Output() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorCode::CannotWrite, with_system_reason("no pipe can be made"));
    read_ = ends[0], write_ = ends[1];
    ::fcntl(read_, F_SETFL, O_NONBLOCK);
  }
  ~Output() {
    close_writer();
    ::close(read_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  [[nodiscard]] int writer() const { return write_; }
  void close_writer() {
    if (write_ >= 0) ::close(std::exchange(write_, -1));
  }
  [[nodiscard]] pollfd waiting() const { return {ended_ ? -1 : read_, POLLIN, 0}; }
  /// Takes what the pipe holds. A writer that goes on makes no difference: at most what a pipe may hold is taken.
  void take() {
    constexpr size_t kBuffer = size_t{1} << 16, kMostInPipe = size_t{1} << 20;
    char buffer[kBuffer];
    for (size_t taken = 0; !ended_ && taken < kMostInPipe;) {
      const ssize_t got = ::read(read_, buffer, kBuffer);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return;  // nothing for now
      ended_ = got == 0;
      text_.add({buffer, as_index(got)});
      taken += as_index(got);
    }
  }
  [[nodiscard]] std::string text() const { return text_.text(); }

 private:
  int read_ = -1, write_ = -1;
  bool ended_ = false;
  BoundedText text_;
};

/// Starts /bin/sh. Between fork and exec, only calls that are safe in a process of many threads.
pid_t start(const std::vector<char*>& words, int out, int err) {
  const pid_t child = ::fork();
  if (child < 0) throw Error(ErrorCode::CannotWrite, with_system_reason("no process can be started"));
  if (child > 0) {
    ::setpgid(child, child);  // both do it, so that neither is too late
    return child;
  }
  ::setpgid(0, 0);  // a separate process group, so that its children end with it
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  const int in = ::open("/dev/null", O_RDONLY);
  if (in < 0 || ::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) ::_exit(126);
  if (in > 2) ::close(in);
  ::execv(words[0], words.data());
  ::_exit(127);
}

/// Takes output until some comes, at most for 10 ms.
void take_output(std::array<Output*, 2> outputs) {
  constexpr int kMilliseconds = 10;
  pollfd waiting[] = {outputs[0]->waiting(), outputs[1]->waiting()};
  if (::poll(waiting, 2, kMilliseconds) <= 0) return;
  for (Output* output : outputs) output->take();
}

/// Waits so long for the end of a condition.
template <class Condition>
bool holds_for(milliseconds time, const Condition& holds) {
  const auto begun = std::chrono::steady_clock::now();
  while (holds()) {
    if (std::chrono::steady_clock::now() - begun > time) return true;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return false;
}

/// Ends the processes of the group that outlive its first one: asks them, and kills them after a quarter of a second.
/// They would go on beside the next call.
void end_rest(pid_t group) {
  constexpr milliseconds kPatience(250);
  const auto lives = [group] { return ::kill(-group, 0) == 0; };
  if (!lives()) return;
  ::kill(-group, SIGTERM);
  ::kill(-group, SIGCONT);
  if (!holds_for(kPatience, lives)) return;
  ::kill(-group, SIGKILL);
  static_cast<void>(holds_for(kPatience, lives));  // a process without a waiting parent stays in the group
}

/// Asks the group to end, and kills what is left of it after two seconds. Its output is read meanwhile, so that it does
/// not wait for a reader.
void end_group(pid_t child, std::array<Output*, 2> outputs) {
  constexpr milliseconds kPatience(2000);
  ::kill(-child, SIGTERM);
  ::kill(-child, SIGCONT);
  bool stays = true;  // the first process, which may end before others: a shell before the program that it started
  static_cast<void>(holds_for(kPatience, [&] {
    for (Output* output : outputs) output->take();
    stays = stays && ::waitpid(child, nullptr, WNOHANG) == 0;
    return stays || ::kill(-child, 0) == 0;
  }));
  ::kill(-child, SIGKILL);
  if (stays) ::waitpid(child, nullptr, 0);
}

/// Ends the command with the process, while this object lives.
class Remembered {
 public:
  explicit Remembered(pid_t group) : group_(group) { remember_command(group); }
  ~Remembered() { forget_command(group_); }
  Remembered(const Remembered&) = delete;
  Remembered& operator=(const Remembered&) = delete;
  [[nodiscard]] pid_t group() const { return group_; }

 private:
  pid_t group_;
};

/// Waits for the end of the group's first process. A process that stops goes on within a second: nothing else would
/// continue it, since no terminal belongs to the group.
/// limit      seconds, after which the group is ended
/// Errors  InvalidOption for one that stops again and again.
int wait_for(pid_t child, const std::string& command, double limit, bool& timed_out, std::array<Output*, 2> outputs) {
  constexpr int kStops = 10;
  int status = 0, stops = 0;
  const auto begun = std::chrono::steady_clock::now();
  auto continued = begun;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG | WUNTRACED);
    if (ended == child && WIFSTOPPED(status)) {
      if (++stops > kStops) {
        end_group(child, outputs);
        throw Error(ErrorCode::InvalidOption,
                    "'" + command + "' stops itself again and again (signal " + std::to_string(WSTOPSIG(status)) + ")");
      }
      ::kill(-child, SIGCONT);
      continue;
    }
    if (ended == child) return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    const auto now = std::chrono::steady_clock::now();
    if (now - continued > std::chrono::seconds(1)) {
      ::kill(-child, SIGCONT);  // processes that it started
      continued = now;
    }
    if (ended < 0 && errno != EINTR) throw Error(ErrorCode::Internal, with_system_reason("a command was lost"));
    if (std::chrono::duration<double>(now - begun).count() > limit) {
      timed_out = true;
      end_group(child, outputs);
      return 128 + SIGTERM;
    }
    if (stop_requested()) {
      end_group(child, outputs);
      throw Error(ErrorCode::Interrupted, "interrupted");
    }
    take_output(outputs);
  }
}

}  // namespace

CommandResult run_command(const std::string& command, const std::vector<std::string>& arguments, double limit) {
  std::vector<std::string> text = {"/bin/sh", "-c", command + " \"$@\"", "sh"};
  text.insert(text.end(), arguments.begin(), arguments.end());
  std::vector<char*> words;
  for (std::string& word : text) words.push_back(word.data());
  words.push_back(nullptr);

  CommandResult result;
  Output out, err;
  const std::array<Output*, 2> outputs{&out, &err};
  const Remembered child(start(words, out.writer(), err.writer()));
  for (Output* output : outputs) output->close_writer();
  result.exit_code = wait_for(child.group(), command, limit, result.timed_out, outputs);
  end_rest(child.group());
  for (Output* output : outputs) output->take();
  result.out = out.text();
  result.err = err.text();
  return result;
}

}  // namespace detent
