#include "detent/base/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "detent/base/error.h"

namespace detent {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Histogram histogram_of(const std::vector<float>& values) {
  Histogram histogram;
  histogram.add(values);
  return histogram;
}

/// Returns numbers of twenty binades, both signs, some zeros: k grows often.
std::vector<float> heavy_tailed(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& x : values) {
    x = normal(random) * std::exp2(3 * normal(random));
    if (random() % 8 == 0) x = 0;
  }
  return values;
}

TEST(Histogram, IsEmptyAtFirst) {
  const Histogram histogram;
  EXPECT_TRUE(histogram.empty());
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.max_abs(), 0);
  EXPECT_EQ(histogram.log2_width(), Histogram::kMinLog2Width);
  EXPECT_TRUE(histogram.magnitude_counts().empty());
  EXPECT_EQ(histogram.positive().size(), size_t{Histogram::kBins});
  EXPECT_EQ(histogram.negative().size(), size_t{Histogram::kBins});
}

TEST(Histogram, AddingNothingChangesNothing) { EXPECT_EQ(histogram_of({}), Histogram()); }

TEST(Histogram, WidthIsTheSmallestThatHoldsTheLargestMagnitude) {
  EXPECT_EQ(histogram_of({1.0f}).log2_width(), -11) << "1 = 2^(k+11)";
  EXPECT_EQ(histogram_of({std::nextafter(2.0f, 0.0f)}).log2_width(), -11) << "still below 2^(k+12)";
  EXPECT_EQ(histogram_of({2.0f}).log2_width(), -10) << "4096 bins do not hold 4096 widths";
  EXPECT_EQ(histogram_of({-2.0f}).log2_width(), -10);
}

TEST(Histogram, WidthStaysWithinItsBounds) {
  EXPECT_EQ(histogram_of({FLT_MAX}).log2_width(), Histogram::kMaxLog2Width);
  EXPECT_EQ(histogram_of({-FLT_MAX}).negative()[4095], 1u);
  const Histogram smallest = histogram_of({0x1p-40f});
  EXPECT_EQ(smallest.log2_width(), Histogram::kMinLog2Width);
  EXPECT_EQ(smallest.positive()[2048], 1u);
}

TEST(Histogram, BinsOfEitherSideBeginAtTheirEdgeNextToZero) {
  // Width 1: 2048 <= max|x| < 4096.
  const Histogram histogram = histogram_of({4095.5f, 7.0f, 7.99f, 8.0f, -7.0f, -8.0f});
  ASSERT_EQ(histogram.log2_width(), 0);
  EXPECT_EQ(histogram.positive()[7], 2u);
  EXPECT_EQ(histogram.positive()[8], 1u);
  EXPECT_EQ(histogram.positive()[4095], 1u);
  EXPECT_EQ(histogram.negative()[7], 1u);
  EXPECT_EQ(histogram.negative()[8], 1u);
}

TEST(Histogram, CountsWhatIsBelowTwoToTheMinusFortyAsZeroOnly) {
  const Histogram histogram = histogram_of({0.0f, -0.0f, 1e-45f, -1e-40f, std::nextafter(0x1p-40f, 0.0f)});
  EXPECT_EQ(histogram.count(), 5u);
  EXPECT_EQ(histogram.zeros(), 5u);
  EXPECT_EQ(histogram.max_abs(), 0);
  EXPECT_FALSE(std::signbit(histogram.min()));
  EXPECT_TRUE(histogram.magnitude_counts().empty());
}

TEST(Histogram, CountsNaNAndInfAndNothingElseOfThem) {
  const Histogram histogram = histogram_of({kNaN, kInf, -kInf, -kNaN, 1.0f});
  EXPECT_EQ(histogram.count(), 1u);
  EXPECT_EQ(histogram.nans(), 2u);
  EXPECT_EQ(histogram.infinities(), 2u);
  EXPECT_EQ(histogram.min(), 1.0f);
  EXPECT_EQ(histogram.max(), 1.0f);
}

TEST(Histogram, KeepsExactExtremes) {
  const Histogram histogram = histogram_of({0.1f, -0.3f, 0.2f});
  EXPECT_EQ(histogram.min(), -0.3f);
  EXPECT_EQ(histogram.max(), 0.2f);
  EXPECT_EQ(histogram.max_abs(), 0.3f);
}

TEST(Histogram, ExtremesNeedNotIncludeZero) {
  EXPECT_EQ(histogram_of({3.0f, 5.0f}).min(), 3.0f);
  EXPECT_EQ(histogram_of({-3.0f, -5.0f}).max(), -3.0f);
  EXPECT_EQ(histogram_of({3.0f, 5.0f, -0.0f}).min(), 0.0f);
}

TEST(Histogram, GrowingAddsNeighboursAndLosesNothing) {
  Histogram grown = histogram_of({0.5f, 0.5f + 0x1p-12f, 0.75f, -0.5f});
  grown.add(std::vector<float>{1000.0f});
  EXPECT_EQ(grown, histogram_of({1000.0f, -0.5f, 0.75f, 0.5f + 0x1p-12f, 0.5f}));
  EXPECT_EQ(grown.positive()[2], 2u) << "0.5 .. 0.75 in bins of 1/4";
  EXPECT_EQ(grown.positive()[3], 1u);
}

TEST(Histogram, DependsOnNoOrder) {
  std::vector<float> values = heavy_tailed(20000, 1);
  const Histogram given = histogram_of(values);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(histogram_of(values), given);
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(histogram_of(values), given);
  std::shuffle(values.begin(), values.end(), std::mt19937(2));
  EXPECT_EQ(histogram_of(values), given);
}

TEST(Histogram, DependsOnNoBatching) {
  const std::vector<float> values = heavy_tailed(20000, 3);
  Histogram batched;
  for (size_t i = 0; i < values.size(); i += 37)
    batched.add(std::span(values).subspan(i, std::min<size_t>(37, values.size() - i)));
  EXPECT_EQ(batched, histogram_of(values));
}

TEST(Histogram, MergesInAnyOrder) {
  const std::vector<float> a = heavy_tailed(5000, 4);
  std::vector<float> b = heavy_tailed(5000, 5);
  for (float& x : b) x *= 1e6f;
  std::vector<float> c = heavy_tailed(5000, 6);
  for (float& x : c) x = std::fabs(x) * 1e-6f;
  std::vector<float> all = a;
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  const Histogram expected = histogram_of(all);
  const std::vector<Histogram> shards = {histogram_of(a), histogram_of(b), histogram_of(c)};
  std::vector<size_t> order = {0, 1, 2};
  do {
    Histogram merged;
    for (const size_t i : order) merged.merge(shards[i]);
    EXPECT_EQ(merged, expected);
  } while (std::next_permutation(order.begin(), order.end()));
  Histogram inner = shards[1];
  inner.merge(shards[2]);
  Histogram outer = shards[0];
  outer.merge(inner);
  EXPECT_EQ(outer, expected) << "associative";
}

TEST(Histogram, MergingAnEmptyOneChangesNothing) {
  const Histogram positive = histogram_of({3.0f, 5.0f});
  Histogram merged = positive;
  merged.merge(Histogram());
  EXPECT_EQ(merged, positive) << "its min and max of 0 are no elements";
  Histogram other;
  other.merge(positive);
  EXPECT_EQ(other, positive);
}

TEST(Histogram, DiffersWhenOneElementDiffers) {
  EXPECT_NE(histogram_of({1.0f, 0.5f}), histogram_of({1.0f, 0.25f}));
  EXPECT_NE(histogram_of({1.0f, 0.5f}), histogram_of({1.0f, 0.5f, 0.0f}));
  EXPECT_NE(histogram_of({1.0f, 0.5f}), histogram_of({1.0f, -0.5f}));
}

TEST(Histogram, AddsBothSidesForMagnitudes) {
  const std::vector<uint64_t> counts = histogram_of({2500.0f, 10.0f, -10.0f, -3000.0f, 0.0f}).magnitude_counts();
  ASSERT_EQ(counts.size(), 3001u) << "trimmed after the last non-empty bin";
  EXPECT_EQ(counts[10], 2u);
  EXPECT_EQ(counts[2500], 1u);
  EXPECT_EQ(counts[3000], 1u);
  EXPECT_EQ(counts[0], 0u) << "zeros are not in it";
}

TEST(Histogram, DerivesSumsFromBinCentres) {
  const std::vector<float> values = heavy_tailed(20000, 8);
  const Histogram histogram = histogram_of(values);
  double sum = 0, squares = 0, magnitudes = 0;
  for (const double x : values) {
    sum += x;
    squares += x * x;
    magnitudes += std::fabs(x);
  }
  // A centre is at most half a bin off: |error of the sum| <= n*w/2, of the squares <= w * sum|x| + n*w^2/4.
  const double n = static_cast<double>(values.size());
  const double width = histogram.bin_width();
  EXPECT_NEAR(histogram.sum(), sum, n * width / 2);
  EXPECT_NEAR(histogram.sum_of_squares(), squares, width * magnitudes + n * width * width / 4);
}

TEST(Histogram, StateComesBackAsItWas) {
  for (const Histogram& histogram :
       {Histogram(), histogram_of(heavy_tailed(3000, 9)), histogram_of({kNaN, 0.0f}), histogram_of({-3.0f, -2.0f})})
    EXPECT_EQ(Histogram::from_state(histogram.state()), histogram);
}

TEST(Histogram, RefusesStatesThatItNeverWrites) {
  const Histogram::State good = histogram_of(heavy_tailed(3000, 10)).state();
  const auto refuses = [&](auto damage) {
    Histogram::State state = good;
    damage(state);
    try {
      (void)Histogram::from_state(state);
    } catch (const Error& error) {
      return error.code() == ErrorCode::InvalidData;
    }
    return false;
  };
  EXPECT_FALSE(refuses([](Histogram::State&) {}));
  EXPECT_TRUE(refuses([](Histogram::State& state) { state.positive.pop_back(); }));
  EXPECT_TRUE(refuses([](Histogram::State& state) { state.negative.clear(); }));
  EXPECT_TRUE(refuses([](Histogram::State& state) { ++state.positive[17]; }));
  EXPECT_TRUE(refuses([](Histogram::State& state) { ++state.log2_width; }));
  EXPECT_TRUE(refuses([](Histogram::State& state) { state.log2_width = 4000; }));
  EXPECT_TRUE(refuses([](Histogram::State& state) { state.max = kInf; }));
  EXPECT_TRUE(refuses([](Histogram::State& state) { state.min = kNaN; }));
  EXPECT_TRUE(refuses([](Histogram::State& state) { std::swap(state.min, state.max); }));
}

}  // namespace
}  // namespace detent
