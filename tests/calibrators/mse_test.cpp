// Tests the ranges of values with 16-bit codes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "calibrators/chosen_range.h"
#include "calibrators/grid_error.h"
#include "calibrators/signed_bins.h"
#include "calibrators/squared_error.h"

namespace detent {
namespace {

/// 2^44 elements: 2^16 normal ones, each 2^28 times, and a tail of 53248 that reaches 100 times as far. With that many
/// elements clipping gains in 16 bits as well.
struct LongTail {
  static constexpr int kDoublings = 28;
  std::vector<float> bulk = normal_values(size_t{1} << 16);
  std::vector<float> tail;
  Histogram histogram = histogram_of(bulk);

  LongTail() {
    for (int i = 1; i <= 53248; ++i) tail.push_back(static_cast<float>(i) * (100.0F / 53248));
    for (int i = 0; i < kDoublings; ++i) {
      const Histogram once = histogram;
      histogram.merge(once);
    }
    histogram.add(tail);
  }
  /// Returns the squared error of the elements themselves on the grid of +-amax with 2 * steps + 1 codes.
  [[nodiscard]] double error_at(double amax, int steps) const {
    const auto scale = static_cast<float>(amax / steps);
    const auto sum = [&](const std::vector<float>& values) {
      double error = 0;
      for (const float x : values) {
        const float code = std::clamp(std::nearbyint(x / scale), -static_cast<float>(steps), static_cast<float>(steps));
        error += std::pow(static_cast<double>(x) - static_cast<double>(code) * static_cast<double>(scale), 2);
      }
      return error;
    };
    return std::ldexp(sum(bulk), kDoublings) + sum(tail);
  }
};

// The end is a bin's edge: at the optimum A in ((k-1)w, kw] the end kw clips no more and has a step of at most
// k/(k-1) times that of A, k > 128. The elements' own rounding error is known from 2^16 of them, up to 5 * 0.9 / 2^8.
TEST(WideMse, FindsTheOptimumOf16BitsUpToABinAndTheNoiseOfTheSample) {
  const LongTail data;
  const Range range = make_calibrator("mse")->choose(data.histogram, RangeKind::Symmetric16);
  const double found = data.error_at(static_cast<double>(range.max), 32767);
  double least = found;
  for (double amax = 0.5; amax <= 100; amax += amax < 40 ? 0.5 : 1.0 / 16)
    least = std::min(least, data.error_at(amax, 32767));
  constexpr double kBin = (129.0 / 128) * (129.0 / 128), kNoise = 1 + 2 * 5 * 0.9 / 256;
  EXPECT_LE(found, least * kBin * kNoise);
  EXPECT_LT(range.max, 99) << "clipping gains here";
  EXPECT_GT(range.max, 40);
  const Range eight = make_calibrator("mse")->choose(data.histogram, RangeKind::Symmetric);
  EXPECT_LT(eight.max, 10) << "255 codes clip the tail";
  EXPECT_GT(data.error_at(static_cast<double>(eight.max), 32767), 2 * found) << "the range of 8 bits is wrong for 16";
}

TEST(WideMse, ExpectsTheErrorOfEvenlySpreadElements) {
  std::vector<float> values;
  for (int i = 0; i < (1 << 20); ++i) values.push_back(std::ldexp(static_cast<float>(i) + 0.5F, -20));
  const Histogram histogram = histogram_of(values);
  const double step = 1.0 / 32767 / histogram.bin_width();
  EXPECT_NEAR(squared_error(histogram, {-1, 1}, RangeKind::Symmetric16) / (step * step / 12 * (1 << 20)), 1, 1e-3);
  EXPECT_NEAR(squared_error(histogram, {0, 1}, RangeKind::Asymmetric16) / (step * step / 12 * (1 << 18)), 1, 1e-3);
  const auto wide = expected_sqnr_db(histogram, RangeKind::Asymmetric16);
  const auto narrow = expected_sqnr_db(histogram, RangeKind::Asymmetric);
  ASSERT_TRUE(wide && narrow);
  EXPECT_NEAR(*wide - *narrow, 20 * std::log10(65535.0 / 255), 0.3) << "256 times as many codes";
}

TEST(WideMse, KeepsAllOfShortTails) {
  const Histogram histogram = histogram_of(normal_values(20000));
  EXPECT_EQ(make_calibrator("mse")->choose(histogram, RangeKind::Symmetric16).max, histogram.max_abs());
  const Range range = make_calibrator("mse")->choose(histogram, RangeKind::Asymmetric16);
  EXPECT_EQ(range.min, histogram.min());
  EXPECT_EQ(range.max, histogram.max());
}

// 4096 bins tell nothing apart that 32768 levels do not.
TEST(WideEntropy, KeepsEverythingUnlessThatCosts16TimesTheLeastError) {
  const Histogram histogram = histogram_of(normal_values(20000));
  for (const RangeKind kind : {RangeKind::Symmetric16, RangeKind::Asymmetric16}) {
    EXPECT_EQ(make_calibrator("entropy")->choose(histogram, kind), make_calibrator("max")->choose(histogram, kind));
  }
  EXPECT_LT(make_calibrator("entropy")->choose(histogram, RangeKind::Symmetric).max, histogram.max_abs());
}

}  // namespace
}  // namespace detent
