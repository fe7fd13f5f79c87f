#include "half/value_reach.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace detent {
namespace {

/// Returns numbers spread evenly over [low, 2 low), of both signs.
std::vector<float> binade(double low, size_t count) {
  std::mt19937 bits(7);
  std::uniform_real_distribution<double> place(1, 2);
  std::vector<float> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>((i % 2 ? -1 : 1) * low * place(bits));
  return numbers;
}

ValueReach reach_of_all(const std::vector<float>& numbers) {
  ValueReach reach;
  reach.add(numbers);
  return reach;
}

double exact_db(const std::vector<float>& numbers, const FloatFormat& format) {
  return reach_of(Tensor::from<float>({static_cast<int64_t>(numbers.size())}, numbers), format).rounding_db();
}

constexpr size_t kMany = 10'000;
/// Tolerance: the mean of e^2 of uniform errors has the relative standard error sqrt(4/5 / n), 0.04 dB for kMany; five
/// of them.
constexpr double kTolerance = 0.2;

TEST(ValueReach, RoundingIsThatOfTheNumbersThemselves) {
  for (const DataType type : {DataType::Float16, DataType::BFloat16}) {
    const FloatFormat format = float_format(type);
    for (const double low : {1.0, 1024.0, 0x1p-10}) {
      const auto numbers = binade(low, kMany);
      EXPECT_NEAR(rounding_db(reach_of_all(numbers), format), exact_db(numbers, format), kTolerance) << low;
      EXPECT_NEAR(rounding_db(reach_of_all(numbers), format), format.usual_db, 0.05) << low;
    }
  }
}

TEST(ValueReach, SubnormalNumbersLoseDigits) {
  const FloatFormat format;
  for (const double low : {0x1p-18, 0x1p-22, 0x1p-24, 0x1p-25}) {
    const auto numbers = binade(low, kMany);
    EXPECT_NEAR(rounding_db(reach_of_all(numbers), format), exact_db(numbers, format), kTolerance) << low;
  }
  EXPECT_LT(rounding_db(reach_of_all(binade(0x1p-18, kMany)), format), format.least_db());
  EXPECT_GT(rounding_db(reach_of_all(binade(0x1p-12, kMany)), format), format.least_db());
  EXPECT_NEAR(rounding_db(reach_of_all(binade(0x1p-30, kMany)), format), 0, 1e-9) << "nothing is left but noise";
}

TEST(ValueReach, AFewSmallNumbersBesideLargeOnesAreNoNoise) {
  auto numbers = binade(1, kMany);
  const auto small = binade(0x1p-20, kMany);
  numbers.insert(numbers.end(), small.begin(), small.end());
  EXPECT_NEAR(rounding_db(reach_of_all(numbers), {}), FloatFormat{}.usual_db, 0.05);
}

TEST(ValueReach, CountsWhatBecomesZero) {
  const FloatFormat format;
  EXPECT_EQ(vanishing(reach_of_all({0x1.fp-26F, -0x1p-30F, 0}), format), 2U);
  EXPECT_EQ(vanishing(reach_of_all({0x1.1p-25F, 1, 0}), format), 0U);
  EXPECT_EQ(vanishing(reach_of_all({0x1p-30F}), float_format(DataType::BFloat16)), 0U);
}

TEST(ValueReach, NumbersBeyondTheRangeAreLeftOut) {
  const auto numbers = binade(0x1p17, 100);
  EXPECT_EQ(rounding_db(reach_of_all(numbers), {}), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(rounding_db(reach_of_all(numbers), float_format(DataType::BFloat16)), 56.6, 0.05);
  EXPECT_EQ(rounding_db({}, {}), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace detent
