#include "cli/program.h"

#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>
#include <string_view>
#include <thread>

#include "core/files/mapped_file.h"
#include "core/files/unfinished.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"

namespace detent::cli {

namespace {

sem_t signals;  // posted for every signal; sem_post is allowed in a handler
std::atomic<bool> file_changed{false};
std::atomic<bool> told{false};

extern "C" void on_interrupt(int) {
  const int before = errno;
  interrupted() = true;
  sem_post(&signals);
  errno = before;
}

/// Handles SIGBUS of a mapped file that became shorter or whose disk failed. Every other SIGBUS (of another process, or
/// a fault elsewhere) takes the default action.
extern "C" void on_missing_bytes(int signal, siginfo_t* info, void*) {
  if ((info->si_code != BUS_ADRERR && info->si_code != BUS_OBJERR) || !MappedFile::maps(info->si_addr)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // delivered when this handler returns
    return;
  }
  file_changed = true;
  sem_post(&signals);
  for (;;) ::pause();  // the watch ends the process
}

/// Waits for a signal for so many seconds, 0: without limit. Returns false when none came.
bool signal_comes(double seconds) {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  constexpr long kNanoseconds = 1'000'000'000;
  const long rest = until.tv_nsec + static_cast<long>(seconds * kNanoseconds);
  until.tv_sec += rest / kNanoseconds;
  until.tv_nsec = rest % kNanoseconds;
  while ((seconds > 0 ? sem_timedwait(&signals, &until) : sem_wait(&signals)) != 0)
    if (errno != EINTR) return false;
  return true;
}

/// Most work ends within milliseconds; the rest of the second is for removing files.
constexpr double kGrace = 0.4;  // seconds

/// Writes to stderr without stdio, since a stopped thread may hold its locks.
void say(std::string_view line) {
  if (isatty(STDERR_FILENO) != 0) [[maybe_unused]]
    const auto cleared = ::write(STDERR_FILENO, "\r\033[K", 4);
  [[maybe_unused]] const auto said = ::write(STDERR_FILENO, line.data(), line.size());
}

[[noreturn]] void end_for_changed_file() {
  say("detent: the model's file, or the data file beside it, became shorter while it was read (or its disk failed)\n");
  end_at_once(static_cast<int>(ErrorCode::InvalidModel));
}

/// Waits until the work that must be finished has ended and the process had time to end by itself, or a signal comes.
void wait_for_work() {
  constexpr double kLook = 0.05;
  std::string told_plan;
  while (const auto plan = plan_of_work_to_finish()) {
    if (*plan != told_plan) say("detent: interrupted; " + *plan + " (again: end at once)\n");
    told_plan = *plan;
    if (signal_comes(kLook)) return;
  }
  if (!told_plan.empty()) signal_comes(kGrace);
}

void watch() {
  constexpr double kTwin = 0.05;
  if (!signal_comes(0)) return;
  if (file_changed) end_for_changed_file();
  while (signal_comes(kTwin)) continue;  // coreutils' timeout signals the process and its group: one interruption
  if (!signal_comes(kGrace)) wait_for_work();
  if (file_changed) end_for_changed_file();
  if (!told.exchange(true)) say("detent: interrupted\n");
  end_at_once(static_cast<int>(ErrorCode::Interrupted));
}

/// Ignores SIGXFSZ, since the failed write reports the limit. Started commands inherit SIG_IGN but not a handler.
extern "C" void on_file_limit(int) {}

}  // namespace

void watch_signals() {
  sem_init(&signals, 0, 0);
  (void)interrupted();  // made before a handler needs it
  std::thread(watch).detach();
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, on_interrupt);
  if (std::signal(SIGHUP, on_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
  std::signal(SIGXFSZ, on_file_limit);
  struct sigaction missing {};
  missing.sa_sigaction = on_missing_bytes;
  missing.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &missing, nullptr);
}

void claim_interruption() {
  while (told.exchange(true)) ::pause();
}

}  // namespace detent::cli
