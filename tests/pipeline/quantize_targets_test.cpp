// Several targets from one calibration: the files of single runs, one pass, all options checked before any work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stop_token>

#include "detent/base/error.h"
#include "pipeline/small_network.h"
#include "place/engines/target.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Targets = std::vector<std::string>;
namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Counts the calibration passes, and stops the work when a task begins for the n-th time.
class TaskCounter final : public Reporter {
 public:
  void begin(std::string_view task, size_t) override {
    if (task == "calibrating") ++passes;
    if (task == stop_at && ++seen == stop_time) stop.request_stop();
  }
  void advance_to(size_t) override {}
  void end() override {}
  void warn(std::string_view) override {}
  size_t passes = 0, seen = 0, stop_time = 0;
  std::string stop_at;
  std::stop_source stop;
};

class QuantizeTargets : public SmallNetwork {
 protected:
  [[nodiscard]] QuantizeOptions given(Targets targets) const {
    QuantizeOptions given = options(samples("data", {1, 2, 3, 4, 5, 6, 7, 8}));
    given.targets = std::move(targets);
    return given;
  }
  /// Returns the options of one target alone.
  [[nodiscard]] QuantizeOptions alone(const QuantizeOptions& all, const std::string& target) const {
    QuantizeOptions one = all;
    one.targets.clear(), one.target = target, one.output = folder_ / "alone.onnx";
    return one;
  }
  [[nodiscard]] bool exists(const std::string& name) const { return fs::exists(folder_ / name); }
  static Error refusal(const QuantizeOptions& options) {
    return error_of<Error>([&] { static_cast<void>(quantize_targets(options)); });
  }
};

TEST_F(QuantizeTargets, WritesForEveryTargetTheBytesOfARunForItAlone) {
  Targets every;
  for (const Target& target : target_list()) every.push_back(target.spec());
  for (const char* equalize : {"", "relu"}) {
    QuantizeOptions all = given(every);
    all.equalize.equalize = equalize;
    const QuantizeTargetsReport report = quantize_targets(all);
    ASSERT_EQ(report.targets.size(), every.size());
    for (size_t i = 0; i < every.size(); ++i) {
      const QuantizeOptions one = alone(all, every[i]);
      const QuantizeReport single = quantize_model(one);
      const fs::path together = path_of_target(all.output, every[i]);
      EXPECT_EQ(content_of(together), content_of(one.output)) << every[i];
      EXPECT_EQ(report.targets[i].output, together.string());
      EXPECT_EQ(report.targets[i].target, every[i]);
      EXPECT_EQ(report.targets[i].samples, single.samples);
      EXPECT_EQ(report.targets[i].error->sqnr_db, single.error->sqnr_db);
    }
  }
}

TEST_F(QuantizeTargets, ReadsTheSamplesOnceForThePlansOfAll) {
  TaskCounter tasks;
  QuantizeOptions all = given({"tensorrt", "onnxruntime"});
  all.accuracy = Accuracy::Fast;
  all.run.reporter = &tasks;
  static_cast<void>(quantize_targets(all));
  EXPECT_EQ(tasks.passes, 1U);
}

TEST_F(QuantizeTargets, TakesTheRangesOfATable) {
  QuantizeOptions all = given({"tensorrt", "onnxruntime"});
  all.table = table(all.data, "ranges.dct");
  all.data = {};
  static_cast<void>(quantize_targets(all));
  const QuantizeOptions one = alone(all, "onnxruntime");
  static_cast<void>(quantize_model(one));
  EXPECT_EQ(content_of(folder_ / "out.onnxruntime.onnx"), content_of(one.output));
}

TEST_F(QuantizeTargets, PutsTheTargetAsItWasSpelledInFrontOfTheExtension) {
  EXPECT_EQ(path_of_target("a/out.int8.onnx", "tensorrt"), "a/out.int8.tensorrt.onnx");
  EXPECT_EQ(path_of_target("out.onnx", "tensorrt:8.6"), "out.tensorrt-8.6.onnx");
  EXPECT_EQ(path_of_target("page.html", "openvino:gpu"), "page.openvino-gpu.html");
}

TEST_F(QuantizeTargets, RefusesATargetThatIsNamedTwice) {
  EXPECT_THAT(refusal(given({"onnxruntime", "onnxruntime"})).what(), HasSubstr("--target names onnxruntime twice"));
  const Error error = refusal(given({"tensorrt", "tensorrt:10.13"}));
  EXPECT_EQ(error.code(), ErrorCode::Usage);
  EXPECT_THAT(error.what(), HasSubstr("tensorrt and tensorrt:10.13 are the same target"));
  EXPECT_NO_THROW(static_cast<void>(quantize_targets(given({"tensorrt", "tensorrt:8.6"}))));
}

TEST_F(QuantizeTargets, RefusesAnOutputThatIsNoOnnxFile) {
  QuantizeOptions all = given({"tensorrt", "onnxruntime"});
  all.output = folder_ / "out";
  EXPECT_EQ(refusal(all).code(), ErrorCode::Usage);
  EXPECT_FALSE(exists("out.tensorrt"));
}

TEST_F(QuantizeTargets, NamesTheTargetThatRefusesAnOptionBeforeAnyWork) {
  TaskCounter tasks;
  QuantizeOptions all = given({"onnxruntime", "tensorrt"});
  all.run.reporter = &tasks;
  all.format.activation = DataType::Int16;
  EXPECT_THAT(refusal(all).what(), StartsWith("target tensorrt: "));
  EXPECT_EQ(tasks.passes, 0U);
  EXPECT_FALSE(exists("out.onnxruntime.onnx"));
}

TEST_F(QuantizeTargets, RefusesAFileThatExistsBeforeAnyWork) {
  TaskCounter tasks;
  QuantizeOptions all = given({"tensorrt", "onnxruntime"});
  all.run.reporter = &tasks;
  all.overwrite = false;
  std::ofstream(folder_ / "out.onnxruntime.onnx") << "mine";
  EXPECT_EQ(refusal(all).code(), ErrorCode::CannotWrite);
  EXPECT_EQ(tasks.passes, 0U);
  EXPECT_FALSE(exists("out.tensorrt.onnx"));
  EXPECT_EQ(content_of(folder_ / "out.onnxruntime.onnx"), "mine");
}

TEST_F(QuantizeTargets, NeverReplacesTheModel) {
  QuantizeOptions all = given({"tensorrt", "onnxruntime"});
  fs::rename(all.model, folder_ / "model.onnxruntime.onnx");
  all.model = folder_ / "model.onnxruntime.onnx";
  all.output = folder_ / "model.onnx";
  EXPECT_EQ(refusal(all).code(), ErrorCode::CannotWrite);
}

TEST_F(QuantizeTargets, RefusesToStopAfterAStage) {
  QuantizeOptions all = given({"tensorrt", "onnxruntime"});
  all.stop_after = StopAfter::Plan;
  EXPECT_EQ(refusal(all).code(), ErrorCode::Usage);
}

TEST_F(QuantizeTargets, LeavesNoFileWhereItIsInterrupted) {
  for (const size_t time : {1U, 2U}) {  // while the error of the first or the second file is measured
    TaskCounter tasks;
    tasks.stop_at = "measuring the error", tasks.stop_time = time;
    QuantizeOptions all = given({"tensorrt", "onnxruntime"});
    all.run.reporter = &tasks;
    all.run.stop = tasks.stop.get_token();
    EXPECT_EQ(refusal(all).code(), ErrorCode::Interrupted);
    EXPECT_EQ(tasks.seen, time);
    EXPECT_FALSE(exists("out.tensorrt.onnx"));
    EXPECT_FALSE(exists("out.onnxruntime.onnx"));
  }
}

}  // namespace
}  // namespace detent
