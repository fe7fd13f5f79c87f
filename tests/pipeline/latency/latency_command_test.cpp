#include "pipeline/latency/latency_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "model/temporary_folder.h"
#include "pipeline/latency/ready_commands.h"

namespace detent {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Commands that are scripts of /bin/sh. They get the path of the model in "$1".
class LatencyCommandTest : public ::testing::Test {
 protected:
  LatencyAnswer ask(const std::string& script, double timeout = 600) {
    folder_.write("command.sh", script);
    LatencyOptions options;
    options.command = "sh " + (folder_ / "command.sh").string();
    options.timeout_seconds = timeout;
    command_ = std::make_unique<LatencyCommand>(options, scratch_);
    return command_->ask(folder_ / "model.onnx");
  }
  std::string error_of(const std::string& script) {
    try {
      static_cast<void>(ask(script));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
      return error.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
  LatencyFolder scratch_;
  std::unique_ptr<LatencyCommand> command_;
};

TEST_F(LatencyCommandTest, AnswersWithTheNumberOfTheLastLine) {
  EXPECT_EQ(ask("echo 1.25").ms, 1.25);
  EXPECT_EQ(ask("echo loading; echo 7; echo '  2e-3  '; echo; echo").ms, 0.002);
  EXPECT_EQ(ask("echo error >&2; printf 3").ms, 3);
  EXPECT_EQ(command_->calls(), 1U);
}

TEST_F(LatencyCommandTest, GetsTheAbsolutePathAsItsLastArgument) {
  EXPECT_EQ(ask("[ \"$1\" = '" + fs::absolute(folder_ / "model.onnx").string() + "' ] && [ $# -eq 1 ] && echo 1").ms,
            1);
}

TEST_F(LatencyCommandTest, AReadyOneSaysThatItsOptionsAreWrong) {
  LatencyOptions options;
  options.command = "onnxruntime --no-such-option 3";
  LatencyCommand ready(options, scratch_);
  const Error error = detent::error_of<Error>([&] { static_cast<void>(ready.ask(folder_ / "model.onnx")); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
  EXPECT_THAT(error.what(), HasSubstr("--no-such-option"));
  EXPECT_EQ(ask("echo no >&2; exit 2").refusal, "no") << "of any other command it is a refusal";
}

TEST_F(LatencyCommandTest, IsWrongWhereItPrintsNoTime) {
  for (const char* script : {"true", "echo nan", "echo inf", "echo 0", "echo -1", "echo 5 ms", "echo 5,0", "echo 1e999",
                             "echo 5; echo ready", "echo 5 >&2"})
    EXPECT_THAT(error_of(script), HasSubstr("not milliseconds")) << script;
}

TEST_F(LatencyCommandTest, RefusesAFileByItsExitStatus) {
  const LatencyAnswer answer = ask("echo 5; echo first >&2; echo ' no kernel  ' >&2; exit 3");
  EXPECT_FALSE(answer.ms) << "whatever it prints";
  EXPECT_EQ(answer.refusal, "no kernel");
  EXPECT_EQ(ask("exit 3").refusal, "exit status 3");
}

TEST_F(LatencyCommandTest, IsWrongWhereItCannotBeRun) {
  EXPECT_THAT(error_of("exit 127"), HasSubstr("cannot be run"));
  EXPECT_THAT(error_of("exit 126"), HasSubstr("cannot be run"));
  EXPECT_EQ(error_of("exit 125"), "accepted") << "a refusal";
}

TEST_F(LatencyCommandTest, IsEndedAtTheLimit) {
  const LatencyAnswer answer = ask("echo 5; sleep 1000", 0.05);
  EXPECT_FALSE(answer.ms);
  EXPECT_EQ(answer.refusal, "took longer than 0.05 s");
  EXPECT_LT(answer.seconds, 60) << "long before the command would end";
}

TEST_F(LatencyCommandTest, MayNameItsMachine) {
  static_cast<void>(
      ask(R"(echo '{"engine": "e", "version": "1", "device": "d", "threads": "2", "batch": "8"}'; echo 5)"));
  EXPECT_EQ(command_->machine(), (LatencyMachine{"e", "1", "d", "2", "8"}));
  static_cast<void>(ask(R"(echo loading; echo ' {"device": "d", "clock": [1]}'; echo more; echo 5)"));
  EXPECT_EQ(command_->machine(), (LatencyMachine{"", "", "d", "", ""})) << "members may be missing";
}

TEST_F(LatencyCommandTest, IsItsOwnEngineWhereItNamesNone) {
  for (const char* script : {"echo 5", "echo '{not JSON}'; echo 5", "echo '{\"engine\": 3}'; echo 5",
                             "echo '{\"engine\": \"e\"}' >&2; echo 5"}) {
    static_cast<void>(ask(script));
    EXPECT_EQ(command_->machine().engine, "sh " + (folder_ / "command.sh").string()) << script;
    EXPECT_NE(command_->machine().device, "") << "the CPU";
  }
}

TEST_F(LatencyCommandTest, IsAReadyOneByItsFirstWord) {
  LatencyOptions options;
  options.command = "onnxruntime --threads 2";
  const LatencyCommand ready(options, scratch_);
  EXPECT_EQ(ready.machine().engine, "onnxruntime");
  const fs::path script = scratch_.path() / "ready" / "onnxruntime";
  EXPECT_NE(fs::status(script).permissions() & fs::perms::owner_exec, fs::perms::none);
  options.command = "onnxruntimes --threads 2";
  LatencyCommand unknown(options, scratch_);
  EXPECT_THROW(static_cast<void>(unknown.ask(folder_ / "model.onnx")), Error);
}

TEST(ReadyCommands, AreInTheOrderOfTheirNames) {
  std::vector<std::string> names;
  for (const ReadyCommand& command : ready_commands()) {
    names.emplace_back(command.name);
    EXPECT_THAT(std::string(command.text), testing::StartsWith("#!")) << command.name;
    EXPECT_THAT(std::string(command.text), AllOf(HasSubstr("\ndef shapes_of("), Not(HasSubstr("timing import"))))
        << command.name << " is one file";
  }
  EXPECT_THAT(names, ElementsAre("onnxruntime", "openvino", "qnn", "rknn", "trtexec", "web"));
}

TEST(LatencyFolderTest, IsGoneWithTheObject) {
  fs::path path;
  {
    const LatencyFolder folder;
    path = folder.path();
    EXPECT_TRUE(fs::is_directory(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace detent
