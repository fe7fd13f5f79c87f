#include "core/shown_text.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

std::string line(std::string_view text) { return shown_text(text, Lines::Escape); }

TEST(ShownText, WhatIsHarmlessStays) {
  for (const char* text : {"", "conv1/weight:0", "größe", "日本", "\xF0\x9F\x98\x80", "<b>&\"\\"})
    EXPECT_EQ(line(text), text);
}

TEST(ShownText, EveryControlCharacterIsShown) {
  for (int c = 0; c < 0x20; ++c) {
    char escape[5];
    std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(c));
    EXPECT_EQ(line(std::string("a") + static_cast<char>(c) + "b"), std::string("a") + escape + "b");
  }
  EXPECT_EQ(line("\x7F"), "\\x7f");
  EXPECT_EQ(line("\xC2\x80|\xC2\x9B|\xC2\x9F|\xC2\xA0"), "\\xc2\\x80|\\xc2\\x9b|\\xc2\\x9f|\xC2\xA0");  // C1, then none
}

TEST(ShownText, LineFeedsStayOnlyWhereTheTextHasLines) {
  EXPECT_EQ(line("a\nb"), "a\\x0ab");
  EXPECT_EQ(shown_text("a\nb\r", Lines::Keep), "a\nb\\x0d");
}

TEST(ShownText, ListsKeepTheLineFeedsInFrontOfTheirEntries) {
  EXPECT_EQ(shown_text("two:\n  a\nb\n  c\n", Lines::Lists), "two:\n  a\\x0ab\n  c\\x0a");
}

TEST(ShownJson, EscapesWhatNoTerminalShouldGet) {
  EXPECT_EQ(shown_json("\"a\x7f\xC2\x9B\xE2\x80\xAEz\""), "\"a\\u007f\\u009b\\u202ez\"");
  for (const char* kept : {"", "\"gr\xC3\xB6\xC3\x9F\x65 \xC2\xA0 \xE2\x80\xA6 \xE2\x82\xAC\"", "{\n  \"a\": 1\n}"})
    EXPECT_EQ(shown_json(kept), kept);
}

TEST(ShownText, WhatTurnsTheDirectionOfWritingIsShown) {
  for (const char* last : {"\xAA", "\xAE"})
    EXPECT_NE(line(std::string("\xE2\x80") + last).front(), '\xE2');  // U+202A, E
  for (const char* last : {"\xA6", "\xA9"})
    EXPECT_NE(line(std::string("\xE2\x81") + last).front(), '\xE2');                                      // U+2066, 9
  for (const char* kept : {"\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\xA5"}) EXPECT_EQ(line(kept), kept);  // beside them
}

TEST(ShownText, BytesThatAreNoUtf8AreShownOneByOne) {
  EXPECT_EQ(line("\xFF"), "\\xff");
  EXPECT_EQ(line("\xE2\x82"), "\\xe2\\x82");                    // cut short
  EXPECT_EQ(line("\xC0\xAF"), "\\xc0\\xaf");                    // longer than needed
  EXPECT_EQ(line("\xED\xA0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(line("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  EXPECT_EQ(line("\x80z"), "\\x80z");
}

}  // namespace
}  // namespace detent
