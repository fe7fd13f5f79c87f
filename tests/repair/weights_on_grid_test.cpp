#include "repair/weights_on_grid.h"

#include <gtest/gtest.h>

#include "core/index.h"

namespace detent {
namespace {

/// Returns a weight of 2 x 12 numbers: codes times the scale of their channel, as an exporter folds a pair.
Tensor folded(const std::vector<int>& codes, float first, float second) {
  std::vector<float> numbers;
  for (const float scale : {first, second})
    for (const int code : codes) numbers.push_back(static_cast<float>(code) * scale);
  return Tensor::from<float>(Shape{2, as_extent(codes.size())}, numbers);
}

const std::vector<int> kCodes = {127, -127, 3, 0, -64, 17, 99, -1, 45, -88, 6, 120};

TEST(WeightsOnGrid, HaveTheScaleThatTrainingRoundedThemWith) {
  const auto scales = scales_of_grid(folded(kCodes, 0.013F, 0.0007F), 0);
  ASSERT_TRUE(scales);
  EXPECT_FLOAT_EQ((*scales)[0], 0.013F);
  EXPECT_FLOAT_EQ((*scales)[1], 0.0007F);
}

TEST(WeightsOnGrid, KeepTheirCodesWhereTheLargestIsNot127) {
  const auto scales = scales_of_grid(folded({50, -7, 3, 0, -32, 17, 41, -1, 45, -48, 6, 49}, 0.1F, 3.0F), 0);
  ASSERT_TRUE(scales);
  EXPECT_FLOAT_EQ((*scales)[0], 0.1F);
  EXPECT_FLOAT_EQ((*scales)[1], 3.0F);
}

TEST(WeightsOnGrid, AChannelOfZerosHasScaleZero) {
  const auto scales = scales_of_grid(folded(kCodes, 0, 0.25F), 0);
  ASSERT_TRUE(scales);
  EXPECT_EQ((*scales)[0], 0);
  EXPECT_FLOAT_EQ((*scales)[1], 0.25F);
}

TEST(WeightsOnGrid, OtherNumbersHaveNone) {
  Tensor weight = folded(kCodes, 0.013F, 0.0007F);
  weight.mutable_data<float>()[5] *= 1.01F;  // 17.17 steps
  EXPECT_FALSE(scales_of_grid(weight, 0));
}

TEST(WeightsOnGrid, TwoScalesAreNoGridOfTheWholeTensor) {
  EXPECT_TRUE(scales_of_grid(folded(kCodes, 0.5F, 0.5F), -1));
  EXPECT_FALSE(scales_of_grid(folded(kCodes, 0.5F, 0.123F), -1));
}

TEST(WeightsOnGrid, FewNumbersProveNothing) {
  EXPECT_FALSE(scales_of_grid(folded({1, 2, 3}, 0.5F, 0.25F), 0)) << "any three numbers are nearly on a grid";
}

}  // namespace
}  // namespace detent
