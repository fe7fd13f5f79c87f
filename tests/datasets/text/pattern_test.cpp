#include "datasets/text/pattern.h"

#include <gmock/gmock.h>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts_found(const TextPattern& pattern, const std::string& text) {
  std::vector<std::string> texts;
  for (const TextRange& range : pattern.find_all(text))
    texts.push_back(text.substr(range.first, range.end - range.first));
  return texts;
}

TEST(TextPattern, FindsWordsAndExpressions) {
  EXPECT_THAT(texts_found(TextPattern("aa"), "aaaba"), ElementsAre("aa"));
  EXPECT_THAT(texts_found(TextPattern(""), "a"), IsEmpty());
  EXPECT_THAT(texts_found(TextPattern::of_expression(R"(\p{L}+|\s+(?!\S))"), "\xC3\xA9t  7"),
              ElementsAre("\xC3\xA9t", " "));
  EXPECT_THAT(texts_found(TextPattern::of_expression("x*"), "axxb"), ElementsAre("", "xx", "")) << "empty places count";
}

TEST(TextPattern, TakesMarksAndConnectorsForWords) {
  EXPECT_THAT(texts_found(TextPattern::of_expression(R"(\w+)"), "e\xCC\x81\xE2\x80\xBF \xC2\xB2"),
              ElementsAre("e\xCC\x81\xE2\x80\xBF"));
  EXPECT_THAT(texts_found(TextPattern::of_expression(R"([^\w\s]+|\W)"), "a\xCC\x81-+ b"), ElementsAre("-+", " "));
}

TEST(TextPattern, TakesClassesInClassesAndPlacesWithoutText) {
  EXPECT_THAT(texts_found(TextPattern::of_expression(" ?[^(\\s|[.,!?])]+"), "ab, c!"), ElementsAre("ab", " c"));
  EXPECT_THAT(texts_found(TextPattern::of_expression("[[:alpha:]\\w]+"), "a-b"), ElementsAre("a", "b"));
  EXPECT_THAT(texts_found(TextPattern::of_expression("\\h+"), "ag1"), ElementsAre("a", "1")) << "hexadecimal digits";
  EXPECT_THAT(texts_found(TextPattern::of_expression("(?=[A-Z])"), "aBc"), ElementsAre(""));
  const TextPattern deep = TextPattern::of_expression(R"((?:\p{L}|\p{N}(?=\p{N}))+)");
  EXPECT_EQ(deep.find_all(std::string(20'000, 'a')).size(), 1U) << "more than the stack of a compiled search";
}

TEST(TextPattern, RefusesWhatItCannotReadOrEnd) {
  for (const char* expression : {"[a-z&&[^a]]", "[a[^b]]", "[\\H]"})
    EXPECT_EQ(error_of<Error>([&] { static_cast<void>(TextPattern::of_expression(expression)); }).code(),
              ErrorCode::InvalidData)
        << expression;
  EXPECT_EQ(error_of<Error>([] { static_cast<void>(TextPattern::of_expression("(a")); }).code(),
            ErrorCode::InvalidData);
  const TextPattern slow = TextPattern::of_expression("(a*)*[bd]");
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(slow.find_all(std::string(40, 'a') + "c")); }).code(),
            ErrorCode::InvalidData);
}

}  // namespace
}  // namespace detent
