#include "rewrite/bias_quantizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace detent {
namespace {

using ::testing::ElementsAre;

TEST(BiasQuantizer, UsesTheProductOfBothScales) {
  const auto quantized = quantize_bias(Tensor::from<float>({2}, {1, -3}), 0.5F, {0.25F, 0.125F});
  ASSERT_TRUE(quantized);
  EXPECT_THAT(quantized->codes.data<int32_t>(), ElementsAre(8, -48));
  EXPECT_THAT(quantized->qparams.scale, ElementsAre(0.125F, 0.0625F));
  EXPECT_THAT(quantized->qparams.zero_point, ElementsAre(0, 0));
  EXPECT_EQ(quantized->qparams.axis, 0);
  EXPECT_EQ(quantized->qparams.type, DataType::Int32);
}

TEST(BiasQuantizer, RepeatsTheScalesOfAGroup) {
  const auto quantized = quantize_bias(Tensor::from<float>({4}, {1, 1, 1, 1}), 1, {0.5F, 0.25F});
  EXPECT_THAT(quantized->codes.data<int32_t>(), ElementsAre(2, 4, 2, 4));
}

// A Gemm adds a matrix to its rows.
TEST(BiasQuantizer, QuantizesEveryRowOfAMatrixWithTheScalesOfItsColumns) {
  const auto quantized = quantize_bias(Tensor::from<float>({2, 2}, {1, -3, 2, 5}), 1, {0.5F, 0.25F});
  ASSERT_TRUE(quantized);
  EXPECT_THAT(quantized->codes.data<int32_t>(), ElementsAre(2, -12, 4, 20));
  EXPECT_THAT(quantized->qparams.scale, ElementsAre(0.5F, 0.25F));
  EXPECT_EQ(quantized->qparams.axis, 1);
}

TEST(SpreadOverChannels, RepeatsOneNumberForAllChannels) {
  const auto spread = [](const Tensor& bias, size_t channels) { return spread_over_channels(bias, channels); };
  EXPECT_EQ(spread(Tensor::scalar(3.0F), 2).shape(), (Shape{2}));
  EXPECT_THAT(spread(Tensor::from<float>({1}, {3}), 2).data<float>(), ElementsAre(3, 3));
  const Tensor rows = spread(Tensor::from<float>({2, 1}, {3, 4}), 2);
  EXPECT_EQ(rows.shape(), (Shape{2, 2}));
  EXPECT_THAT(rows.data<float>(), ElementsAre(3, 3, 4, 4));
}

TEST(SpreadOverChannels, LeavesOneNumberAChannelAlone) {
  EXPECT_EQ(spread_over_channels(Tensor::from<float>({2}, {3, 4}), 2).shape(), (Shape{2}));
  EXPECT_EQ(spread_over_channels(Tensor::from<float>({3}, {3, 4, 5}), 2).shape(), (Shape{3}));
}

TEST(BiasQuantizer, GivesUpWhereACodeDoesNotFit) {
  EXPECT_TRUE(quantize_bias(Tensor::from<float>({1}, {2147.0F}), 1e-3F, {1e-3F}));
  EXPECT_FALSE(quantize_bias(Tensor::from<float>({1}, {2149.0F}), 1e-3F, {1e-3F}));
  EXPECT_FALSE(quantize_bias(Tensor::from<float>({3}, {1, 1, 1}), 1, {1, 1}));
  EXPECT_FALSE(quantize_bias(Tensor::scalar(1.0F), 1, {1}));
}

constexpr double kLargestCode = 2147483647;

/// Returns the code of the only channel, or 0 when there is none.
double code_of(float bias, float input_scale, float weight_scale) {
  const auto quantized = quantize_bias(Tensor::from<float>({1}, {bias}), input_scale, {weight_scale});
  return quantized ? quantized->codes.data<int32_t>()[0] : 0;
}

TEST(LeastWeightScales, MakeRoomForTheBiasAndTheSumOfProducts) {
  for (const int64_t products : {1, 9, 4608, 100000}) {
    const double sums = std::min(static_cast<double>(products) * 128 * 255, 0x1p30);
    for (const float bias : {0.3F, -17.0F, 1e6F}) {
      const float input_scale = 0.0123F;
      const float least = least_weight_scales(Tensor::from<float>({1}, {bias}), input_scale, 1, products).front();
      const double code = std::abs(code_of(bias, input_scale, least));
      EXPECT_LE(code + sums, kLargestCode) << products << " " << bias;
      EXPECT_GT(code + sums, kLargestCode * (1 - 1e-6)) << "hardly any room is wasted";
    }
  }
}

TEST(LeastWeightScales, ServeEveryGroupThatSharesThem) {
  // Channels 0 and 2 share a scale, 1 and 3 the other.
  const Tensor bias = Tensor::from<float>({4}, {1, -8, 4, 2});
  const std::vector<float> least = least_weight_scales(bias, 1, 2, 1);
  EXPECT_NEAR(least[0], 4 / kLargestCode, 4 / kLargestCode * 1e-4);  // the sum of one product takes 2^-16 of the codes
  EXPECT_NEAR(least[1], 8 / kLargestCode, 8 / kLargestCode * 1e-4);
  EXPECT_TRUE(quantize_bias(bias, 1, least));
}

TEST(LeastWeightScales, KeepTheProductOfScalesNormal) {
  const Tensor bias = Tensor::from<float>({1}, {0});
  EXPECT_FALSE(quantize_bias(bias, 1e-30F, {1e-10F})) << "1e-40 is no normal float";
  EXPECT_TRUE(quantize_bias(bias, 1e-30F, least_weight_scales(bias, 1e-30F, 1, 1)));
}

TEST(LeastWeightScales, AreZeroWhereNoScaleIsLargeEnough) {
  const Tensor bias = Tensor::from<float>({1}, {3e38F});
  EXPECT_THAT(least_weight_scales(bias, 1e-30F, 1, 1), ElementsAre(0));
}

// ONNX Runtime divides a bias of FP16 by the product of the scales in FP16, whose largest number is 65504.
TEST(LeastWeightScales, KeepTheCodesOfAHalfBiasFinite) {
  const Tensor bias = Tensor::from<float>({1}, {3});
  constexpr float kInputScale = 0x1p-10F;
  const float least = least_weight_scales(bias, kInputScale, 1, 9, true).front();
  EXPECT_LT(3 / (kInputScale * least), 65504);
  EXPECT_GT(3 / (kInputScale * least), 65000);
  EXPECT_LT(least_weight_scales(bias, kInputScale, 1, 9).front(), least / 1000);
}

TEST(ZeroWeightScales, KeepTheBiasTo23Bits) {
  const std::vector<float> scales = zero_weight_scales(Tensor::from<float>({3}, {0.3F, 0, -20}), 1, 3);
  EXPECT_EQ(scales[1], 0.0F);
  EXPECT_EQ(code_of(0.3F, 1, scales[0]), 0x1p23);
  EXPECT_EQ(code_of(-20, 1, scales[2]), -0x1p23);
  EXPECT_EQ(code_of(0.3F, 1, 1), 0) << "with scale 1 nothing would be left of it";
}

// The products of 16-bit activations fit no 32-bit sum, so that the bias alone decides.
TEST(LeastWeightScales, LeaveThe32BitsToTheBiasWhereNoSumOfProductsFits) {
  const float input_scale = 1.0F / 65535;
  const float least = least_weight_scales(Tensor::from<float>({1}, {300}), input_scale, 1, 0).front();
  EXPECT_GT(code_of(300, input_scale, least), kLargestCode * (1 - 1e-6));
  EXPECT_EQ(code_of(300, input_scale, least * 0.99F), 0) << "a smaller scale overflows";
}

}  // namespace
}  // namespace detent
