#include "datasets/text/unicode.h"

#include <gmock/gmock.h>

#include <vector>

namespace detent {
namespace {

using ::testing::ElementsAre;

TEST(Unicode, KnowsKindsOfCharacters) {
  EXPECT_TRUE(is_blank(0x3000) && is_blank('\n'));
  EXPECT_FALSE(is_blank(0x200B)) << "a blank of no width is none";
  EXPECT_TRUE(is_punctuation('$') && is_punctuation(0x3002));
  EXPECT_FALSE(is_punctuation(0x20AC)) << "other signs of money are symbols";
  EXPECT_TRUE(is_numeric(0xBD) && is_numeric('7'));
  EXPECT_TRUE(is_mark(0x903) && is_nonspacing_mark(0x301));
  EXPECT_FALSE(is_nonspacing_mark(0x903));
  EXPECT_TRUE(is_other(0) && is_other(0xAD));
  EXPECT_FALSE(is_other(0xE0FFF)) << "what is not assigned may be a letter of a later version";
  EXPECT_TRUE(is_of_word('_') && is_of_word(0x2160) && is_of_word(0x24B6));
  EXPECT_FALSE(is_of_word(0xB2) || is_of_word('-'));
}

TEST(Unicode, WritesForms) {
  EXPECT_EQ(in_form("e\xCC\x81", UnicodeForm::Nfc), "\xC3\xA9");
  EXPECT_EQ(in_form("\xC3\xA9", UnicodeForm::Nfd), "e\xCC\x81");
  EXPECT_EQ(in_form("\xEF\xAC\x81", UnicodeForm::Nfkc), "fi");
  EXPECT_EQ(in_form("\xEF\xAC\x81", UnicodeForm::Nfc), "\xEF\xAC\x81");
  EXPECT_EQ(lower_case("\xC4\xB0\xCE\xA3"), "i\xCC\x87\xCF\x83") << "no final sigma";
}

TEST(Unicode, FindsWhatIsNoUtf8) {
  EXPECT_EQ(find_no_utf8("a\xC3\xA9"), std::string::npos);
  EXPECT_EQ(find_no_utf8("a\xC3"), 1U);
  EXPECT_EQ(find_no_utf8("\xED\xA0\x80"), 0U) << "half of a pair";
}

TEST(Unicode, JoinsMarksToTheirLetters) {
  std::vector<std::string> clusters;
  for_graphemes("e\xCC\x81x\r\n", [&](std::string_view cluster) { clusters.emplace_back(cluster); });
  EXPECT_THAT(clusters, ElementsAre("e\xCC\x81", "x", "\r\n"));
}

}  // namespace
}  // namespace detent
