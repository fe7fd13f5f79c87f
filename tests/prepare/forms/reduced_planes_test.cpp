// Means of planes that keep their scale in Rockchip's compiler: the same outputs.
#include <gmock/gmock.h>

#include "prepare/forms/rknn_forms.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

std::string pooled(const std::string& rows, const std::string& columns) {
  return "(float[2,3," + rows + "," + columns + "] x) => (float[2,3,1,1] y) { y = GlobalAveragePool (x) }";
}

TEST(ReducedPlanes, AMeanKeepsTheScaleOfItsOutput) {
  EXPECT_THAT(for_rknn(pooled("7", "4"), {2, 3, 7, 4}), ElementsAre("ReduceMean"));
  EXPECT_THAT(for_rknn(pooled("7", "4"), {2, 3, 7, 4}, "rknn", 18), ElementsAre("ReduceMean")) << "axes as an input";
  EXPECT_THAT(for_rknn(pooled("7", "4"), {2, 3, 7, 4}, "qnn"), ElementsAre("GlobalAveragePool"));
}

TEST(ReducedPlanes, ALargerPlaneIsAveragedInParts) {
  EXPECT_THAT(for_rknn(pooled("14", "14"), {2, 3, 14, 14}), ElementsAre("Conv", "ReduceMean"));
  EXPECT_THAT(for_rknn(pooled("13", "5"), {2, 3, 13, 5}), ElementsAre("Conv", "ReduceMean")) << "ends in zeros";
  EXPECT_THAT(for_rknn(pooled("50", "2"), {2, 3, 50, 2}), ElementsAre("GlobalAveragePool")) << "three steps";
}

}  // namespace
}  // namespace detent
