#include "core/files/child_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/files/unfinished.h"
#include "core/stop.h"
#include "core/system_reason.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using std::chrono::milliseconds;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {
    if (number_ < 0) throw Error(ErrorCode::CannotWrite, path.string() + ": " + with_system_reason("cannot be opened"));
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// Starts /bin/sh. Between fork and exec, only calls that are safe in a process of many threads.
pid_t start(const std::vector<char*>& words, const Descriptor& in, const Descriptor& out, const Descriptor& err) {
  const pid_t child = ::fork();
  if (child < 0) throw Error(ErrorCode::CannotWrite, with_system_reason("no process can be started"));
  if (child > 0) return child;
  ::setpgid(0, 0);  // a separate process group, so that its children end with it
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (::dup2(in.number(), 0) < 0 || ::dup2(out.number(), 1) < 0 || ::dup2(err.number(), 2) < 0) ::_exit(126);
  ::execv(words[0], words.data());
  ::_exit(127);
}

/// Asks the group to end, and kills what is left of it when its first process is gone, or after two seconds.
void end_group(pid_t child) {
  constexpr int kPatience = 100;
  ::kill(-child, SIGTERM);
  bool ended = false;
  for (int i = 0; i < kPatience && !ended; ++i) {
    ended = ::waitpid(child, nullptr, WNOHANG) != 0;
    if (!ended) std::this_thread::sleep_for(milliseconds(20));
  }
  ::kill(-child, SIGKILL);
  if (!ended) ::waitpid(child, nullptr, 0);
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
int wait_for(pid_t child, const std::string& command, double limit, bool& timed_out) {
  constexpr int kStops = 10, kTurnsOfASecond = 100;
  int status = 0, stops = 0;
  const auto begun = std::chrono::steady_clock::now();
  for (int turn = 1;; ++turn) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG | WUNTRACED);
    if (ended == child && WIFSTOPPED(status)) {
      if (++stops > kStops) {
        end_group(child);
        throw Error(ErrorCode::InvalidOption,
                    "'" + command + "' stops itself again and again (signal " + std::to_string(WSTOPSIG(status)) + ")");
      }
      ::kill(-child, SIGCONT);
      continue;
    }
    if (ended == child) return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (turn % kTurnsOfASecond == 0) ::kill(-child, SIGCONT);  // processes that it started
    if (ended < 0 && errno != EINTR) throw Error(ErrorCode::Internal, with_system_reason("a command was lost"));
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() > limit) {
      timed_out = true;
      end_group(child);
      return 128 + SIGTERM;
    }
    if (stop_requested()) {
      end_group(child);
      throw Error(ErrorCode::Interrupted, "interrupted");
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
}

}  // namespace

CommandResult run_command(const std::string& command, const std::vector<std::string>& arguments,
                          const std::filesystem::path& scratch, double limit) {
  std::vector<std::string> text = {"/bin/sh", "-c", command + " \"$@\"", "sh"};
  text.insert(text.end(), arguments.begin(), arguments.end());
  std::vector<char*> words;
  for (std::string& word : text) words.push_back(word.data());
  words.push_back(nullptr);

  const auto out_file = scratch / "stdout";
  const auto err_file = scratch / "stderr";
  CommandResult result;
  {
    const Descriptor in("/dev/null", O_RDONLY);
    const Descriptor out(out_file, O_WRONLY | O_CREAT | O_TRUNC);
    const Descriptor err(err_file, O_WRONLY | O_CREAT | O_TRUNC);
    const Remembered child(start(words, in, out, err));
    result.exit_code = wait_for(child.group(), command, limit, result.timed_out);
  }
  result.out = text_of(out_file);
  result.err = text_of(err_file);
  return result;
}

}  // namespace detent
