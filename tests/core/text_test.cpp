#include "core/text.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace detent {
namespace {

using Names = std::vector<std::string>;

TEST(Text, JoinsItemsWithASeparator) {
  EXPECT_EQ(join(Names{"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(join(Names{"a", "b"}, "; "), "a; b");
  EXPECT_EQ(join(std::map<std::string, int>{{"a", 1}, {"b", 2}}, ", ", [](const auto& e) { return e.first; }), "a, b");
}

TEST(Text, JoinsNothingAndEmptyItems) {
  EXPECT_EQ(join(Names{}), "");
  EXPECT_EQ(join(Names{"a"}), "a");
  EXPECT_EQ(join(Names{"", ""}), ", ") << "an empty item is an item";
}

TEST(Text, ListsTheFirstItemsAndCountsTheOthers) {
  EXPECT_EQ(listed(Names{"a", "b", "c", "d"}, 2), "a, b and 2 more");
  EXPECT_EQ(listed(Names{"a", "b"}, 2), "a, b");
  EXPECT_EQ(listed(Names{}, 2), "");
}

TEST(Text, NumbersAgreeWithTheirWord) {
  EXPECT_EQ(plural(1, "sample"), "1 sample");
  EXPECT_EQ(plural(0, "sample"), "0 samples");
  EXPECT_EQ(plural(2, "bias of an FP16 layer", "biases of FP16 layers"), "2 biases of FP16 layers");
  EXPECT_EQ(plural(1, "bias of an FP16 layer", "biases of FP16 layers"), "1 bias of an FP16 layer");
}

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
