#include <gmock/gmock.h>

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "detent/base/error.h"
#include "detent/detent.h"
#include "pipeline/small_network.h"

namespace detent {
namespace {

/// Stops the call when a task begins after another one.
class StopsAt : public Reporter {
 public:
  StopsAt(std::string_view task, std::string_view after) : task_(task), after_(after) {}
  void begin(std::string_view task, size_t /*total*/) override {
    if (after_seen_ && task == task_) stop.request_stop();
    after_seen_ |= task == after_;
  }
  void advance_to(size_t /*done*/) override {}
  void end() override {}
  void warn(std::string_view message) override { warnings += message; }

  std::stop_source stop;
  std::string warnings;

 private:
  std::string task_, after_;
  bool after_seen_ = false;
};

/// Runs of `quantize --latency-command` that are interrupted between their search and their written file.
class InterruptedAfterSearch : public SmallNetwork {
 protected:
  /// Returns the options of a search with this command for ONNX Runtime.
  [[nodiscard]] QuantizeOptions search(const std::string& command, StopsAt& reporter) const {
    QuantizeOptions given = options(samples("calib", {1, 2, 3, 4}));
    given.target = "onnxruntime";
    given.latency.command = command;
    given.run.reporter = &reporter;
    given.run.stop = reporter.stop.get_token();
    return given;
  }
  static ErrorCode code_of(const QuantizeOptions& given) {
    try {
      static_cast<void>(quantize_model(given));
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode{0};
  }
};

TEST_F(InterruptedAfterSearch, KeepsTheChosenFileAndSaysSo) {
  StopsAt reporter("measuring the error", "measuring latency");
  // as many ms as the file has bytes: files without pairs are shorter, so the default costs most
  EXPECT_EQ(code_of(search("f() { echo $((1000000 - $(wc -c <\"$1\"))); }; f", reporter)), ErrorCode::Interrupted);
  EXPECT_THAT(reporter.warnings, testing::ContainsRegex("interrupted after [0-9]+ calls of --latency-command: wrote "
                                                        ".*out.onnx, the fastest file so far"));
  EXPECT_GT(read_model(folder_ / "out.onnx").graph().nodes().size(), 7U) << "it has pairs";
}

TEST_F(InterruptedAfterSearch, WithoutAnInterruptionNothingIsKeptBesideTheFile) {
  StopsAt reporter("no such task", "measuring latency");
  EXPECT_EQ(code_of(search("f() { echo 5; }; f", reporter)), ErrorCode{0});
  EXPECT_THAT(reporter.warnings, testing::Not(testing::HasSubstr("interrupted")));
}

}  // namespace
}  // namespace detent
