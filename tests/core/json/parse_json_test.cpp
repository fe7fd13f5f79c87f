// Tests the bounds and words of the reader of JSON.
#include "core/json/parse_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/memory_limit_guard.h"
#include "detent/base/error.h"

namespace detent {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& text, RepeatedNames repeated = RepeatedNames::LastCounts) {
  try {
    static_cast<void>(parse_json(text, repeated));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    return error.what();
  }
  return "accepted";
}

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJson, ReadsWhatTheLibraryReads) {
  for (const char* text :
       {"null", "[]", "{}", "[1, -2, 3.5, 18446744073709551615, true, \"a\\u00e9\", null, {\"b\": [{}]}]",
        "{\"a\": {\"b\": [1, [2]]}, \"c\": \"d\"}", " \"text\" "})
    EXPECT_EQ(parse_json(text), nlohmann::json::parse(text)) << text;
}

TEST(ParseJson, SaysWhereATextIsNotJson) {
  EXPECT_EQ(refusal("[1,\n 2 3]"), "line 2, column 4: not JSON at '2 3'");
  EXPECT_EQ(refusal("[1, 1e999]"), "line 1, column 9: the number 1e999 is too large");
  EXPECT_EQ(refusal("[1"), "ends in the middle, after 2 bytes");
  EXPECT_EQ(refusal("{\"a"), "ends in the middle, after 3 bytes");
  EXPECT_EQ(refusal(""), "ends in the middle, after 0 bytes");
  EXPECT_THAT(refusal("{} x"), HasSubstr("line 1, column 4: not JSON at"));
}

TEST(ParseJson, RefusesBracketsNestedDeeperThan100) {
  EXPECT_EQ(refusal(nested(100)), "accepted");
  EXPECT_THAT(refusal(nested(101)), HasSubstr("nested deeper than 100"));
  EXPECT_THAT(refusal(std::string(1000000, '[')), HasSubstr("nested deeper than 100"));
}

TEST(ParseJson, TakesTheLastOfARepeatedNameUnlessItIsRefused) {
  EXPECT_EQ(parse_json(R"({"a": 1, "a": 2})"), nlohmann::json::parse(R"({"a": 2})"));
  EXPECT_EQ(refusal(R"({"a": 1, "a": 2})", RepeatedNames::Refused), "\"a\" is given twice");
  EXPECT_EQ(refusal(R"({"a": {"b": 1}, "c": {"b": 2}})", RepeatedNames::Refused), "accepted");
}

TEST(ParseJson, RefusesADocumentBeyondTheMemory) {
  std::string lists = "[[]";
  for (int i = 0; i < 100000; ++i) lists += ",[]";
  lists += "]";
  EXPECT_EQ(refusal(lists), "accepted");
  const test::MemoryLimit limit(1'000'000);
  EXPECT_THAT(refusal(lists), HasSubstr("takes more than 1.0 MB of memory (--max-memory)"));
}

}  // namespace
}  // namespace detent
