#include "core/parse.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace detent {
namespace {

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number<int>("12"), 12);
  EXPECT_EQ(parse_number<int64_t>("-3"), -3);
  EXPECT_EQ(parse_number<double>("99.9"), 99.9);
  for (const char* text : {"", "12a", " 12", "12 ", "+12", "a", "1.5"})
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
}

TEST(ParseNumber, RefusesNumbersBeyondTheType) {
  EXPECT_EQ(parse_number<uint8_t>("255"), 255);
  EXPECT_EQ(parse_number<uint8_t>("256"), std::nullopt);
  EXPECT_EQ(parse_number<size_t>("-1"), std::nullopt);
}

TEST(TakeNumber, LeavesWhatFollows) {
  std::string_view text = "3,224";
  EXPECT_EQ(take_number<int64_t>(text), 3);
  EXPECT_EQ(text, ",224");
  EXPECT_EQ(take_number<int64_t>(text), std::nullopt);
  EXPECT_EQ(text, ",224") << "nothing was taken";
  std::string_view hexadecimal = "3c010a14";
  EXPECT_EQ(take_number<uint32_t>(hexadecimal, 16), 0x3c010a14U);
  EXPECT_TRUE(hexadecimal.empty());
}

}  // namespace
}  // namespace detent
