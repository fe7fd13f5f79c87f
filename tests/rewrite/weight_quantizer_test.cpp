#include "rewrite/weight_quantizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
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

/// Returns the channel of element i along `axis`.
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

TEST(WeightQuantizer, AScaleIsNeverBelowTheLeastThatIsAllowed) {
  const Tensor weight = Tensor::from<float>({2, 2}, {1.27F, -1, 127, -1});
  const QuantizedWeight quantized = quantize_weight(weight, 0, {.least_scale = {0.1F, 0.1F}});
  EXPECT_THAT(quantized.qparams.scale, ElementsAre(0.1F, 1.0F));
  EXPECT_EQ(quantized.raised, 1U);
  EXPECT_THAT(quantized.codes.data<int8_t>(), ElementsAre(13, -10, 127, -1));
}

TEST(WeightQuantizer, TheLeastScaleIsOneThatTheFileHolds) {
  // FP16 has .00278854 and .00279045: 26.5 steps of the scale in between are 26.51 of the first, and 27 codes.
  const float least = 0.0027890F;
  const Tensor weight = Tensor::from<float>({1, 3}, {26.5F * 0.00279045F, -0.0739135F, 0.1F});
  for (const bool paired : {false, true}) {
    WeightOptions options{.bits = 7, .scale_type = DataType::Float16, .least_scale = {least}};
    if (paired) options.safe_pairs = {PairOrder::Kind::Matrix, 0};
    const QuantizedWeight quantized = quantize_weight(weight, 0, options);
    const float scale = quantized.qparams.scale.front();
    EXPECT_EQ(half_to_float(float_to_half(scale)), scale);
    EXPECT_GE(scale, least);
    for (size_t i = 0; i < 3; ++i)
      EXPECT_LE(std::abs(weight.data<float>()[i] - scale * quantized.codes.data<int8_t>()[i]), 0.5F * scale) << i;
  }
  const QuantizedWeight single =
      quantize_weight(Tensor::from<float>({2}, {-0.1F, 0.2F}), -1,
                      {.type = DataType::UInt8, .scale_type = DataType::Float16, .least_scale = {least}});
  EXPECT_EQ(half_to_float(float_to_half(single.qparams.scale.front())), single.qparams.scale.front());
}

TEST(WeightQuantizer, AnAllZeroChannelMayBeGivenAnotherScale) {
  const Tensor weight = Tensor::from<float>({2, 2}, {0, 0, 127, -1});
  EXPECT_THAT(quantize_weight(weight, 0, {.zero_scale = {0.25F, 0.25F}}).qparams.scale, ElementsAre(0.25F, 1.0F));
  EXPECT_THAT(quantize_weight(weight, 0, {.zero_scale = {0, 0}}).qparams.scale, ElementsAre(1.0F, 1.0F));
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

TEST(WeightQuantizer, NarrowCodesLeaveOutTheLowest) {
  Tensor weight(DataType::Float32, Shape({1, 4}));
  weight.mutable_data<float>()[0] = -1;
  const WeightOptions wide{.given_scale = {1.0F / 130}};
  WeightOptions narrow = wide;
  narrow.narrow = true;
  EXPECT_EQ(quantize_weight(weight, 0, wide).codes.data<int8_t>()[0], -128);
  EXPECT_EQ(quantize_weight(weight, 0, narrow).codes.data<int8_t>()[0], -127);
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

/// Returns the smallest error of 4001 parts of [0.5, 1] * max |w|, tried in a loop.
double least_error_by_trying(std::span<const float> weights, int lowest, int highest) {
  float amax = 0;
  for (const float w : weights) amax = std::max(amax, std::abs(w));
  constexpr int kSteps = 4000;
  double least = INFINITY;
  for (int step = 0; step <= kSteps; ++step) {
    const double scale = static_cast<double>(amax) * (0.5 + 0.5 * step / kSteps) / highest;
    double error = 0;
    for (const float w : weights) {
      const double code = std::clamp<double>(std::nearbyint(w / scale), lowest, highest);
      error += std::pow(code * scale - w, 2);
    }
    least = std::min(least, error);
  }
  return least;
}

TEST(WeightQuantizer, MseComesWithinTwoPercentOfTheBestOfFourThousandScales) {
  // 2 % of the squared error are 0.09 dB. The search tries 64 scales (256 for few weights) and fits the best one.
  for (const int64_t size : {9, 32, 144, 1024, 4608})
    for (const int bits : {8, 7}) {
      double worst = 0;
      for (uint32_t seed = 100; seed < 106; ++seed) {
        const Tensor weight = random_weight({1, size}, seed);
        const QuantizedWeight mse = quantize_weight(weight, 0, {.bits = bits, .range = WeightRange::Mse});
        const int highest = bits == 8 ? 127 : 63;
        const double best = least_error_by_trying(weight.data<float>(), -highest - 1, highest);
        worst = std::max(worst, squared_error(weight, mse, 0) / best);
      }
      std::printf("  %4d weights, %d bits: worst error / least error %.4f\n", static_cast<int>(size), bits, worst);
      EXPECT_LE(worst, 1.02) << size << " weights, " << bits << " bits";
    }
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

TEST(WeightQuantizer, Fp8HasOneScaleAChannelAndTheNearestCodes) {
  const Tensor weight = random_weight({6, 5, 3, 3}, 4);
  const QuantizedWeight quantized = quantize_weight(weight, 0, {.type = DataType::Float8E4M3FN});
  EXPECT_EQ(quantized.codes.type(), DataType::Float8E4M3FN);
  EXPECT_EQ(quantized.qparams.type, DataType::Float8E4M3FN);
  ASSERT_EQ(quantized.qparams.scale.size(), 6U);
  std::vector<float> amax(6, 0);
  const auto data = weight.data<float>();
  for (size_t i = 0; i < data.size(); ++i) amax[i / 45] = std::max(amax[i / 45], std::abs(data[i]));
  const Tensor numbers = cast(quantized.codes, DataType::Float32);
  for (size_t i = 0; i < data.size(); ++i) {
    const float scale = quantized.qparams.scale[i / 45];
    EXPECT_EQ(scale, static_cast<float>(static_cast<double>(amax[i / 45]) / 448));
    // Three bits of mantissa: at most 2^-4 of the number, or half of the least step, 2^-9.
    const float bound = std::max(std::abs(data[i]) / 16, scale * 0x1p-10F) * 1.0001F;
    EXPECT_LE(std::abs(numbers.data<float>()[i] * scale - data[i]), bound);
  }
}

TEST(WeightQuantizer, Fp8OfAZeroChannelIsZero) {
  const Tensor weight = Tensor::from<float>({2, 2}, {0, 0, 1, -2});
  const QuantizedWeight quantized = quantize_weight(weight, 0, {.type = DataType::Float8E4M3FN});
  EXPECT_THAT(quantized.qparams.scale, ElementsAre(1.0F, static_cast<float>(2.0 / 448)));
  EXPECT_THAT(cast(quantized.codes, DataType::Float32).data<float>(), ElementsAre(0, 0, 224, -448));
}

TEST(WeightQuantizer, Fp8HasNoSearchedRangeAndNoSevenBits) {
  const Tensor weight = Tensor::from<float>({1}, {1});
  EXPECT_THROW((void)quantize_weight(weight, -1, {.type = DataType::Float8E4M3FN, .range = WeightRange::Mse}), Error);
  EXPECT_THROW((void)quantize_weight(weight, -1, {.type = DataType::Float8E4M3FN, .bits = 7}), Error);
}

constexpr PairOrder kConvolutionPairs{PairOrder::Kind::Convolution, 0};

TEST(SafePairs, RaisesScalesUntilNoPairOfCodesCanSaturate) {
  const Tensor weight = random_weight({24, 6, 3, 3}, 4);
  const QuantizedWeight plain = quantize_weight(weight, 0);
  const QuantizedWeight safe = quantize_weight(weight, 0, {.safe_pairs = kConvolutionPairs});
  EXPECT_GT(count_unsafe_pairs(plain.codes, kConvolutionPairs).pairs, 0);
  EXPECT_EQ(count_unsafe_pairs(safe.codes, kConvolutionPairs).pairs, 0);
  size_t raised = 0;
  double factors = 0;
  for (size_t o = 0; o < 24; ++o) {
    EXPECT_GE(safe.qparams.scale[o], plain.qparams.scale[o]);
    EXPECT_LE(safe.qparams.scale[o], 2.02F * plain.qparams.scale[o])
        << "two of the largest weights make 127 steps then";
    raised += safe.qparams.scale[o] > plain.qparams.scale[o];
    factors += static_cast<double>(safe.qparams.scale[o]) / static_cast<double>(plain.qparams.scale[o]);
  }
  EXPECT_EQ(safe.made_safe, raised);
  EXPECT_DOUBLE_EQ(safe.safe_factors, factors);
}

TEST(SafePairs, OneScaleForATensorServesAllOutputs) {
  const Tensor weight = random_weight({64, 20}, 5);
  const PairOrder pairs{PairOrder::Kind::Matrix, 1};
  const QuantizedWeight safe = quantize_weight(weight, -1, {.safe_pairs = pairs});
  ASSERT_EQ(safe.qparams.scale.size(), 1U);
  EXPECT_EQ(count_unsafe_pairs(safe.codes, pairs).pairs, 0);
}

TEST(SafePairs, LeavesSafeWeightsAsTheyAre) {
  const Tensor weight = Tensor::from<float>({2, 2}, std::array<float, 4>{1, -1, 0.5F, 0.1F});
  const PairOrder rows{PairOrder::Kind::Matrix, 0};
  const QuantizedWeight safe = quantize_weight(weight, 0, {.safe_pairs = rows});
  EXPECT_EQ(safe.made_safe, 1U) << "127 and 25 add up to more than 128";
  EXPECT_EQ(safe.qparams.scale[0], 1.0F / 127) << "127 and -127 do not";
}

TEST(SafePairs, SevenBitsAreSafeAsTheyAre) {
  const Tensor weight = random_weight({24, 6, 3, 3}, 4);
  const QuantizedWeight seven = quantize_weight(weight, 0, {.bits = 7, .safe_pairs = kConvolutionPairs});
  EXPECT_EQ(seven.made_safe, 0U);
  EXPECT_EQ(count_unsafe_pairs(seven.codes, kConvolutionPairs).pairs, 0);
}

TEST(GivenScale, IsTheScale) {
  const Tensor weight = random_weight({3, 8}, 6);
  const QuantizedWeight given = quantize_weight(weight, 0, {.given_scale = {0.5F, 0, 0.25F}});
  EXPECT_EQ(given.qparams.scale[0], 0.5F);
  EXPECT_EQ(given.qparams.scale[1], quantize_weight(weight, 0).qparams.scale[1]) << "0: none is given";
  EXPECT_EQ(given.qparams.scale[2], 0.25F);
}

Tensor numbers(std::initializer_list<float> values) {
  Tensor tensor(DataType::Float32, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.mutable_data<float>().begin());
  return tensor;
}

std::vector<int> codes_of(const QuantizedWeight& quantized) {
  const auto codes = quantized.codes.data<uint8_t>();
  return {codes.begin(), codes.end()};
}

TEST(AsymmetricWeight, UsesAllCodesBetweenItsSmallestAndLargestNumber) {
  const QuantizedWeight quantized = quantize_weight(numbers({-0.5F, 0.0F, 0.25F, 2.05F}), 0, {.type = DataType::UInt8});
  EXPECT_THAT(codes_of(quantized), ElementsAre(0, 50, 75, 255));
  EXPECT_THAT(quantized.qparams.scale, ElementsAre(0.01F));
  EXPECT_THAT(quantized.qparams.zero_point, ElementsAre(50));
  EXPECT_EQ(quantized.qparams.type, DataType::UInt8);
  EXPECT_EQ(quantized.qparams.axis, -1);
}

TEST(AsymmetricWeight, NumbersOfOneSignHaveTheirZeroAtTheEnd) {
  EXPECT_THAT(quantize_weight(numbers({1, 2.55F}), -1, {.type = DataType::UInt8}).qparams.zero_point, ElementsAre(0));
  EXPECT_THAT(quantize_weight(numbers({-1, -2.55F}), -1, {.type = DataType::UInt8}).qparams.zero_point,
              ElementsAre(255));
}

TEST(AsymmetricWeight, KeepsAGivenScaleAndZeroPoint) {
  const QuantizedWeight quantized = quantize_weight(
      numbers({-0.5F, 0.0F, 1.0F}), -1, {.type = DataType::UInt8, .given_scale = {0.02F}, .given_point = 100});
  EXPECT_THAT(codes_of(quantized), ElementsAre(75, 100, 150));
  EXPECT_THAT(quantized.qparams.scale, ElementsAre(0.02F));
  EXPECT_THAT(quantized.qparams.zero_point, ElementsAre(100));
}

TEST(AsymmetricWeight, ABiasRaisesItsScale) {
  const QuantizedWeight quantized =
      quantize_weight(numbers({-0.5F, 2.05F}), -1, {.type = DataType::UInt8, .least_scale = {0.05F}});
  EXPECT_THAT(codes_of(quantized), ElementsAre(0, 51));
  EXPECT_THAT(quantized.qparams.zero_point, ElementsAre(10));
  EXPECT_EQ(quantized.raised, 1U);
}

TEST(AsymmetricWeight, ZerosHaveScaleOneOrTheScaleThatABiasNeeds) {
  EXPECT_THAT(quantize_weight(numbers({0, 0}), -1, {.type = DataType::UInt8}).qparams.scale, ElementsAre(1.0F));
  EXPECT_THAT(quantize_weight(numbers({0, 0}), -1, {.type = DataType::UInt8, .zero_scale = {0.5F}}).qparams.scale,
              ElementsAre(0.5F));
}

}  // namespace
}  // namespace detent
