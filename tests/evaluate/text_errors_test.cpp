#include "evaluate/text_errors.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace detent {
namespace {

TEST(TextErrors, AreThoseOfJiwer) {
  std::ifstream golden(DETENT_SOURCE_DIR "/tests/evaluate/golden/error_rates.txt");
  size_t rows = 0;
  for (std::string line; std::getline(golden, line); ++rows) {
    std::istringstream row(line);
    TextErrors wanted;
    row >> wanted.words >> wanted.wrong_words >> wanted.characters >> wanted.wrong_characters;
    row.get();
    std::string reference, text;
    std::getline(row, reference, '\t');
    std::getline(row, text);
    const TextErrors found = text_errors(reference, text);
    EXPECT_EQ(found.words, wanted.words) << line;
    EXPECT_EQ(found.wrong_words, wanted.wrong_words) << line;
    EXPECT_EQ(found.characters, wanted.characters) << line;
    EXPECT_EQ(found.wrong_characters, wanted.wrong_characters) << line;
  }
  EXPECT_EQ(rows, 70U);
}

TEST(TextErrors, OfAnEmptyReferenceAreTheInsertedWords) {
  const TextErrors errors = text_errors("", "a bc");
  EXPECT_EQ(errors.words, 0U);
  EXPECT_EQ(errors.wrong_words, 2U);
  EXPECT_EQ(errors.wrong_characters, 4U);
}

TEST(TextErrors, AddAndSubtract) {
  TextErrors sum = text_errors("a b", "a");
  sum += text_errors("c", "d");
  EXPECT_EQ(sum.words, 3U);
  EXPECT_EQ(sum.wrong_words, 2U);
  sum -= text_errors("c", "d");
  EXPECT_EQ(sum.words, 2U);
  EXPECT_EQ(sum.wrong_characters, 2U);
}

}  // namespace
}  // namespace detent
