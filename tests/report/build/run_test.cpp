#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/text/text.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RunReport profiled_run() {
  RunReport report{.model = "net.onnx", .samples = 4};
  report.profile =
      ProfileReport{.nodes = {{"stem", "Conv + Relu", 6.0}, {"block", "Conv + Relu", 3.75}, {"tail", "Softmax", 0.25}},
                    .samples = 4,
                    .total_ms = 10};
  return report;
}

TEST(RunText, SumsTimesByOperatorAndListsTheNodesThatMatter) {
  const std::string text = to_text(profiled_run());
  EXPECT_THAT(text, HasSubstr("\ntime by operator\n"
                              "     ms   share  nodes  operator\n"
                              "  9.750  97.5 %      2  Conv + Relu\n"));
  EXPECT_THAT(text, HasSubstr("\ntime by node\n"
                              "     ms   share  nodes  node\n"
                              "  6.000  60.0 %      1  stem (Conv + Relu)\n"
                              "  3.750  37.5 %      1  block (Conv + Relu)\n"
                              "  0.250   2.5 %      1  others\n"));
  EXPECT_THAT(text, Not(HasSubstr("collector")));
}

TEST(RunText, TellsTheCollectorsShare) {
  RunReport report = profiled_run();
  report.profile->collecting = {"tensorrt:10.13", 3, 8.0, 2.0};
  EXPECT_THAT(to_text(report), HasSubstr("8.000 ms a sample, of which the collector 2.000 ms (25.0 %) for 3 values\n"));
}

TEST(RunText, EndsWithTheRunAndItsFiles) {
  RunReport report = profiled_run();
  report.written = {"out/y.npy"};
  EXPECT_TRUE(to_text(report).ends_with("\nran 4 samples in 0.00 s\nwrote out/y.npy\n")) << to_text(report);
  report.profile.reset(), report.seconds = 2, report.skipped_samples = 1;
  EXPECT_EQ(to_text(report),
            "net.onnx\nran 4 samples in 2.00 s (2.0/s)\nskipped 1 unreadable sample\nwrote out/y.npy\n");
}

}  // namespace
}  // namespace detent
