#include "core/files/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

/// True for a process that ended and whose exit code was not read yet.
bool is_zombie(pid_t process) {
  const std::string stat = TemporaryFolder::read("/proc/" + std::to_string(process) + "/stat");
  const size_t name_ends = stat.rfind(')');
  return name_ends == std::string::npos || stat.compare(name_ends, 3, ") Z") == 0;
}

TEST(RunCommand, ReturnsWhatWasPrintedAndTheExitCode) {
  const CommandResult result = run_command("echo out; echo err >&2; exit 3; :", {});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
}

TEST(RunCommand, PassesEachArgumentAsOneWord) {
  const CommandResult result = run_command("printf '<%s>' first", {"a b", "$HOME;'", ""});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "<first><a b><$HOME;'><>");
}

TEST(RunCommand, GivesItNoInput) { EXPECT_EQ(run_command("cat; echo done; :", {}).out, "done\n"); }

TEST(RunCommand, SaysWhichSignalEndedIt) {
  EXPECT_EQ(run_command("kill -9 $$; :", {}).exit_code, 128 + 9);
  EXPECT_EQ(run_command("there_is_no_such_command", {}).exit_code, 127);
}

TEST(RunCommand, ContinuesACommandThatStops) {
  EXPECT_EQ(run_command("kill -STOP $$; echo on; :", {}).out, "on\n");
  EXPECT_EQ(run_command("sh -c 'kill -STOP $$; echo on'; :", {}).out, "on\n");
}

TEST(RunCommand, EndsACommandThatStopsAgainAndAgain) {
  const Error error =
      error_of<Error>([&] { static_cast<void>(run_command("while :; do kill -STOP $$; done; :", {})); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
  EXPECT_NE(std::string(error.what()).find("stops itself"), std::string::npos);
}

TEST(RunCommand, EndsItAndWhatItStartedWhenInterrupted) {
  const TemporaryFolder folder;
  const auto started = folder / "started";
  std::thread later([&] {
    while (!std::filesystem::exists(started)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    interrupted() = true;
  });
  const Error error = error_of<Error>([&] {
    static_cast<void>(run_command("start() { sleep 60 & echo $! > \"$1.new\"; mv \"$1.new\" \"$1\"; wait; }; start",
                                  {started.string()}));
  });
  later.join();
  interrupted() = false;
  EXPECT_EQ(error.code(), ErrorCode::Interrupted);
  const pid_t sleeper = static_cast<pid_t>(std::stol(TemporaryFolder::read(started)));
  // The signal was sent before the error was thrown; the process may need a moment to end.
  for (int i = 0; i < 6000 && ::kill(sleeper, 0) == 0 && !is_zombie(sleeper); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(::kill(sleeper, 0) != 0 || is_zombie(sleeper));
}

TEST(RunCommand, KeepsTheEndsOfALongOutput) {
  const CommandResult result =
      run_command("echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last; echo 5 >&2");
  EXPECT_LT(result.out.size(), 5 * kOutputPart);
  EXPECT_TRUE(result.out.starts_with("first\nx"));
  EXPECT_TRUE(result.out.ends_with("x\nlast\n"));
  EXPECT_EQ(result.err, "5\n");
}

TEST(RunCommand, EndsWhatTheCommandLeavesRunning) {
  const CommandResult result =
      run_command("sleep 60 >/dev/null & echo $!; sh -c 'trap \"\" TERM; sleep 60 & wait' & :");
  const pid_t sleeper = static_cast<pid_t>(std::stol(result.out));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(::kill(sleeper, 0) != 0 || is_zombie(sleeper));
}

TEST(RunCommand, OutputWithoutEndEndsWithTheLimit) {
  const CommandResult result = run_command("yes", {}, .3);
  EXPECT_TRUE(result.timed_out);
  EXPECT_LT(result.out.size(), 5 * kOutputPart);
}

}  // namespace
}  // namespace detent
