#include "core/process/time_left.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

TEST(TimeLeft, IsTheRestAtTheAverageSpeed) {
  EXPECT_DOUBLE_EQ(seconds_left(2.0, 50, 100).value(), 2.0);
  EXPECT_DOUBLE_EQ(seconds_left(3.0, 75, 100).value(), 1.0);
}

// The first of 500 samples took 0.1 s, the job two seconds: 0.1 * 499 = 50 s would have been shown.
TEST(TimeLeft, TheFirstStepsTellNothing) {
  EXPECT_FALSE(seconds_left(0.1, 1, 500));
  EXPECT_FALSE(seconds_left(0.9, 200, 500));
  EXPECT_FALSE(seconds_left(5.0, 24, 500));
  EXPECT_TRUE(seconds_left(1.0, 25, 500));
}

TEST(TimeLeft, ALongJobIsToldAfterTenSeconds) {
  EXPECT_FALSE(seconds_left(9.9, 1, 1000));
  EXPECT_DOUBLE_EQ(seconds_left(10.0, 1, 1000).value(), 9990.0);
  EXPECT_FALSE(seconds_left(60.0, 0, 1000));
}

TEST(TimeLeft, NothingIsLeftAtTheEndAndNothingIsKnownWithoutATotal) {
  EXPECT_FALSE(seconds_left(5.0, 100, 100));
  EXPECT_FALSE(seconds_left(5.0, 101, 100));
  EXPECT_FALSE(seconds_left(20.0, 7, 0));
}

}  // namespace
}  // namespace detent
