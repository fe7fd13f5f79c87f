#include "report/html/markup.h"

#include <gtest/gtest.h>

#include <limits>

namespace detent::html {
namespace {

TEST(Escape, TurnsEveryCharacterOfMarkupIntoAnEntity) {
  EXPECT_EQ(escape("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

TEST(Escape, LeavesOtherTextAlone) {
  EXPECT_EQ(escape(""), "");
  EXPECT_EQ(escape("/layer.1/Conv_output_0 (3×3)\n"), "/layer.1/Conv_output_0 (3×3)\n");
  EXPECT_EQ(escape("\xF0\x9F\x9A\x80 \xE2\x82\xAC"), "\xF0\x9F\x9A\x80 \xE2\x82\xAC");  // rocket, euro sign
}

TEST(Escape, ReplacesBytesThatAreNotUtf8) {
  const std::string replaced =
      "a\xEF\xBF\xBD"
      "b";
  EXPECT_EQ(escape("a\xFF"
                   "b"),
            replaced);
  EXPECT_EQ(escape("a\x80"
                   "b"),
            replaced)
      << "a tail without a lead";
  EXPECT_EQ(escape("a\xC3"
                   "b"),
            replaced)
      << "a lead without a tail";
  EXPECT_EQ(escape("a\xC0\xBC"
                   "b"),
            "a\xEF\xBF\xBD\xEF\xBF\xBD"
            "b")
      << "'<' in an overlong form";
  EXPECT_EQ(escape("\xED\xA0\x80").find("\xED"), std::string::npos) << "a surrogate";
  EXPECT_EQ(escape("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "cut off at the end";
}

TEST(Escape, ReplacesControlCharacters) {
  EXPECT_EQ(escape(std::string("a\0b\x1B", 4)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST(NameMarkup, LetsLongNamesBreakBehindTheirSeparators) {
  EXPECT_EQ(name_markup("/a/b.c_d"), "<code>/a/<wbr>b.<wbr>c_<wbr>d</code>");
  EXPECT_EQ(name_markup("a<b/c"), "<code>a&lt;b/<wbr>c</code>");
}

TEST(NameMarkup, DoesNotBreakWhereNothingFollows) {
  EXPECT_EQ(name_markup("name."), "<code>name.</code>");
  EXPECT_EQ(name_markup("/"), "<code>/</code>");
  EXPECT_EQ(name_markup(""), "<code></code>");
}

TEST(DataUri, HoldsTheBytesInBase64) {
  // RFC 4648, section 10
  EXPECT_EQ(data_uri("a/b", ""), "data:a/b;base64,");
  EXPECT_EQ(data_uri("a/b", "f"), "data:a/b;base64,Zg==");
  EXPECT_EQ(data_uri("a/b", "fo"), "data:a/b;base64,Zm8=");
  EXPECT_EQ(data_uri("a/b", "foobar"), "data:a/b;base64,Zm9vYmFy");
}

TEST(Percentage, StaysWithinTheChart) {
  EXPECT_EQ(percentage(0.25), "25%");
  EXPECT_EQ(percentage(1.0 / 3), "33.33%");
  EXPECT_EQ(percentage(-2), "0%");
  EXPECT_EQ(percentage(7), "100%");
  EXPECT_EQ(percentage(std::numeric_limits<double>::quiet_NaN()), "0%");
  EXPECT_EQ(percentage(std::numeric_limits<double>::infinity()), "100%");
}

}  // namespace
}  // namespace detent::html
