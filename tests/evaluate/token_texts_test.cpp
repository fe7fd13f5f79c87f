#include "evaluate/token_texts.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

std::string text(const std::vector<std::string>& tokens, const std::vector<int64_t>& ids) {
  return TokenTexts(tokens).text_of(ids);
}

TEST(TokenTexts, ReadGpt2sLettersAsBytes) {
  EXPECT_EQ(text({"Ġno", "Ċ", "Ã©", "<|endoftext|>", "n't"}, {0, 4, 1, 2, 3}), " non't\n\xC3\xA9");
}

TEST(TokenTexts, ReadPiecesWithBlanksAndBytes) {
  EXPECT_EQ(text({"<s>", "▁go", "od", "<0xE2>", "<0x82>", "<0xAC>"}, {0, 1, 2, 3, 4, 5}), " good\xE2\x82\xAC");
}

TEST(TokenTexts, TakeLettersThatAreNoBytesAsTheyAre) { EXPECT_EQ(text({"Ġa", "日"}, {0, 1}), " a日"); }

TEST(TokenTexts, TakeABarAsABlankBetweenWords) {
  EXPECT_EQ(text({"a", "|", "<space>"}, {0, 1, 0, 2, 0}), "a a a");
  EXPECT_EQ(text({"▁a", "|"}, {0, 1}), " a|") << "pieces have another blank";
}

TEST(TokenTexts, AreEmptyForIdsWithoutAToken) { EXPECT_EQ(text({"a"}, {-1, 0, 1}), "a"); }

TEST(PlainWords, HaveSmallLettersAndNoPunctuation) {
  EXPECT_EQ(plain_words("Don't stop: GO, 5-6!"), "dont stop  go  5 6 ");
  EXPECT_EQ(plain_words("größer"), "größer") << "letters of other scripts stay";
}

}  // namespace
}  // namespace detent
