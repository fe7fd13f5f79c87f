#include "report/html/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace detent::html {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(NotesList, SaysSentencesOfOnePatternOnceAndFoldsAllOfThem) {
  const std::string html = notes_list({"Conv 'a' is slow", "opset <13>", "Conv 'b' is slow"}, "all");
  EXPECT_THAT(
      html,
      HasSubstr("<ul class=\"notes\"><li>Conv &#39;a&#39; is slow (2 like this)</li><li>opset &lt;13&gt;</li></ul>"));
  EXPECT_THAT(html, HasSubstr("<details id=\"all\" class=\"close\"><summary>Every note: 3</summary>"));
  EXPECT_THAT(html, HasSubstr("<li>Conv &#39;b&#39; is slow</li>"));
}

TEST(NotesList, FoldsNothingWhereEachSaysSomethingElse) {
  EXPECT_THAT(notes_list({"one", "two"}, "all"), Not(HasSubstr("<details")));
  EXPECT_EQ(notes_list({}, "all"), "");
}

}  // namespace
}  // namespace detent::html
