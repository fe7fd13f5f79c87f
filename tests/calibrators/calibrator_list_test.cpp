#include "detent/base/calibrator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "calibrators/chosen_range.h"
#include "calibrators/grid_error.h"
#include "calibrators/signed_bins.h"
#include "calibrators/squared_error.h"
#include "detent/base/error.h"

namespace detent {
namespace {

// --- every calibrator, on the most difficult data

class EveryCalibrator : public testing::TestWithParam<std::tuple<const char*, RangeKind>> {
 protected:
  [[nodiscard]] Range range_of(const std::vector<float>& values) const {
    return choose(std::get<0>(GetParam()), values, std::get<1>(GetParam()));
  }
  [[nodiscard]] bool symmetric() const { return !is_asymmetric(std::get<1>(GetParam())); }

  /// Every range contains 0, is symmetric when asked for, and never reaches beyond the data.
  void expect_sound(const Range& range, const std::vector<float>& values) const {
    const Histogram histogram = histogram_of(values);
    EXPECT_LE(range.min, 0);
    EXPECT_GE(range.max, 0);
    EXPECT_LE(range.amax(), histogram.max_abs());
    if (symmetric()) {
      EXPECT_EQ(range.min, -range.max);
    } else {
      EXPECT_GE(range.min, std::min(histogram.min(), 0.0f));
      EXPECT_LE(range.max, std::max(histogram.max(), 0.0f));
    }
    if (histogram.max_abs() > 0) {
      EXPECT_GT(range.amax(), 0) << "data that is not all zero needs a range";
    }
  }
};

INSTANTIATE_TEST_SUITE_P(, EveryCalibrator,
                         testing::Combine(testing::Values("max", "percentile", "percentile:100", "entropy", "mse",
                                                          "samplemax"),
                                          testing::Values(RangeKind::Symmetric, RangeKind::Asymmetric,
                                                          RangeKind::Symmetric16, RangeKind::Asymmetric16)));

TEST_P(EveryCalibrator, GivesNoRangeWithoutData) { EXPECT_EQ(range_of({}), Range{}); }

TEST_P(EveryCalibrator, GivesNoRangeToZeros) { EXPECT_EQ(range_of({0.0f, -0.0f, 0.0f}), Range{}); }

TEST_P(EveryCalibrator, GivesNoRangeToDenormals) {
  EXPECT_EQ(range_of({1e-40f, -1e-45f, 1e-38f}), Range{});
  EXPECT_EQ(range_of({-0x1p-41f}), Range{}) << "below 2^-40 everything is zero";
  EXPECT_EQ(range_of({0x1p-40f}).max, 0x1p-40f);
}

TEST_P(EveryCalibrator, TakesDenormalsForZerosBesideOtherData) {
  std::vector<float> zeros = normal_values(20000), denormals = zeros;
  zeros.insert(zeros.end(), 3000, 0.0f);
  denormals.insert(denormals.end(), 3000, -1e-40f);
  EXPECT_EQ(range_of(denormals), range_of(zeros));
}

TEST_P(EveryCalibrator, GivesNoRangeToNaNAndInf) {
  EXPECT_EQ(range_of({std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}), Range{});
}

TEST_P(EveryCalibrator, IgnoresNaNAndInf) {
  std::vector<float> values = normal_values(20000);
  const Range clean = range_of(values);
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  values.push_back(-std::numeric_limits<float>::infinity());
  EXPECT_EQ(range_of(values), clean);
}

TEST_P(EveryCalibrator, KeepsAConstant) {
  // A constant fills one bin of 4096 to 2049 in use, so nothing is gained by clipping more than a bin: 1/2048 of it.
  for (const float x : {3.0f, -0.7f, 0x1p-40f, 3e38f}) {
    const std::vector<float> values(1000, x);
    const Range range = range_of(values);
    expect_sound(range, values);
    EXPECT_GE(range.amax(), std::fabs(x) * (1 - 1.0f / 2048)) << x;
  }
}

TEST_P(EveryCalibrator, KeepsASingleElement) {
  const std::vector<float> values = {5.25f};
  const Range range = range_of(values);
  expect_sound(range, values);
  EXPECT_GE(range.max, 5.25f * (1 - 1.0f / 2048));
}

TEST_P(EveryCalibrator, IsSoundWithOneHugeOutlier) {
  std::vector<float> values = normal_values(50000);
  values.push_back(1e6f);
  expect_sound(range_of(values), values);
}

TEST_P(EveryCalibrator, IsSoundOnNegativeData) {
  std::vector<float> values = normal_values(50000);
  for (float& x : values) x = -std::fabs(x) - 0.01f;
  const Range range = range_of(values);
  expect_sound(range, values);
  if (!symmetric()) {
    EXPECT_EQ(range.max, 0);
  }
}

TEST_P(EveryCalibrator, MirrorsWithItsData) {
  std::vector<float> values = normal_values(50000, 0.5f);
  const Range range = range_of(values);
  for (float& x : values) x = -x;
  const Range mirrored = range_of(values);
  if (symmetric()) {
    EXPECT_EQ(mirrored, range);
  } else {
    // The asymmetric searches move the upper end first, so from a mirror they may end in another optimum; where the
    // divergence is flat that is some steps off (5 % of a range of 9 is a twentieth of the levels).
    EXPECT_NEAR(mirrored.max, -range.min, 0.05 * (range.max - range.min));
    EXPECT_NEAR(mirrored.min, -range.max, 0.05 * (range.max - range.min));
  }
}

TEST_P(EveryCalibrator, IsSoundWithFewerBinsInUseThanLevels) {
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) values.push_back(static_cast<float>(i % 5));  // five of 4096 bins are not empty
  const Range range = range_of(values);
  expect_sound(range, values);
  EXPECT_GE(range.max, 3.9f) << "a fifth of the data lies there";
}

TEST_P(EveryCalibrator, IsSoundOnMostlyZeroData) {
  std::vector<float> values(100000, 0.0f);
  values[5] = 2.0f;
  values[6] = -1.0f;
  expect_sound(range_of(values), values);
}

TEST_P(EveryCalibrator, ScalesWithPowersOfTwo) {
  std::vector<float> values = normal_values(30000);
  const Range range = range_of(values);
  for (float& x : values) x *= 1024;
  const Range scaled = range_of(values);
  EXPECT_EQ(scaled.min, range.min * 1024);
  EXPECT_EQ(scaled.max, range.max * 1024);
}

// --- max

TEST(Max, IsExactAndNoBinEdge) {
  EXPECT_EQ(choose("max", {0.1f, -0.7f}), (Range{-0.7f, 0.7f}));
  EXPECT_EQ(choose("max", {0.1f, -0.7f}, RangeKind::Asymmetric), (Range{-0.7f, 0.1f}));
}

TEST(Max, WidensARangeAwayFromZeroToContainIt) {
  EXPECT_EQ(choose("max", {2.0f, 3.0f}, RangeKind::Asymmetric), (Range{0, 3}));
  EXPECT_EQ(choose("max", {-2.0f, -3.0f}, RangeKind::Asymmetric), (Range{-3, 0}));
}

// --- percentile

std::vector<float> steps(int count) {
  std::vector<float> values;
  for (int i = 1; i <= count; ++i) values.push_back(static_cast<float>(i));
  return values;
}

TEST(Percentile, IgnoresTheTopFraction) {
  // 1000 values of one bin (width 1/4) each: the 990th smallest is 990, in bin [990, 990.25).
  const float amax = choose("percentile:99", steps(1000)).max;
  EXPECT_GE(amax, 990.0f);
  EXPECT_LE(amax, 990.25f);
}

TEST(Percentile, KeepsEverythingAtOneHundred) { EXPECT_EQ(choose("percentile:100", steps(1000)).max, 1000.0f); }

TEST(Percentile, InterpolatesWithinTheBin) {
  // Three quarters of the only bin in use, [0.5, 0.5 + 2^-12).
  const float amax = choose("percentile:75", std::vector<float>(400, 0.5f + 0x1p-13f)).max;
  EXPECT_EQ(amax, 0.5f + 0x1p-13f) << "never above the largest element";
  std::vector<float> values(400, 0.5f);
  values[0] = 0.5f + 0x1.ep-13f;
  EXPECT_EQ(choose("percentile:75", values).max, 0.5f + 0.75f * 0x1p-12f);
}

TEST(Percentile, CountsZeros) {
  std::vector<float> values(1000, 0.0f);
  for (size_t i = 0; i < 20; ++i) values[i] = 1.0f + static_cast<float>(i);
  EXPECT_LT(choose("percentile:97", values).max, 0.01f);
  EXPECT_NEAR(choose("percentile:99", values).max, 10.0f, 0x1p-7) << "the 990th of 1000, give or take a bin of 2^-7";
}

TEST(Percentile, CutsHalfOfItsMassAtEitherEndWhenAsymmetric) {
  std::vector<float> values = steps(1000);
  for (int i = 1; i <= 1000; ++i) values.push_back(-2.0f * static_cast<float>(i));
  const Range range = choose("percentile:99", values, RangeKind::Asymmetric);  // 10 of 2000 go at either end
  EXPECT_NEAR(range.max, 990, 1) << "bins are half a unit wide";
  EXPECT_NEAR(range.min, -1980, 1);
}

TEST(Percentile, TakesPercentNotFractions) {
  EXPECT_THROW((void)make_calibrator("percentile:0.9999"), Error);
  EXPECT_THROW((void)make_calibrator("percentile:100.1"), Error);
  EXPECT_THROW((void)make_calibrator("percentile:abc"), Error);
  EXPECT_THROW((void)make_calibrator("percentile:99x"), Error);
  EXPECT_THROW((void)make_calibrator("percentile:nan"), Error);
  EXPECT_THROW((void)make_calibrator("percentile:-99"), Error);
  EXPECT_THROW((void)make_calibrator("percentile: 99"), Error);
}

TEST(Percentile, SaysWhatIsWrongWithItsArgument) {
  const auto message = [](const char* spec) {
    try {
      (void)make_calibrator(spec);
      return std::string("accepted");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::Usage) << spec;
      return std::string(error.what()) + " / " + error.hint();
    }
  };
  EXPECT_THAT(message("percentile:0.9999"), testing::HasSubstr("P is in percent"));
  EXPECT_THAT(message("percentile:99.9,99.99"), testing::HasSubstr("one percentage at a time"));
  EXPECT_THAT(message("percentile:"), testing::HasSubstr("nothing behind the colon"));
  EXPECT_THAT(message("max:"), testing::HasSubstr("nothing behind the colon"));
}

// --- entropy

TEST(Entropy, BuildsOnChoicesThatWereFoundBefore) {
  const Histogram histogram = histogram_of(normal_values(20000));
  const RangeKind kind = RangeKind::Symmetric;
  const auto entropy = make_calibrator("entropy");
  FoundRanges found;
  const Range chosen = ValueStatistics{histogram, {}, &found}.choice_of(*entropy, kind);
  EXPECT_EQ(chosen, entropy->choose(histogram, kind));
  EXPECT_EQ(found.size(), 3U) << "its own, that without a bound, and that of the least error";
  EXPECT_EQ(found.at({"mse", kind}), make_calibrator("mse")->choose(histogram, kind));

  const Range planted{-1, 1};
  found = {{{"entropy", kind}, planted}};
  EXPECT_EQ((ValueStatistics{histogram, {}, &found}.choice_of(*entropy, kind)), planted);
  EXPECT_EQ((ValueStatistics{histogram}.choice_of(*entropy, kind)), chosen);
}

TEST(Entropy, ClipsALongThinTail) {
  std::vector<float> values = normal_values(200000);
  for (int i = 0; i < 20; ++i) values.push_back(40.0f + static_cast<float>(i));
  const float amax = choose("entropy", values).max;
  EXPECT_LT(amax, 10) << "one element in ten thousand is not worth nine tenths of the levels";
  EXPECT_GT(amax, 2);
}

TEST(Entropy, KeepsAUniformDistribution) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(200000);
  for (float& x : values) x = distribution(random);
  EXPECT_GT(choose("entropy", values).max, 0.97f);
}

TEST(Entropy, IgnoresHowManyZerosThereAre) {
  std::vector<float> values = normal_values(50000);
  const Range without = choose("entropy", values);
  values.insert(values.end(), 1000000, 0.0f);
  EXPECT_EQ(choose("entropy", values), without);
}

TEST(Entropy, MovesOneEndAtATimeWhenAsymmetric) {
  std::vector<float> values = normal_values(200000);
  for (float& x : values) x = x < 0 ? 0.1f * x : x;
  for (int i = 0; i < 4; ++i) values.push_back(12.0f);  // clipping them costs less than sixteen times the best range
  const Range range = choose("entropy", values, RangeKind::Asymmetric);
  EXPECT_LT(range.max, 8);
  EXPECT_GE(range.min, -0.6f);
}

// --- mse

/// The error of rounding every element to the symmetric grid of amax.
double direct_error(const std::vector<float>& values, double amax) {
  double error = 0;
  for (const double x : values) {
    const double code = std::clamp(std::nearbyint(x * 127 / amax), -127.0, 127.0);
    error += std::pow(code * amax / 127 - x, 2);
  }
  return error;
}

TEST(Mse, IsAsGoodAsTheBestOfAFineGrid) {
  const std::vector<float> values = normal_values(50000);
  const float amax = choose("mse", values).max;
  double best = direct_error(values, 5.0);
  for (double candidate = 2; candidate < 5; candidate += 0.002) best = std::min(best, direct_error(values, candidate));
  // Bins are 1/16 of a step or less: spreading a bin's data evenly misjudges the error by well under a percent.
  EXPECT_LE(direct_error(values, amax), 1.005 * best);
}

TEST(Mse, IsNeverWorseThanKeepingEverything) {
  std::vector<float> values = normal_values(50000);
  values.push_back(12.0f);
  const float amax = choose("mse", values).max;
  EXPECT_LE(direct_error(values, amax), 1.001 * direct_error(values, 12.0));
}

TEST(GridError, EqualsTheErrorIntegratedBinByBin) {
  // F(x) = n s^3/12 + (x - n s)^3/3, n = min(round(x/s), levels), integrates the squared error from 0 to x >= 0.
  const SignedBins bins = magnitude_bins(histogram_of(normal_values(20000)));
  const GridError error(bins);
  for (const double amax : {128.0, 600.3, 2000.0, 4095.0}) {
    const double step = amax / 127;
    const auto integral = [step](double x) {
      const double n = std::min(std::nearbyint(x / step), 127.0);
      return n * step * step * step / 12 + std::pow(x - n * step, 3) / 3;
    };
    double expected = 0;
    for (size_t j = 0; j < bins.counts.size(); ++j) {
      const auto left = static_cast<double>(j);
      expected += bins.counts[j] * (integral(left + 1) - integral(left));
    }
    // Both subtract sums of x^2 <= 4096^2 per element to get down to step^2/12: 2^-53 * 4096^2 * 12 < 3e-8 an
    // operation.
    EXPECT_NEAR(error({step, 0, 0, 127}), expected, 1e-6 * expected) << amax;
  }
}

TEST(GridError, IsZeroForDataOnNoBin) { EXPECT_EQ(GridError(SignedBins{})({1, 0, 0, 127}), 0); }

TEST(Mse, FindsBothEndsOfSkewedData) {
  std::vector<float> values = normal_values(100000);
  for (float& x : values) x = x < 0 ? 0.1f * x : x;
  const Range range = choose("mse", values, RangeKind::Asymmetric);
  const Histogram histogram = histogram_of(values);
  EXPECT_LT(range.max, histogram.max());
  EXPECT_GT(range.max, 0.7f * histogram.max());
  EXPECT_LT(range.min, 0.5f * histogram.min());
}

// --- the list

TEST(CalibratorList, MakesEveryEntryByItsName) {
  for (const CalibratorEntry& entry : calibrator_list()) {
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_THAT(make_calibrator(entry.name)->name(), testing::StartsWith(std::string(entry.name)));
  }
}

TEST(CalibratorList, NamesComeBackAsTheyAreTyped) {
  for (const char* spec : {"max", "percentile:99.9", "percentile:99.999", "percentile:100", "entropy", "mse"})
    EXPECT_EQ(make_calibrator(spec)->name(), spec);
  EXPECT_EQ(make_calibrator("percentile")->name(), "percentile:99.99");
}

TEST(CalibratorList, RefusesUnknownNamesAndNamesTheKnownOnes) {
  try {
    (void)make_calibrator("kl");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Usage);
    EXPECT_THAT(error.hint(), testing::HasSubstr("max, percentile, entropy, mse, samplemax"));
  }
}

TEST(CalibratorList, RefusesArgumentsThatNobodyReads) {
  EXPECT_THROW((void)make_calibrator("max:3"), Error);
  EXPECT_THROW((void)make_calibrator("entropy:128"), Error);
  EXPECT_THROW((void)make_calibrator("entropy:unbound"), Error);
  EXPECT_THROW((void)make_calibrator("mse:x"), Error);
}

// --- FP8: steps that grow with the number

TEST(Fp8Ranges, AreSymmetric) {
  const std::vector<float> values = normal_values(20'000, 1);
  for (const char* spec : {"max", "mse", "entropy", "percentile:99.9", "samplemax:95"}) {
    const Range range = choose(spec, values, RangeKind::Float8);
    EXPECT_EQ(range.min, -range.max) << spec;
  }
  EXPECT_EQ(choose("max", values, RangeKind::Float8), choose("max", values));
}

/// The error of spreading each bin evenly, in units of bins, by sampling it.
double sampled_fp8_error(const Histogram& histogram, double amax_in_bins) {
  constexpr int kPoints = 200;
  const SignedBins bins = magnitude_bins(histogram);
  double sum = 0;
  for (size_t bin = 0; bin < bins.counts.size(); ++bin)
    for (int point = 0; bins.counts[bin] > 0 && point < kPoints; ++point) {
      const double x = static_cast<double>(bin) + (point + 0.5) / kPoints, scale = amax_in_bins / 448;
      const double steps = std::min(x / scale, 448.0);
      const double step = std::ldexp(1, std::max(steps > 0 ? std::ilogb(steps) : -6, -6) - 3);
      sum += bins.counts[bin] / kPoints * std::pow(std::nearbyint(steps / step) * step * scale - x, 2);
    }
  return sum;
}

TEST(Fp8Ranges, SquaredErrorIsThatOfItsGrid) {
  const Histogram histogram = histogram_of(normal_values(20'000));
  for (const double part : {1.0, 0.7, 0.3}) {
    const float amax = histogram.max_abs() * static_cast<float>(part);
    const double expected = sampled_fp8_error(histogram, amax / histogram.bin_width());
    // 200 points a bin, a few bins a cell: the sampled integral is off by about 1e-4 of itself.
    EXPECT_NEAR(squared_error(histogram, {-amax, amax}, RangeKind::Float8), expected, 1e-3 * expected) << part;
  }
}

TEST(Fp8Ranges, MseLosesNoMoreThanAnyOtherRange) {
  const Histogram histogram = histogram_of(normal_values(20'000));
  const Range best = least_error_range(histogram, RangeKind::Float8);
  const double least = squared_error(histogram, best, RangeKind::Float8);
  for (float part = 0.2F; part <= 1; part += 0.05F)
    EXPECT_LE(least, squared_error(histogram, {-part * histogram.max_abs(), part * histogram.max_abs()},
                                   RangeKind::Float8) *
                         (1 + 1e-3))
        << part;  // candidates are whole bins
}

TEST(Fp8Ranges, WideTailsAreKeptWhereInt8CutsThem) {
  std::vector<float> values = normal_values(400'000);
  values.push_back(100);  // FP8 keeps small numbers beside it; the step of INT8, and with it every error, grows
  EXPECT_GT(choose("mse", values, RangeKind::Float8).max, 2 * choose("mse", values).max);
}

// --- 16 bits

// --- a caller's own rule

TEST(OwnCalibrator, IsKnownByItsNameWhileTheObjectLives) {
  const std::vector<float> values{-1, 0.5F, 2};
  {
    const OwnCalibrator own("half", [](const Histogram& histogram, RangeKind) {
      return Range{histogram.min() / 2, histogram.max() / 2};
    });
    EXPECT_TRUE(is_calibrator("half"));
    EXPECT_EQ(choose("half", values, RangeKind::Symmetric), (Range{-1, 1}));
    EXPECT_EQ(choose("half", values, RangeKind::Asymmetric), (Range{-0.5F, 1}));
    EXPECT_EQ(choose("half", {0, 0}, RangeKind::Symmetric), Range{}) << "is not asked";
    EXPECT_THROW(OwnCalibrator("half", {}), Error);
  }
  EXPECT_FALSE(is_calibrator("half"));
  EXPECT_THROW((void)make_calibrator("half"), Error);
}

TEST(OwnCalibrator, NeverReachesBeyondTheData) {
  const OwnCalibrator own("wide", [](const Histogram&, RangeKind) { return Range{-9, 9}; });
  EXPECT_EQ(choose("wide", {-1, 2}, RangeKind::Symmetric), (Range{-2, 2}));
  EXPECT_EQ(choose("wide", {-1, 2}, RangeKind::Asymmetric), (Range{-1, 2}));
}

TEST(OwnCalibrator, WithAWrongRangeOrNameIsRefused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Range wrong : {Range{1, 2}, Range{0, 0}, Range{-2, -1}, Range{nan, 1}, Range{-1, INFINITY}}) {
    const OwnCalibrator own("wrong", [&](const Histogram&, RangeKind) { return wrong; });
    EXPECT_THROW((void)choose("wrong", {-1, 2}, RangeKind::Asymmetric), Error) << wrong.min << " " << wrong.max;
  }
  for (const char* name : {"", "max", "auto", "my:rule"}) EXPECT_THROW(OwnCalibrator(name, {}), Error) << name;
}

}  // namespace
}  // namespace detent
