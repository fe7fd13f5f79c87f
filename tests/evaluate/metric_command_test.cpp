#include "evaluate/metric_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "datasets/base/npy_file.h"
#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::HasSubstr;

/// Two models of one output "y", the second's shifted by 1; a folder with a script to judge them.
class MetricCommandTest : public ::testing::Test {
 protected:
  double judge(const std::string& script, size_t model = 1) {
    const auto path = scripts_.write("metric.sh", script);
    return judge(EvaluationOptions{.metric_command = "sh '" + path.string() + "'"}, model);
  }
  double judge(const EvaluationOptions& options, size_t model = 1) {
    MetricCommand command(options, {"y"}, {"fp32", "percentile:99.9"}, 1);
    for (int i = 0; i < 3; ++i) {
      command.append(0, {Tensor::from<float>({1, 2}, {1.0F * static_cast<float>(i), 0})}, 1);
      command.append(1, {Tensor::from<float>({1, 2}, {1.0F * static_cast<float>(i), 1})}, 1);
    }
    command.close();
    return command.judge(model);
  }
  Error refusal(const std::string& script) {
    return error_of<Error>([&] { static_cast<void>(judge(script)); });
  }

  const TemporaryFolder scripts_;
};

TEST_F(MetricCommandTest, GetsBothFoldersAndGivesTheNumber) {
  EXPECT_EQ(judge("cp -r \"$1\" \"$2\" '" + scripts_.path().string() + "'; echo ' -2.5e-1 '"), -0.25);
  const Tensor reference = NpyFile(scripts_ / "fp32/y.npy").read();
  const Tensor candidate = NpyFile(scripts_ / "percentile_99.9/y.npy").read();
  EXPECT_EQ(reference.shape(), Shape({3, 2}));
  EXPECT_EQ(reference.data<float>()[4], 2);
  EXPECT_EQ(reference.data<float>()[5], 0);
  EXPECT_EQ(candidate.data<float>()[5], 1);
}

TEST_F(MetricCommandTest, GetsTheFloatModelTwiceForItsOwnScore) {
  EXPECT_EQ(judge("[ \"$1\" = \"$2\" ] && echo 1", 0), 1);
}

TEST_F(MetricCommandTest, CallsAFunctionInPlaceOfACommand) {
  EvaluationOptions options{.metric_command = "false"};
  options.metric = [](const OutputFiles& fp32, const OutputFiles& candidate) {
    EXPECT_EQ(candidate.outputs.front().first, "y");
    const Tensor expected = NpyFile(fp32.outputs.front().second).read();
    const Tensor given = NpyFile(candidate.outputs.front().second).read();
    return given.data<float>()[5] - expected.data<float>()[5];
  };
  EXPECT_EQ(judge(options), 1);
  EXPECT_EQ(judge(options, 0), 0);
  options.metric = [](const OutputFiles&, const OutputFiles&) { return std::nan(""); };
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(judge(options)); }).code(), ErrorCode::InvalidOption);
}

TEST_F(MetricCommandTest, LeavesNothingBehind) {
  judge("echo \"$1\" > '" + (scripts_ / "where").string() + "'; echo 1");
  const std::string where = TemporaryFolder::read(scripts_ / "where");
  const std::filesystem::path folder = where.substr(0, where.size() - 1);
  EXPECT_EQ(folder.filename(), "fp32");
  EXPECT_FALSE(std::filesystem::exists(folder.parent_path()));
}

TEST_F(MetricCommandTest, PassesOnWhatAFailingCommandSays) {
  const Error error = refusal("echo cannot open ground truth >&2; echo second line >&2; exit 4");
  EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
  EXPECT_THAT(error.what(), HasSubstr("exit code 4\n  cannot open ground truth\n  second line"));
}

TEST_F(MetricCommandTest, RefusesAnythingButOneNumber) {
  EXPECT_THAT(refusal("echo 1 2").what(), HasSubstr("'1 2'"));
  EXPECT_THAT(refusal("echo iou: 0.9").what(), HasSubstr("'iou: 0.9'"));
  EXPECT_THAT(refusal("echo nan").what(), HasSubstr("'nan'"));
  EXPECT_THAT(refusal(":").what(), HasSubstr("nothing"));
}

}  // namespace
}  // namespace detent
