#include "rewrite/weight_quantizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace detent {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

Tensor random_weight(const Shape& shape, uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0, 0.1F);
  Tensor weight(DataType::Float32, shape);
  for (float& w : weight.mutable_data<float>()) w = normal(engine);
  return weight;
}

/// Channel of element i along `axis`.
int64_t channel_of(const Shape& shape, int axis, int64_t i) {
  const auto at = static_cast<size_t>(axis);
  return i / shape.element_count(at + 1, shape.rank()) % shape[at];
}

double squared_error(const Tensor& weight, const QuantizedWeight& quantized, int64_t channel) {
  double sum = 0;
  for (int64_t i = 0; i < weight.element_count(); ++i) {
    if (channel_of(weight.shape(), quantized.qparams.axis, i) != channel) continue;
    const auto at = static_cast<size_t>(i);
    const double back = static_cast<double>(quantized.codes.data<int8_t>()[at]) *
                        static_cast<double>(quantized.qparams.scale[static_cast<size_t>(channel)]);
    sum += std::pow(back - static_cast<double>(weight.data<float>()[at]), 2);
  }
  return sum;
}

TEST(WeightQuantizer, AgreesWithANaiveLoopAlongEveryAxis) {
  const Tensor weight = random_weight({5, 4, 3, 2}, 1);
  for (int axis = 0; axis < 4; ++axis) {
    const QuantizedWeight quantized = quantize_weight(weight, axis);
    EXPECT_EQ(quantized.qparams.axis, axis);
    EXPECT_EQ(quantized.codes.shape(), weight.shape());
    ASSERT_EQ(quantized.qparams.scale.size(), static_cast<size_t>(weight.shape()[static_cast<size_t>(axis)]));
    EXPECT_THAT(quantized.qparams.zero_point, Each(0));
    std::vector<float> amax(quantized.qparams.scale.size(), 0);
    for (int64_t i = 0; i < weight.element_count(); ++i) {
      float& largest = amax[static_cast<size_t>(channel_of(weight.shape(), axis, i))];
      largest = std::max(largest, std::abs(weight.data<float>()[static_cast<size_t>(i)]));
    }
    for (int64_t i = 0; i < weight.element_count(); ++i) {
      const auto c = static_cast<size_t>(channel_of(weight.shape(), axis, i));
      const auto scale = static_cast<float>(static_cast<double>(amax[c]) / 127);
      EXPECT_EQ(quantized.qparams.scale[c], scale);
      EXPECT_EQ(quantized.codes.data<int8_t>()[static_cast<size_t>(i)],
                static_cast<int8_t>(std::nearbyint(weight.data<float>()[static_cast<size_t>(i)] / scale)));
    }
  }
}

TEST(WeightQuantizer, UsesOneScaleWithoutAnAxis) {
  const QuantizedWeight quantized = quantize_weight(Tensor::from<float>({2, 2}, {1, -2, 0.5F, 0}), -1);
  EXPECT_THAT(quantized.qparams.scale, ElementsAre(static_cast<float>(2.0 / 127)));
  EXPECT_THAT(quantized.codes.data<int8_t>(), ElementsAre(64, -127, 32, 0));  // 63.5 and 31.75, half to even
}

TEST(WeightQuantizer, AnAllZeroChannelGetsScaleOne) {
  const QuantizedWeight quantized = quantize_weight(Tensor::from<float>({2, 2}, {0, 0, 1, -1}), 0);
  EXPECT_EQ(quantized.qparams.scale[0], 1.0F);
  EXPECT_THAT(quantized.codes.data<int8_t>(), ElementsAre(0, 0, 127, -127));
}

TEST(WeightQuantizer, TheSameIndexOfEveryGroupSharesAScale) {
  // ConvTranspose, two groups: C_in 2 x C_out/group 2. Scale 0 serves output channels 0 and 2.
  const QuantizedWeight quantized = quantize_weight(Tensor::from<float>({2, 2, 1}, {1, 2, 4, 3}), 1);
  EXPECT_THAT(quantized.qparams.scale, ElementsAre(static_cast<float>(4.0 / 127), static_cast<float>(3.0 / 127)));
}

TEST(WeightQuantizer, SevenBitsStayWithinSixtyThree) {
  for (const WeightRange range : {WeightRange::Max, WeightRange::Mse}) {
    const QuantizedWeight quantized = quantize_weight(random_weight({8, 50}, 2), 0, {.bits = 7, .range = range});
    for (const int8_t code : quantized.codes.data<int8_t>()) {
      EXPECT_GE(code, -64);
      EXPECT_LE(code, 63);
    }
  }
}

TEST(WeightQuantizer, MseIsNeverWorseThanMaxInAnyChannel) {
  bool better = false;
  for (uint32_t seed = 0; seed < 8; ++seed) {
    const Tensor weight = random_weight({4, 1 + 40 * static_cast<int64_t>(seed)}, seed);
    const QuantizedWeight max = quantize_weight(weight, 0);
    const QuantizedWeight mse = quantize_weight(weight, 0, {.range = WeightRange::Mse});
    for (int64_t c = 0; c < 4; ++c) {
      const double error = squared_error(weight, mse, c), bound = squared_error(weight, max, c);
      EXPECT_LE(error, bound * (1 + 1e-12));  // sums in another order
      better = better || error < bound;
      EXPECT_GE(mse.qparams.scale[static_cast<size_t>(c)], 0.4999F * max.qparams.scale[static_cast<size_t>(c)]);
    }
  }
  EXPECT_TRUE(better);
}

TEST(WeightQuantizer, MseCutsASingleOutlier) {
  Tensor weight = random_weight({1, 40000}, 3);
  weight.mutable_data<float>()[0] = 0.8F;  // eight sigma
  const float cut = quantize_weight(weight, 0, {.range = WeightRange::Mse}).qparams.scale[0] * 127;
  // The error 40000 * (cut / 127)^2 / 12 + (0.8 - cut)^2 is least at 0.66.
  EXPECT_LT(cut, 0.7F);
  EXPECT_GT(cut, 0.6F);
}

TEST(WeightQuantizer, HalfPrecisionWeightsAndScales) {
  const Tensor weight = cast(Tensor::from<float>({1, 3}, {0.1F, -0.3F, 0.2F}), DataType::Float16);
  const QuantizedWeight quantized = quantize_weight(weight, 0, {.scale_type = DataType::Float16});
  const float scale = quantized.qparams.scale[0];
  EXPECT_EQ(half_to_float(float_to_half(scale)), scale);
  EXPECT_EQ(quantized.codes.type(), DataType::Int8);
}

TEST(WeightQuantizer, RefusesWeightsThatAreNotFinite) {
  const Tensor weight = Tensor::from<float>({2}, {1, std::numeric_limits<float>::quiet_NaN()});
  try {
    (void)quantize_weight(weight, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
  }
}

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

TEST(BiasQuantizer, GivesUpWhereACodeDoesNotFit) {
  EXPECT_TRUE(quantize_bias(Tensor::from<float>({1}, {2147.0F}), 1e-3F, {1e-3F}));
  EXPECT_FALSE(quantize_bias(Tensor::from<float>({1}, {2149.0F}), 1e-3F, {1e-3F}));
  EXPECT_FALSE(quantize_bias(Tensor::from<float>({3}, {1, 1, 1}), 1, {1, 1}));
  EXPECT_FALSE(quantize_bias(Tensor::scalar(1.0F), 1, {1}));
}

}  // namespace
}  // namespace detent
