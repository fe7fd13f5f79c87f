#include "observe/float_reach.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace detent {
namespace {

constexpr float kUnlimited = std::numeric_limits<float>::infinity();

uint64_t count_at(const ValueReach& reach, int exponent) {
  return reach.counts[static_cast<size_t>(exponent - ValueReach::kLowest)];
}

ValueReach reach_of(const std::vector<float>& numbers) {
  ValueReach reach;
  reach.add(numbers);
  return reach;
}

TEST(FloatReach, CountsByTheExponentOfFrexp) {
  // The ends of Float32, its smallest normal number and the largest below it, and both ends of a binade.
  for (const float x :
       {0x1p-149F, 0x1.8p-149F, 0x1.fffffcp-127F, 0x1p-126F, 0.5F, 0x1.fffffep-1F, -1.0F, 0x1.fffffep127F}) {
    int exponent = 0;
    static_cast<void>(std::frexp(x, &exponent));
    const ValueReach reach = reach_of({x});
    EXPECT_EQ(count_at(reach, exponent), 1U) << x;
    EXPECT_EQ(reach.amax, std::abs(static_cast<double>(x)));
  }
  EXPECT_EQ(count_at(reach_of({0x1p-149F}), ValueReach::kLowest), 1U);
  EXPECT_EQ(count_at(reach_of({0x1.fffffep127F}), ValueReach::kHighest), 1U);
}

TEST(FloatReach, KnowsTheLargestAboveZero) {
  EXPECT_EQ(reach_of({-3e38F, 2, 1}).largest, 2);
  EXPECT_EQ(reach_of({-3e38F, -2, 0}).largest, 0);
  ValueReach both = reach_of({-4, 1});
  both.include(reach_of({3, -1}));
  EXPECT_EQ(both.largest, 3);
}

TEST(FloatReach, CountsZerosAndWhatIsNotFiniteApart) {
  const ValueReach reach = reach_of({0, -0.0F, NAN, kUnlimited, -kUnlimited, 2});
  EXPECT_EQ(reach.zeros, 2U);
  EXPECT_EQ(reach.non_finite, 3U);
  EXPECT_EQ(count_at(reach, 2), 1U);
  EXPECT_EQ(reach.amax, 2);
  EXPECT_EQ(reach.mean_abs, 2.0 / 6);
  EXPECT_EQ(reach_of({}), ValueReach{});
}

TEST(FloatReach, KeepsTheLargestMeanAndSizeOfASample) {
  ValueReach reach = reach_of({1, -3});
  reach.add(std::vector<float>{-4, 0, 0, 0});
  EXPECT_EQ(reach.mean_abs, 2);
  EXPECT_EQ(reach.elements, 4U);
  EXPECT_EQ(reach.amax, 4);
}

TEST(FloatReach, LeavesPaddingOut) {
  const std::vector<float> padded = {1, -3, 1e30F, kUnlimited}, content = {1, -3}, wrong = {1, 1e30F, -3, kUnlimited};
  const std::vector<uint8_t> counted = {1, 1, 0, 0};
  ValueReach reach, of_wrong;
  reach.add(padded, counted);
  EXPECT_EQ(reach, reach_of(content));
  of_wrong.add(wrong, counted);
  EXPECT_NE(of_wrong, reach_of(content)) << "the same number where it counts";
  FloatReachObserver stacked;
  stacked.begin_batch(2);
  stacked.observe(ValueId{0}, Tensor::from<float>({2, 2}, padded), std::vector<uint8_t>{1, 0, 1, 0});
  EXPECT_EQ(stacked.reaches().at(ValueId{0}).elements, 1U);
  EXPECT_EQ(stacked.reaches().at(ValueId{0}).amax, 1e30F);
  EXPECT_EQ(stacked.reaches().at(ValueId{0}).non_finite, 0U);
}

TEST(FloatReach, IsTheSameInAnyOrder) {
  std::mt19937 bits(1);
  std::vector<std::vector<float>> samples(8, std::vector<float>(100));
  for (auto& sample : samples)
    for (float& x : sample) x = static_cast<float>(static_cast<int32_t>(bits())) * 0x1p-40F;
  ValueReach forward, halves, other_half;
  for (const auto& sample : samples) forward.add(sample);
  for (size_t i = samples.size(); i-- > 0;) (i % 2 == 0 ? halves : other_half).add(samples[i]);
  halves.include(other_half);
  EXPECT_EQ(forward, halves);
  halves.include(other_half);
  EXPECT_NE(forward, halves);
}

TEST(FloatReach, CutsAStackOfSamples) {
  const Tensor stack = Tensor::from<float>({2, 2}, std::array<float, 4>{1, 1, 5, 7});
  constexpr ValueId kStack{3};
  FloatReachObserver stacked, whole;
  stacked.begin_batch(2);
  stacked.observe(kStack, stack);
  whole.observe(kStack, stack);
  EXPECT_EQ(stacked.reaches().at(kStack).mean_abs, 6);
  EXPECT_EQ(stacked.reaches().at(kStack).elements, 2U);
  EXPECT_EQ(whole.reaches().at(kStack).mean_abs, 3.5);
  EXPECT_EQ(whole.reaches().at(kStack).counts, stacked.reaches().at(kStack).counts);
  FloatReachObserver beside, unknown;
  for (FloatReachObserver* observer : {&beside, &unknown}) observer->begin_batch(2);
  beside.observe(kStack, stack, {}, {SampleAxis::Kind::Counts, 1, 0});
  EXPECT_EQ(beside.reaches().at(kStack).mean_abs, 4) << "samples lie on axis 1";
  unknown.observe(kStack, stack, {}, {SampleAxis::Kind::Unknown, 0, 0});
  EXPECT_EQ(unknown.reaches().at(kStack), whole.reaches().at(kStack));
  stacked.observe(ValueId{4}, Tensor::from<int64_t>({1}, std::array<int64_t, 1>{1}));
  EXPECT_FALSE(stacked.reaches().contains(ValueId{4})) << "integers have no reach";
}

}  // namespace
}  // namespace detent
