#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/text/text.h"
#include "whole_files.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(VerifyText, HasALineForEachModelAndEndsWithTheirNumbers) {
  EXPECT_EQ(to_text(whole_verification("model.onnx")),
            "passed       equal/model.onnx  exact\n"
            "passed       near/model.onnx  worst error 0.00025 of the largest value  (1 of 2 outputs compared)\n"
            "FAILED       boxes/model.onnx  worst error 0.35 of the largest value  output 'y'; its detections agree to "
            "87.5 % mAP\n"
            "unsupported  loop/model.onnx  no kernel\n"
            "  failed by operator       Add 1\n"
            "  unsupported by operator  Loop 1, Scan 1\n"
            "11 passed, 12 failed, 13 unsupported\n");
}

TEST(VerifyText, ListsModelsOneByOneHoweverAlikeTheyAre) {
  VerifyReport report{.passed = 3};
  report.lines.assign(3, {"folder", "model.onnx"});
  const std::string line = "passed       folder/model.onnx  exact\n";
  EXPECT_EQ(to_text(report), line + line + line + "3 passed, 0 failed, 0 unsupported\n");
}

TEST(VerifyText, CountsOperatorsOfTheModelsThatFailedMostFrequentFirst) {
  using Outcome = VerifyReport::Line::Outcome;
  VerifyReport report;
  for (const char* op : {"Add", "Resize", "Resize"}) report.lines.push_back({"f", "m", Outcome::Failed, "", {op}});
  report.lines.push_back({"f", "m", Outcome::Failed, "cannot be read", {}});
  report.lines.push_back({"f", "m", Outcome::Passed, "", {"Cast"}});
  EXPECT_THAT(to_text(report), HasSubstr("  failed by operator  Resize 2, (other) 1, Add 1\n"));
  EXPECT_THAT(to_text(report), Not(HasSubstr("unsupported by operator")));
}

}  // namespace
}  // namespace detent
