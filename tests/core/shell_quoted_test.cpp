#include "core/shell_quoted.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

TEST(ShellQuoted, LeavesPlainWordsAsTheyAre) {
  EXPECT_EQ(shell_quoted("images/calib,n=32"), "images/calib,n=32");
  EXPECT_EQ(shell_quoted("--data"), "--data");
}

TEST(ShellQuoted, QuotesWhatAShellWouldReadOtherwise) {
  EXPECT_EQ(shell_quoted("my images"), "'my images'");
  EXPECT_EQ(shell_quoted("^/stem;"), "'^/stem;'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace detent
