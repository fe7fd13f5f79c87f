// Convs of a signal with wide strides, at which Rockchip's compiler ends: the same outputs.
#include <gmock/gmock.h>

#include "prepare/forms/rknn_forms.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> signal_conv_of(const std::string& sizes, const std::string& window, int elements,
                                        const std::string& attributes, const Shape& shape,
                                        const char* target = "rknn") {
  std::string numbers;
  for (int i = 0; i < 3 * elements; ++i) numbers += (i ? "," : "") + std::to_string((i * 7) % 11 - 5);
  return for_rknn("(float[" + sizes + "] x) => (float y) <float[3," + window + "] w = {" + numbers +
                      "}, float[3] b = {1, 2, 3}> { y = Conv <" + attributes + "> (x, w, b) }",
                  shape, target);
}

TEST(SignalPatches, ElementsOfAStrideAreChannels) {
  EXPECT_THAT(signal_conv_of("1,1,64", "1,16", 16, "strides = [8]", {1, 1, 64}),
              ElementsAre("Reshape", "Transpose", "Conv"));
  EXPECT_THAT(signal_conv_of("2,1,1,50", "1,1,20", 20, "strides = [1,10]", {2, 1, 1, 50}),
              ElementsAre("Reshape", "Transpose", "Conv"));
  EXPECT_THAT(signal_conv_of("1,1,1,45", "1,1,32", 32, "strides = [1,8]", {1, 1, 1, 45}),
              ElementsAre("Slice", "Reshape", "Transpose", "Conv"))
      << "the last elements are not read";
}

TEST(SignalPatches, OtherConvsStay) {
  EXPECT_THAT(signal_conv_of("1,1,64", "1,14", 14, "strides = [7]", {1, 1, 64}), ElementsAre("Conv"));
  EXPECT_THAT(signal_conv_of("1,1,64", "1,12", 12, "strides = [8]", {1, 1, 64}), ElementsAre("Conv"));
  EXPECT_THAT(signal_conv_of("1,1,64", "1,16", 16, "strides = [8], pads = [4,4]", {1, 1, 64}), ElementsAre("Conv"));
  EXPECT_THAT(signal_conv_of("1,2,64", "2,16", 32, "strides = [8]", {1, 2, 64}), ElementsAre("Conv"));
  EXPECT_THAT(signal_conv_of("1,1,64", "1,16", 16, "strides = [8]", {1, 1, 64}, "qnn"), ElementsAre("Conv"));
}

}  // namespace
}  // namespace detent
