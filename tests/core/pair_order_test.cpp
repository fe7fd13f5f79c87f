#include "core/pair_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr PairOrder kConvolution{PairOrder::Kind::Convolution, 0};
PairOrder matrix(int output_axis) { return {PairOrder::Kind::Matrix, output_axis}; }

/// True when some codes saturate. a * u + b * v is linear in u and v, so its extremes are where both are 0 or 255.
bool saturates(int a, int b) {
  for (const int u : {0, 255})
    for (const int v : {0, 255}) {
      const int sum = a * u + b * v;
      if (sum != std::clamp(sum, -32768, 32767)) return true;
    }
  return false;
}

TEST(PairOrder, APairIsSafeWhereNoActivationMakesItSaturate) {
  for (int a = -128; a <= 127; ++a)
    for (int b = -128; b <= 127; ++b) ASSERT_EQ(is_safe_pair(a, b), !saturates(a, b)) << a << " and " << b;
}

TEST(PairOrder, AConvolutionTakesChannelsOfOneTapSideBySide) {
  // 2 outputs, 3 channels, 2 x 2 taps: channel c of tap t lies at 4 c + t.
  EXPECT_THAT(pair_offsets({2, 3, 2, 2}, kConvolution), ElementsAre(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11));
  EXPECT_EQ(PairOutputs({2, 3, 2, 2}, kConvolution).step, 12);
  EXPECT_THAT(pair_offsets({2, 3, 2, 1}, {PairOrder::Kind::Convolution, 0, true}),
              ElementsAre(0, 2, 4, -1, 1, 3, 5, -1))
      << "each tap begins with a new pair";
}

TEST(PairOrder, ADeconvolutionTakesChannelsOfOnePlaceSideBySide) {
  EXPECT_EQ(pair_offsets({3, 2, 1, 2}, {PairOrder::Kind::Deconvolution, 1}),
            (std::vector<int64_t>{0, 4, 8, -1, 1, 5, 9, -1}));
  EXPECT_EQ(PairOutputs({3, 2, 1, 2}, {PairOrder::Kind::Deconvolution, 1}).step, 2);
}

TEST(PairOrder, TheLastOfAnOddNumberStandsAlone) {
  EXPECT_THAT(pair_offsets({2, 3, 1}, kConvolution), ElementsAre(0, 1, 2, -1));
  EXPECT_THAT(pair_offsets({3, 2}, matrix(1)), ElementsAre(0, 2, 4, -1));
}

TEST(PairOrder, AMatrixTakesItsInnerAxis) {
  EXPECT_THAT(pair_offsets({4, 3}, matrix(1)), ElementsAre(0, 3, 6, 9)) << "MatMul";
  EXPECT_THAT(pair_offsets({3, 4}, matrix(0)), ElementsAre(0, 1, 2, 3)) << "Gemm with transB";
  EXPECT_THAT(pair_offsets({2, 3, 2}, matrix(2)), ElementsAre(0, 2, 4, -1, 6, 8, 10, -1)) << "each matrix begins anew";
  EXPECT_THAT(pair_offsets({2}, matrix(0)), ElementsAre(0, 1)) << "a vector";
}

TEST(PairOrder, NothingIsPairedWhereSumsAreExact) {
  EXPECT_THAT(pair_offsets({2, 3, 2, 2}, {}), IsEmpty());
  EXPECT_THAT(pair_offsets({0, 3, 2, 2}, kConvolution), IsEmpty());
  EXPECT_EQ(count_unsafe_pairs(Tensor::from<int8_t>({1, 2}, std::array<int8_t, 2>{127, 127}), {}).all_pairs, 0);
}

TEST(PairOrder, CountsUnsafePairsAndTheirOutputs) {
  // Output 0: (127, 2) and (-64, -64); output 1: (100, -100) and (-65, -64); output 2: safe.
  const Tensor codes =
      Tensor::from<int8_t>({3, 4}, std::array<int8_t, 12>{127, 2, -64, -64, 100, -100, -65, -64, 1, 2, 3, 4});
  const UnsafePairs found = count_unsafe_pairs(codes, matrix(0));
  EXPECT_EQ(found.pairs, 2);
  EXPECT_EQ(found.outputs, 2);
  EXPECT_EQ(found.all_pairs, 6);
}

bool all_safe(std::span<const float> weights, float scale) {
  for (size_t i = 0; i < weights.size(); i += 2)
    if (!is_safe_pair(static_cast<int>(std::nearbyint(weights[i] / scale)),
                      static_cast<int>(std::nearbyint(weights[i + 1] / scale))))
      return false;
  return true;
}

TEST(LeastSafeScale, IsTheLeastFloatAtWhichAllPairsAreSafe) {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal(0, 1);
  size_t raised = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<float> weights(64);
    for (float& weight : weights) weight = normal(generator);
    const float amax = std::abs(*std::ranges::max_element(weights, {}, [](float w) { return std::abs(w); }));
    const float given = amax / 127, scale = least_safe_scale(weights, given);
    ASSERT_GE(scale, given);
    ASSERT_TRUE(all_safe(weights, scale));
    if (scale == given) continue;
    ++raised;
    ASSERT_FALSE(all_safe(weights, std::nextafter(scale, 0.0F))) << "round " << round;
  }
  EXPECT_GT(raised, 100U);
}

TEST(LeastSafeScale, RoundingTo129IsNotSafe) {
  // At scale 1 the codes are 65 and 64: their sum is 129, although the weights add up to 128.2.
  const std::vector<float> weights{64.6F, 63.6F};
  EXPECT_FALSE(all_safe(weights, 1));
  EXPECT_GT(least_safe_scale(weights, 1), 1.0F);
}

TEST(LeastSafeScale, StaysWhereWeightsOfAPairHaveOppositeSigns) {
  EXPECT_EQ(least_safe_scale(std::vector<float>{127, -127, 60, 60}, 1), 1.0F);
  EXPECT_EQ(least_safe_scale({}, 1), 1.0F);
}

TEST(LeastSafeScale, HoldsForTheLargestAndSmallestFloats) {
  for (const float large : {3.0e38F, 1.0e-30F}) {
    const std::vector<float> weights{large, large};
    const float scale = least_safe_scale(weights, large / 127);
    EXPECT_TRUE(all_safe(weights, scale)) << large;
    EXPECT_TRUE(std::isfinite(scale));
  }
}

}  // namespace
}  // namespace detent
