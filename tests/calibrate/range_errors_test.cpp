#include "calibrate/range_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace detent {
namespace {

using ::testing::ElementsAre;
using Choice = std::map<ValueId, Range>;

constexpr ValueId kWide{3}, kOther{8};
/// GridError::rounding() for 4096 elements in 4096 bins: 2^-36 (2 * 4096)^2 4096 = 4 squared bins. The smallest error
/// here, of 255 steps, is 4096 (4096 / 255)^2 / 12 = 88000: 2e-4 dB, and as much for the other error.
constexpr double kRoundingDb = 4e-4;

/// One element in the middle of each of 4096 bins from 0 to 1: even density in every bin.
Histogram even_histogram() {
  std::vector<float> values;
  for (int i = 0; i < Histogram::kBins; ++i) values.push_back((static_cast<float>(i) + 0.5F) / Histogram::kBins);
  Histogram histogram;
  histogram.add(values);
  return histogram;
}

Histogram constant_histogram(float value) {
  Histogram histogram;
  histogram.add(std::vector<float>(5, value));
  return histogram;
}

class RangeErrors : public ::testing::Test {
 protected:
  RangeErrors() { calibration_.histograms[kWide] = even_histogram(); }
  [[nodiscard]] std::vector<double> regrets(const std::vector<Choice>& choices,
                                            RangeKind kind = RangeKind::Symmetric) const {
    return worst_regrets_db(choices, calibration_, kind);
  }

  Calibration calibration_;
};

TEST_F(RangeErrors, TellHowMuchAClippedRangeCostsAgainstTheBest) {
  // Rounding to s costs s^2/12; a range cut to a quarter costs (3/4)^3/3 beyond it, and its finer rounding within.
  const auto rounding = [](double amax) { return std::pow(amax / 127, 2) / 12; };
  const double clipped = std::pow(0.75, 3) / 3 + 0.25 * rounding(0.25);
  const auto found = regrets({{{kWide, {-1, 1}}}, {{kWide, {-0.25F, 0.25F}}}});
  EXPECT_EQ(found[0], 0);
  EXPECT_NEAR(found[1], 10 * std::log10(clipped / rounding(1)), kRoundingDb);
}

TEST_F(RangeErrors, AreZeroForEqualChoices) {
  const Choice choice{{kWide, {-0.5F, 0.5F}}};
  EXPECT_THAT(regrets({choice, choice, choice}), ElementsAre(0, 0, 0));
  EXPECT_THAT(regrets({choice}), ElementsAre(0)) << "alone it is the best, however bad";
}

TEST_F(RangeErrors, AreThoseOfTheWorstValueNotOfAll) {
  calibration_.histograms[kOther] = even_histogram();
  // A range twice as wide makes steps twice as wide, and all of the error is rounding. The data ends where a cell
  // does: 63.5 steps of 2 / 127, 15.5 of the other.
  const float wider = 127 / 15.5F;
  const std::vector<Choice> choices{{{kWide, {-1, 1}}, {kOther, {-2, 2}}},
                                    {{kWide, {-wider, wider}}, {kOther, {-1, 1}}}};
  const auto found = regrets(choices);
  EXPECT_NEAR(found[0], 20 * std::log10(2), kRoundingDb);
  EXPECT_NEAR(found[1], 20 * std::log10(wider), kRoundingDb);
}

TEST_F(RangeErrors, StayBelowSixtyDb) {
  // Elements of one bin near 1: a range that ends at 0.001 misses them by 0.999, one at 1 by parts of 1/2048.
  calibration_.histograms[kOther] = constant_histogram(1);
  const Choice best{{kWide, {-1, 1}}, {kOther, {-1, 1}}};
  EXPECT_THAT(regrets({best, {{kWide, {-1, 1}}, {kOther, {-0.001F, 0.001F}}}}), ElementsAre(0, 60));
}

TEST_F(RangeErrors, IgnoreValuesWithoutAHistogram) {
  calibration_.given[kOther] = range_of_scale(0.5F);
  EXPECT_THAT(regrets({{{kWide, {-1, 1}}, {kOther, {-1, 1}}}, {{kWide, {-1, 1}}, {kOther, {-99, 99}}}}),
              ElementsAre(0, 0));
}

TEST_F(RangeErrors, IgnoreValuesOfZerosOnly) {
  calibration_.histograms[kOther] = constant_histogram(0);
  EXPECT_THAT(regrets({{{kWide, {-1, 1}}, {kOther, {}}}, {{kWide, {-1, 1}}, {kOther, {-99, 99}}}}), ElementsAre(0, 0));
}

TEST_F(RangeErrors, HoldNothingAgainstAChoiceWithoutTheValue) {
  calibration_.histograms[kOther] = even_histogram();
  const auto found = regrets({{{kWide, {-1, 1}}}, {{kWide, {-1, 1}}, {kOther, {-9, 9}}}});
  EXPECT_THAT(found, ElementsAre(0, 0));
}

TEST_F(RangeErrors, OfAsymmetricRangesSeeBothEnds) {
  // 255 steps over twice the range are twice as wide. The data ends at a code of the first grid, half a step above one
  // of the second: both have only rounding errors.
  const std::vector<Choice> choices{{{kWide, {0, 1}}}, {{kWide, {-1, 1}}}};
  const auto found = regrets(choices, RangeKind::Asymmetric);
  EXPECT_EQ(found[0], 0);
  EXPECT_NEAR(found[1], 20 * std::log10(2), kRoundingDb);
  EXPECT_THAT(regrets(choices), ElementsAre(0, 0)) << "a symmetric grid is as wide as its wider side";
}

TEST_F(RangeErrors, AreNoneWithoutChoicesAndZeroWithoutValues) {
  EXPECT_TRUE(regrets({}).empty());
  calibration_.histograms.clear();
  EXPECT_THAT(regrets({{{kWide, {-1, 1}}}, {}}), ElementsAre(0, 0));
}

}  // namespace
}  // namespace detent
