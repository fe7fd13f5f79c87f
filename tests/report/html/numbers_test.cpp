#include "report/html/numbers.h"

#include <gtest/gtest.h>

#include <limits>

#include "report/html/axis.h"

namespace detent::html {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(NumberText, HasFourDigitsAndATrueMinus) {
  EXPECT_EQ(number_text(3.14159), "3.142");
  EXPECT_EQ(number_text(-0.25), "−0.25");
  EXPECT_EQ(number_text(-1.5e-7), "−1.5e−07");
  EXPECT_EQ(number_text(-0.0), "0");
}

TEST(NumberText, NamesWhatIsNotFinite) {
  EXPECT_EQ(number_text(kInfinity), "∞");
  EXPECT_EQ(fixed_text(-kInfinity, 1), "−∞");
  EXPECT_EQ(fixed_text(kNan, 1), "–");
}

TEST(FixedText, HasNoNegativeZero) {
  EXPECT_EQ(fixed_text(-0.001, 2), "0.00");
  EXPECT_EQ(fixed_text(-0.01, 2), "−0.01");
}

TEST(SignedText, MarksGains) {
  EXPECT_EQ(signed_text(1.234, 2), "+1.23");
  EXPECT_EQ(signed_text(-1.234, 2), "−1.23");
  EXPECT_EQ(signed_text(0.001, 2), "0.00");
}

TEST(CountText, ChoosesThePrefix) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(950), "950");
  EXPECT_EQ(count_text(999.6), "1k") << "not 1e+03";
  EXPECT_EQ(count_text(12345), "12.3k");
  EXPECT_EQ(count_text(999999), "1M");
  EXPECT_EQ(count_text(4.1e9), "4.1G");
}

TEST(GroupedText, SetsCommas) {
  EXPECT_EQ(grouped_text(0), "0");
  EXPECT_EQ(grouped_text(999), "999");
  EXPECT_EQ(grouped_text(1000), "1,000");
  EXPECT_EQ(grouped_text(1234567), "1,234,567");
}

TEST(RangeText, IsShortForSymmetricRangesOnly) {
  EXPECT_EQ(range_text(-2.5, 2.5), "±2.5");
  EXPECT_EQ(range_text(-0.5, 2.5), "−0.5 … 2.5");
  EXPECT_EQ(range_text(0, 0), "0 … 0");
}

TEST(KeyText, CanBeSortedByAScript) {
  EXPECT_EQ(key_text(-0.5), "-0.5");
  EXPECT_EQ(key_text(kInfinity), "1e999");
  EXPECT_EQ(key_text(kNan), "");
}

TEST(AxisTicks, AreRoundNumbersInside) {
  EXPECT_EQ((Axis{-1, 1}.ticks(5)), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  EXPECT_EQ((Axis{0.1, 36}.ticks(5)), (std::vector<double>{5, 10, 15, 20, 25, 30, 35}));
}

TEST(PaddedAxis, HasAnExtentWhateverTheData) {
  for (const auto& [low, high] : {std::pair(0.0, 0.0), std::pair(5.0, 5.0), std::pair(-3.0, -3.0), std::pair(2.0, 1.0),
                                  std::pair(-kInfinity, 1.0), std::pair(kNan, kNan), std::pair(1e30, 1e30)}) {
    const Axis axis = padded_axis(low, high, 0.05);
    EXPECT_LT(axis.low, axis.high) << low << " " << high;
    EXPECT_LE(axis.ticks(5).size(), 12U) << low << " " << high;
  }
  const Axis axis = padded_axis(0, 10, 0.1);
  EXPECT_DOUBLE_EQ(axis.low, -1);
  EXPECT_DOUBLE_EQ(axis.high, 11);
}

}  // namespace
}  // namespace detent::html
