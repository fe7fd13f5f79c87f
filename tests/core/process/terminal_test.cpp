#include "core/process/terminal.h"

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

}  // namespace
}  // namespace detent
