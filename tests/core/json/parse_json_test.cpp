// Tests the bounds and words of the reader of JSON.
#include "core/json/parse_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/memory_limit_guard.h"
#include "detent/base/error.h"

namespace detent {
namespace {

using testing::HasSubstr;

std::string refused_json(const std::string& text, RepeatedNames repeated = RepeatedNames::LastCounts) {
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
  EXPECT_EQ(refused_json("[1,\n 2 3]"), "line 2, column 4: not JSON at '3'");
  EXPECT_EQ(refused_json("[1, 1e999]"), "line 1, column 9: the number 1e999 is too large");
  EXPECT_EQ(refused_json("[1"), "ends in the middle, after 2 bytes");
  EXPECT_EQ(refused_json("{\"a"), "ends in the middle, after 3 bytes");
  EXPECT_EQ(refused_json(""), "ends in the middle, after 0 bytes");
  EXPECT_THAT(refused_json("{} x"), HasSubstr("line 1, column 4: not JSON at"));
}

TEST(ParseJson, RefusesBracketsNestedDeeperThan100) {
  EXPECT_EQ(refused_json(nested(100)), "accepted");
  EXPECT_THAT(refused_json(nested(101)), HasSubstr("nested deeper than 100"));
  EXPECT_THAT(refused_json(std::string(1000000, '[')), HasSubstr("nested deeper than 100"));
}

TEST(ParseJson, TakesTheLastOfARepeatedNameUnlessItIsRefused) {
  EXPECT_EQ(parse_json(R"({"a": 1, "a": 2})"), nlohmann::json::parse(R"({"a": 2})"));
  EXPECT_EQ(refused_json(R"({"a": 1, "a": 2})", RepeatedNames::Refused), "\"a\" is given twice");
  EXPECT_EQ(refused_json(R"({"a": {"b": 1}, "c": {"b": 2}})", RepeatedNames::Refused), "accepted");
}

TEST(ParseJson, RefusesADocumentBeyondTheMemory) {
  std::string lists = "[[]";
  for (int i = 0; i < 100000; ++i) lists += ",[]";
  lists += "]";
  EXPECT_EQ(refused_json(lists), "accepted");
  const test::MemoryLimit limit(1'000'000);
  EXPECT_THAT(refused_json(lists), HasSubstr("takes more than 1.0 MB of memory (--max-memory)"));
}

}  // namespace
}  // namespace detent
