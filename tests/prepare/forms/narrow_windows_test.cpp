// Convs of wide windows, which Rockchip's compiler splits and runs in FP16: the same outputs.
#include <gmock/gmock.h>

#include <algorithm>

#include "prepare/forms/rknn_forms.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

/// Returns the operators that become of a Conv of 2 channels, whose weights differ from place to place.
std::vector<std::string> wide_conv(int rows, int columns, const std::string& attributes, int group = 1,
                                   const char* target = "rknn") {
  std::string numbers;
  const int per_group = 2 / group;
  for (int i = 0; i < 2 * per_group * rows * columns; ++i) numbers += (i ? "," : "") + std::to_string((i * 7) % 11 - 5);
  return for_rknn("(float[1,2,40,37] x) => (float[1,2,n,m] y) <float[2," + std::to_string(per_group) + "," +
                      std::to_string(rows) + "," + std::to_string(columns) + "] w = {" + numbers +
                      "}, float[2] b = {1, 2}> { y = Conv <group = " + std::to_string(group) + attributes +
                      "> (x, w, b) }",
                  {1, 2, 40, 37}, target);
}

TEST(NarrowWindows, AWideWindowIsASum) {
  const auto two = ElementsAre("Slice", "Conv", "Slice", "Conv", "Add");
  EXPECT_THAT(wide_conv(20, 1, "", 2), two);
  EXPECT_THAT(wide_conv(1, 17, ", strides = [2,3]"), two);
  EXPECT_THAT(wide_conv(17, 2, ", pads = [8,1,8,0], dilations = [2,1]"), two);
  EXPECT_THAT(wide_conv(18, 1, ", pads = [9,0,9,0]"), ElementsAre("Conv", "Conv", "Add")) << "padding is left out";
}

TEST(NarrowWindows, BothAxesAreSplit) {
  const std::vector<std::string> found = wide_conv(17, 33, "");
  EXPECT_EQ(std::ranges::count(found, "Conv"), 6);
  EXPECT_EQ(std::ranges::count(found, "Add"), 5);
}

TEST(NarrowWindows, ASignalIsSplit) {
  std::string numbers;
  for (int i = 0; i < 40; ++i) numbers += (i ? "," : "") + std::to_string((i * 7) % 11 - 5);
  EXPECT_THAT(for_rknn("(float[1,2,50] x) => (float[1,1,n] y) <float[1,2,20] w = {" + numbers +
                           "}> { y = Conv <pads = [3,19]> (x, w) }",
                       {1, 2, 50}),
              ElementsAre("Conv", "Slice", "Conv", "Add"));
}

TEST(NarrowWindows, OtherWindowsStay) {
  EXPECT_THAT(wide_conv(16, 16, ""), ElementsAre("Conv"));
  EXPECT_THAT(wide_conv(20, 1, ", auto_pad = \"SAME_UPPER\""), ElementsAre("Conv"));
  EXPECT_THAT(wide_conv(20, 1, ", strides = [8,1]"), ElementsAre("Conv")) << "runs in FP16 in any case";
  EXPECT_THAT(wide_conv(20, 1, "", 2, "qnn"), ElementsAre("Conv"));
}

}  // namespace
}  // namespace detent
