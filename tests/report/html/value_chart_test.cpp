#include "report/html/value_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace detent::html {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Four bins over [-2, 2] with 10, 100, 100, 10 elements, and 20 zeros.
ValueHistogram four_bins() {
  ValueHistogram value;
  value.name = "x";
  value.op = "Conv";
  value.count = 240, value.zeros = 20;
  value.min = -2, value.max = 2;
  value.first = -2, value.width = 1;
  value.bins = {10, 100, 100, 10};
  value.ranges = {{"max", -2, 2}, {"mse", -1, 1}};
  return value;
}

TEST(ClippedFraction, CountsWhatLiesOutside) {
  EXPECT_DOUBLE_EQ(clipped_fraction(four_bins(), -1, 1), 20.0 / 240);
  EXPECT_DOUBLE_EQ(clipped_fraction(four_bins(), 0, 2), 110.0 / 240);
}

TEST(ClippedFraction, CutsABinInProportion) { EXPECT_DOUBLE_EQ(clipped_fraction(four_bins(), -1.5, 1.5), 10.0 / 240); }

TEST(ClippedFraction, IsZeroWhereTheRangeHoldsAllData) {
  EXPECT_EQ(clipped_fraction(four_bins(), -2, 2), 0);
  ValueHistogram value = four_bins();
  value.max = 1.75;  // the last bin reaches beyond the data
  EXPECT_EQ(clipped_fraction(value, -2, 1.75), 0);
  EXPECT_EQ(clipped_fraction(ValueHistogram{}, -1, 1), 0);
}

TEST(RangeSpread, ComparesTheLargestRangeWithTheSmallest) {
  EXPECT_DOUBLE_EQ(range_spread(four_bins()), 2);
  ValueHistogram value = four_bins();
  value.ranges = {{"max", -2, 8}, {"mse", -2, 4}};
  EXPECT_DOUBLE_EQ(range_spread(value), 2) << "of asymmetric ranges, the larger side";
}

TEST(RangeSpread, IsUnknownWithoutTwoRanges) {
  ValueHistogram value = four_bins();
  value.ranges.resize(1);
  EXPECT_TRUE(std::isnan(range_spread(value)));
  value.ranges = {{"max", 0, 0}, {"mse", 0, 0}};
  EXPECT_TRUE(std::isnan(range_spread(value)));
}

TEST(ValueChart, DrawsBarsByTheLogarithmOfTheCount) {
  // 220 px high; log10(1 + 10) / log10(1 + 100) = 0.5196 of it is 114 px, so the lower bars start at y = 106. Equal
  // neighbours are one step of two bins.
  EXPECT_THAT(value_chart(four_bins(), "mse"), HasSubstr("d=\"M0 220V106h1V0h2V106h1V220z\""));
}

TEST(ValueChart, LabelsEveryRangeAndMarksTheBestOne) {
  const std::string html = value_chart(four_bins(), "mse");
  EXPECT_THAT(html, HasSubstr("<li class=\"range\"><b>max</b><i>clips nothing</i><span>±2</span>"));
  EXPECT_THAT(html, HasSubstr("<li class=\"range best on\"><b>mse</b><i>clips 8.3\u00A0%</i><span>±1</span>"));
}

TEST(ValueChart, PutsBarsAndRangesOnOneAxis) {
  // 4 % of margin on each side: the axis is [-2.16, 2.16], so -1 lies at 1.16 / 4.32 and the bins take 4 / 4.32.
  const std::string html = value_chart(four_bins(), "mse");
  EXPECT_THAT(html, HasSubstr("data-low=\"-2.16\" data-high=\"2.16\""));
  EXPECT_THAT(html, HasSubstr("<line x1=\"26.85%\" x2=\"26.85%\" y2=\"220\"/>"));
  EXPECT_THAT(html, HasSubstr("<svg x=\"3.704%\" width=\"92.593%\" height=\"220\" viewBox=\"0 0 4 220\""));
}

TEST(ValueChart, ShowsARangeFarBeyondTheDataAsAnArrow) {
  ValueHistogram value = four_bins();
  value.min = 0, value.first = 0, value.bins = {100, 10}, value.ranges = {{"max", -2, 2}};
  const std::string html = value_chart(value, "max");
  EXPECT_THAT(html, HasSubstr("data-low=\"-0.08\" data-high=\"2.08\""));
  EXPECT_THAT(html, HasSubstr("<path d=\"M-3 5l7-4v8z\"/>"));
  EXPECT_THAT(value_chart(four_bins(), "max"), Not(HasSubstr("M-3 5l7-4v8z")));
}

TEST(ValueChart, SaysWhenOnlyZerosWereSeen) {
  ValueHistogram value;
  value.name = "x";
  value.count = value.zeros = 7;
  const std::string html = value_chart(value, "mse");
  EXPECT_THAT(html, HasSubstr("Nothing but zeros was seen."));
  EXPECT_THAT(html, Not(HasSubstr("<svg")));
}

}  // namespace
}  // namespace detent::html
