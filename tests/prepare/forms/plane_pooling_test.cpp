// A MaxPool over three axes, which Rockchip's compiler does not build: the same outputs.
#include <gmock/gmock.h>

#include "prepare/forms/rknn_forms.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> pooled_volume(const std::string& attributes, const char* target = "rknn") {
  return for_rknn("(float[1,2,4,4,5] x) => (float[1,2,d,h,w] y) { y = MaxPool <" + attributes + "> (x) }",
                  {1, 2, 4, 4, 5}, target);
}

TEST(PlanePooling, AMaxPoolOverThreeAxesIsTwo) {
  const auto two = ElementsAre("Reshape", "MaxPool", "Reshape", "MaxPool", "Reshape");
  EXPECT_THAT(pooled_volume("kernel_shape = [2,2,2], strides = [2,2,2]"), two);
  EXPECT_THAT(pooled_volume("kernel_shape = [2,3,2], strides = [1,2,1], pads = [1,0,1,0,1,0], dilations = [2,1,1]"),
              two);
}

TEST(PlanePooling, OthersStay) {
  EXPECT_THAT(pooled_volume("kernel_shape = [2,2,2], ceil_mode = 1"), ElementsAre("MaxPool"));
  EXPECT_THAT(pooled_volume("kernel_shape = [2,2,2]", "openvino"), ElementsAre("MaxPool"));
  EXPECT_THAT(
      for_rknn("(float[1,2,4,4] x) => (float[1,2,2,2] y) { y = MaxPool <kernel_shape = [3,3]> (x) }", {1, 2, 4, 4}),
      ElementsAre("MaxPool"));
}

}  // namespace
}  // namespace detent
