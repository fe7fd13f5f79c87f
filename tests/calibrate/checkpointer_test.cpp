#include <gtest/gtest.h>

#include <filesystem>

#include "calibrate/sample_tables.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "observe/calibration_table.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

using ResumedCalibration = SampleTables;

/// Presses Ctrl-C as soon as some samples are done.
class Interrupter : public Reporter {
 public:
  void begin(std::string_view, size_t) override {}
  void advance_to(size_t done) override {
    if (done >= 2) interrupted() = true;
  }
  void end() override {}
  void warn(std::string_view) override {}
};

TEST_F(ResumedCalibration, GoOnWhereAnInterruptedCalibrationEnded) {
  const std::string expected = table_bytes(calibration("whole.dct"));
  Interrupter interrupter;
  CalibrateOptions options = calibration("out.dct");
  options.run.threads = 1;
  options.run.reporter = &interrupter;
  EXPECT_EQ(code_of([&] { static_cast<void>(calibrate_model(options)); }), ErrorCode::Interrupted);
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"out.dct.partial", "whole.dct"}));
  const CalibrationTable partial = read_table(folder_ / "out.dct.partial");
  EXPECT_TRUE(partial.partial());
  EXPECT_GE(partial.samples.size(), 2U);
  EXPECT_LT(partial.samples.size(), 6U);
  EXPECT_TRUE(partial.has_extremes());

  interrupted() = false;
  options.run.reporter = &Reporter::silent();
  options.resume = true;
  EXPECT_EQ(table_bytes(options), expected);
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"out.dct", "whole.dct"}));
}

TEST_F(ResumedCalibration, DoNotGoOnWithOtherDataOrAnotherShard) {
  Interrupter interrupter;
  CalibrateOptions options = calibration("out.dct");
  options.run.threads = 1;
  options.run.reporter = &interrupter;
  EXPECT_EQ(code_of([&] { static_cast<void>(calibrate_model(options)); }), ErrorCode::Interrupted);
  interrupted() = false;
  options.run.reporter = &Reporter::silent();
  options.resume = true;
  CalibrateOptions other = options;
  other.data.preprocess = "unit";
  EXPECT_EQ(code_of([&] { static_cast<void>(calibrate_model(other)); }), ErrorCode::TableMismatch);
  other = options;
  other.data.shard_count = 2;
  EXPECT_EQ(code_of([&] { static_cast<void>(calibrate_model(other)); }), ErrorCode::TableMismatch);
  other = options;
  other.targets = {"tensorrt"};
  EXPECT_EQ(code_of([&] { static_cast<void>(calibrate_model(other)); }), ErrorCode::TableMismatch);
  EXPECT_FALSE(fs::exists(options.output));
}

TEST_F(ResumedCalibration, BeginAtTheFirstSampleWhereThereIsNothingToResume) {
  CalibrateOptions options = calibration("out.dct");
  options.resume = true;
  EXPECT_EQ(table_bytes(options), table_bytes(calibration("again.dct")));
}

/// Keeps the contents of a pass's checkpoints.
class Watcher : public Reporter {
 public:
  explicit Watcher(fs::path partial) : partial_(std::move(partial)) {}
  void begin(std::string_view, size_t) override {}
  void advance_to(size_t) override {
    if (fs::exists(partial_)) seen.push_back(TemporaryFolder::read(partial_));
  }
  void end() override {}
  void warn(std::string_view) override {}
  std::vector<std::string> seen;

 private:
  fs::path partial_;
};

TEST_F(ResumedCalibration, GoOnWithACheckpointOfAProcessThatWasKilled) {
  const std::string expected = table_bytes(calibration("whole.dct"));
  for (const size_t threads : {1, 3}) {
    CalibrateOptions options = calibration("out.dct");
    Watcher watcher(folder_ / "out.dct.partial");
    options.run = {.threads = threads, .reporter = &watcher};
    options.checkpoint_seconds = 1e-9;  // after every sample
    options.overwrite = true;
    EXPECT_EQ(table_bytes(options), expected);
    EXPECT_FALSE(fs::exists(folder_ / "out.dct.partial"));
    ASSERT_FALSE(watcher.seen.empty());
    options.resume = true;
    options.run.reporter = &Reporter::silent();
    for (const std::string& checkpoint : watcher.seen) {
      EXPECT_TRUE(table_from_bytes(checkpoint).partial());
      folder_.write("out.dct.partial", checkpoint);
      EXPECT_EQ(table_bytes(options), expected);
    }
  }
}

TEST_F(ResumedCalibration, WriteNoCheckpointWhenNoneIsAskedFor) {
  CalibrateOptions options = calibration("out.dct");
  Watcher watcher(folder_ / "out.dct.partial");
  options.run.reporter = &watcher;
  options.checkpoint_seconds = 0;
  static_cast<void>(calibrate_model(options));
  EXPECT_TRUE(watcher.seen.empty());
}

}  // namespace
}  // namespace detent
