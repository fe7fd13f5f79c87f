#include "core/process/progress_line.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace detent {
namespace {

TEST(CutToColumns, LeavesALineThatFits) {
  EXPECT_EQ(cut_to_columns("calibrating 3/8", 16), "calibrating 3/8");
  EXPECT_EQ(cut_to_columns("", 80), "");
}

TEST(CutToColumns, CutsOneThatWouldWrap) {
  EXPECT_EQ(cut_to_columns("calibrating 3/8", 15), "calibrating...") << "the last column stays free";
  EXPECT_EQ(cut_to_columns("calibrating 3/8", 8), "cali...");
  EXPECT_EQ(cut_to_columns("calibrating 3/8", 3), "..");
  EXPECT_EQ(cut_to_columns("calibrating 3/8", 0), "");
}

TEST(CutToColumns, CountsCharactersNotBytes) {
  EXPECT_EQ(cut_to_columns("\u00E4\u00F6\u00FC\u20AC", 5), "\u00E4\u00F6\u00FC\u20AC");
  EXPECT_EQ(cut_to_columns("\u00E4\u00F6\u00FC\u20AC\u00DF", 5), "\u00E4...");
}

TEST(TerminalColumns, OfNoTerminalAreEighty) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(terminal_columns(ends[0]), 80U);
  close(ends[0]);
  close(ends[1]);
}

TEST(TimeLeft, IsTheRestAtTheAverageSpeed) {
  EXPECT_DOUBLE_EQ(seconds_left(2.0, 50, 100).value(), 2.0);
  EXPECT_DOUBLE_EQ(seconds_left(3.0, 75, 100).value(), 1.0);
}

// The first of 500 samples took 0.1 s and the job two seconds: the estimate would be 0.1 * 499 = 50 s.
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
