#include "report/html/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace detent::html {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Extent, HoldsEverythingWhereNothingIsFarOff) {
  const Extent extent = extent_of({83, 82, 80, 75}, Bad::Low);
  EXPECT_EQ(extent.low, 75);
  EXPECT_EQ(extent.high, 83);
  EXPECT_FALSE(extent.cut);
}

TEST(Extent, OneThatCollapsedLiesBeyondTheEndAndTheOthersStayApart) {
  // The best is 84 and the median 83, at a distance of 1. 0 is 84 times as far.
  const Extent extent = extent_of({84, 83.5, 83, 82.5, 0}, Bad::Low);
  EXPECT_TRUE(extent.cut);
  EXPECT_EQ(extent.low, 82.5);
  EXPECT_EQ(extent.high, 84);
  const Extent nats = extent_of({1.5, 1.6, 1.7, 9}, Bad::High);  // falls when better
  EXPECT_TRUE(nats.cut);
  EXPECT_EQ(nats.high, 1.7);
}

TEST(Extent, IsNotCutForTwoValuesNorWhereHalfOfThemAreFar) {
  EXPECT_FALSE(extent_of({80, 0}, Bad::Low).cut);
  EXPECT_FALSE(extent_of({80, 79, 1, 0}, Bad::Low).cut);
  EXPECT_FALSE(extent_of({80, 80, 80}, Bad::Low).cut);
}

TEST(Extent, WhatIsNotFiniteIsLeftOutAndNothingHasNoExtent) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const Extent extent = extent_of({std::nan(""), kInfinite, -kInfinite, 3, 4}, Bad::Low);
  EXPECT_EQ(extent.low, 3);
  EXPECT_EQ(extent.high, 4);
  const Extent none = extent_of({kInfinite}, Bad::Low);
  EXPECT_GT(none.low, none.high);
}

TEST(TickLabels, OnlyTheOutermostStayOnNarrowScreens) {
  const std::string svg = tick_labels({0, 4}, {0, 1, 2, 3, 4}, 10);
  EXPECT_THAT(svg, HasSubstr("class=\"inner odd\">1<"));
  EXPECT_THAT(svg, HasSubstr("class=\"inner\">2<"));
  for (const char* outermost : {"\">0<", "\">4<"}) {
    const size_t at = svg.find(outermost);
    ASSERT_NE(at, std::string::npos);
    EXPECT_THAT(svg.substr(at - 5, 5), Not(HasSubstr("inner")));
  }
}

}  // namespace
}  // namespace detent::html
