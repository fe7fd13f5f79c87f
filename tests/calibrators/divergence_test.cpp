#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "calibrators/divergence.h"
#include "calibrators/grid_error.h"

// The searches skip candidates that bounds rule out: wrong bounds would change ranges.
namespace detent {
namespace {

constexpr size_t kBins = 1200;
constexpr size_t kLevels = 128;

double bell(std::mt19937& random, size_t i) {
  const double x = (static_cast<double>(i) - kBins / 2.0) / (kBins / 8.0);
  return std::floor(1000 * std::exp(-x * x / 2) * std::uniform_real_distribution<>(0, 2)(random));
}
double sparse(std::mt19937& random, size_t /*i*/) {
  return random() % 5 == 0 ? static_cast<double>(random() % 100) : 0;
}
double falling(std::mt19937& random, size_t i) { return std::floor(1e6 / static_cast<double>(i + 1)) + random() % 2; }

std::vector<std::vector<double>> distributions() {
  std::mt19937 random(1);
  std::vector<std::vector<double>> all;
  for (const auto& shape : std::vector<std::function<double(std::mt19937&, size_t)>>{bell, sparse, falling}) {
    std::vector<double> counts(kBins);
    for (size_t i = 0; i < kBins; ++i) counts[i] = shape(random, i);
    all.push_back(counts);
  }
  return all;
}

TEST(SearchBounds, DivergenceIsNeverBelowItsLowerBound) {
  for (const std::vector<double>& counts : distributions()) {
    const ClippedDivergence divergence(counts);
    for (size_t first = 0; first + kLevels <= kBins; first += 37)
      for (size_t last = first + kLevels; last <= kBins; last += 41)
        ASSERT_LE(divergence.lower_bound(first, last, kLevels), divergence(first, last, kLevels) + 1e-10)
            << first << ".." << last;
  }
}

TEST(SearchBounds, NoDivergenceNearTheSmallestIsLeftOut) {
  size_t left_out = 0;
  for (const std::vector<double>& counts : distributions()) {
    const ClippedDivergence divergence(counts);
    std::vector<Window> windows;
    std::vector<double> all;
    for (size_t last = kLevels; last <= kBins; ++last) {
      windows.push_back({0, last});
      all.push_back(divergence(0, last, kLevels));
    }
    const std::vector<double> found = window_divergences(divergence, windows, kLevels);
    EXPECT_EQ(last_minimum(found), last_minimum(all));
    for (size_t i = 0; i < all.size(); ++i) {
      left_out += found[i] != all[i];
      if (found[i] != all[i]) {
        EXPECT_EQ(found[i], std::numeric_limits<double>::infinity());
      }
    }
  }
  EXPECT_GT(left_out, kBins / 2) << "the bound would not be worth its cost";
}

TEST(SearchBounds, AGridIsLeftOutOnlyWhenItsErrorExceedsTheLimit) {
  size_t left_out = 0;
  for (const std::vector<double>& counts : distributions()) {
    const GridError error({counts, kBins / 3});
    for (double known = 0.5; known < 6; known *= 1.3) {
      for (const int zero_point : {0, 80}) {
        const Grid from{known, zero_point, 0, 255};
        StretchBound bound(error);
        bound.remember(from, error(from));
        for (double stretch = 0.7; stretch < 1.4; stretch += 0.003) {
          const Grid to{known * stretch, zero_point, 0, 255};
          const double found = error(to);
          EXPECT_FALSE(bound.exceeds(to, found)) << known << " * " << stretch;
          left_out += bound.exceeds(to, found / 2);
        }
      }
    }
  }
  EXPECT_GT(left_out, 1000u) << "the bound would not be worth its cost";
}

TEST(SearchBounds, AGridWithOtherCodesIsNeverLeftOut) {
  const GridError error({distributions().front(), kBins / 3});
  StretchBound bound(error);
  EXPECT_FALSE(bound.exceeds({1, 80, 0, 255}, 0)) << "nothing is known yet";
  bound.remember({1, 80, 0, 255}, error({1, 80, 0, 255}));
  EXPECT_TRUE(bound.exceeds({1, 80, 0, 255}, 0));
  EXPECT_FALSE(bound.exceeds({1, 81, 0, 255}, 0));
  EXPECT_FALSE(bound.exceeds({1, 80, 0, 254}, 0));
}

}  // namespace
}  // namespace detent
