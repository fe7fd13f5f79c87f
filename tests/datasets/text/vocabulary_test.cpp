#include "datasets/text/vocabulary.h"

#include <gmock/gmock.h>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int32_t> ids_by_vocabulary(const std::string& vocabulary, const std::string& text) {
  const TemporaryFolder folder;
  return Vocabulary::read(folder.write("vocab.txt", vocabulary)).encode(text, "t.txt");
}

Error vocabulary_error(const std::string& vocabulary, const std::string& text = {}) {
  return error_of<Error>([&] { static_cast<void>(ids_by_vocabulary(vocabulary, text)); });
}

TEST(Vocabulary, OfBytesIsTheBytes) {
  EXPECT_THAT(Vocabulary::of_bytes().encode("a\xff\n", "t"), ElementsAre(97, 255, 10));
  EXPECT_EQ(Vocabulary::of_bytes().size(), 256U);
}

TEST(Vocabulary, OfOneQuotedLineCountsItsCharacters) {
  EXPECT_THAT(ids_by_vocabulary("b\"\\n !a\"", "a !\n"), ElementsAre(3, 1, 2, 0));
  EXPECT_THAT(ids_by_vocabulary("\"\\x41\\\\\xC3\xA9\"\n", "\xC3\xA9\\A"), ElementsAre(2, 1, 0))
      << "a character of two bytes is one token";
  EXPECT_THAT(ids_by_vocabulary("b'\xC3\xA9'", "\xC3\xA9"), ElementsAre(0, 1)) << "of bytes it is two";
}

TEST(Vocabulary, OfLinesTakesTheLongestTokenThatFits) {
  EXPECT_THAT(ids_by_vocabulary("a\r\nab\r\nabc\r\n\\n\r\n", "abcab\na"), ElementsAre(2, 1, 3, 0));
  EXPECT_THAT(ids_by_vocabulary("a\n\nb\n", "ab"), ElementsAre(0, 2)) << "an empty line keeps its id";
  EXPECT_THAT(ids_by_vocabulary("<unk>\na\n", "ax\xC3\xA9"), ElementsAre(1, 0, 0));
}

TEST(Vocabulary, RefusesWhatIsNone) {
  EXPECT_THAT(vocabulary_error("a\nb\na\n").what(), HasSubstr("tokens 0 and 2 are the same"));
  EXPECT_THAT(vocabulary_error("").what(), HasSubstr("no token"));
  EXPECT_THAT(vocabulary_error("\"\\q\"").what(), HasSubstr("escape"));
  EXPECT_THAT(vocabulary_error("a\n" + std::string(257, 'x')).what(), HasSubstr("257 bytes"));
  EXPECT_THAT(vocabulary_error("play\n##ing\n").what(), HasSubstr("'##ing'"));
  EXPECT_THAT(vocabulary_error("a\n", "a\n").what(), HasSubstr("line 1"));
  EXPECT_THAT(ids_by_vocabulary("#\n##\n", "###"), ElementsAre(1, 0)) << "the sign alone is a token as others are";
}

}  // namespace
}  // namespace detent
