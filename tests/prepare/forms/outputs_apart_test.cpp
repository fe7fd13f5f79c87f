// Graph outputs that nodes read, which end Rockchip's compiler: the same outputs.
#include <gmock/gmock.h>

#include "prepare/forms/rknn_forms.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

TEST(OutputsApart, AnOutputThatNodesReadIsACopy) {
  const std::string text = "(float[1,4] x) => (float[1,4] y, float[1,4] z) { y = Relu (x)  z = Neg (y) }";
  EXPECT_THAT(for_rknn(text, {1, 4}), ElementsAre("Relu", "Neg", "Identity"));
  EXPECT_THAT(for_rknn(text, {1, 4}, "qnn"), ElementsAre("Relu", "Neg"));
}

TEST(OutputsApart, OutputsThatNobodyReadsAndIntegersStay) {
  EXPECT_THAT(for_rknn("(float[1,4] x) => (float[1,4] y, float[1,4] z) { y = Relu (x)  z = Neg (x) }", {1, 4}),
              ElementsAre("Relu", "Neg"));
  EXPECT_THAT(for_rknn("(float[1,4] x) => (int64[2] y, int64[1] z) <int64[1] first = {0}> "
                       "{ y = Shape (x)  z = Gather (y, first) }",
                       {1, 4}),
              ElementsAre("Shape", "Gather"));
}

}  // namespace
}  // namespace detent
