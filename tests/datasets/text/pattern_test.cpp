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
  EXPECT_THAT(texts_found(TextPattern::of_expression("x*"), "axxb"), ElementsAre("xx")) << "empty places are none";
}

TEST(TextPattern, TakesMarksAndConnectorsForWords) {
  EXPECT_THAT(texts_found(TextPattern::of_expression(R"(\w+)"), "e\xCC\x81\xE2\x80\xBF \xC2\xB2"),
              ElementsAre("e\xCC\x81\xE2\x80\xBF"));
  EXPECT_THAT(texts_found(TextPattern::of_expression(R"([^\w\s]+|\W)"), "a\xCC\x81-+ b"), ElementsAre("-+", " "));
}

TEST(TextPattern, RefusesWhatItCannotReadOrEnd) {
  EXPECT_EQ(error_of<Error>([] { static_cast<void>(TextPattern::of_expression("(a")); }).code(),
            ErrorCode::InvalidData);
  const TextPattern slow = TextPattern::of_expression("(a*)*[bd]");
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(slow.find_all(std::string(40, 'a') + "c")); }).code(),
            ErrorCode::InvalidData);
}

}  // namespace
}  // namespace detent
