#include "core/saturated.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace detent {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Saturated, KeepsWhatTheTypeHolds) {
  EXPECT_EQ(saturated<uint8_t>(255.0F), 255);
  EXPECT_EQ(saturated<int8_t>(-128.0), -128);
  EXPECT_EQ(saturated<int64_t>(-0x1p63), std::numeric_limits<int64_t>::min());
}

TEST(Saturated, CutsTowardsZero) {
  EXPECT_EQ(saturated<int32_t>(-1.9), -1);
  EXPECT_EQ(saturated<uint8_t>(-0.5), 0);
}

TEST(Saturated, GivesTheNearestEndBeyond) {
  EXPECT_EQ(saturated<uint8_t>(256.0F), 255);
  EXPECT_EQ(saturated<uint8_t>(-1.0F), 0);
  // 2^63 - 1 is not a float: the first float beyond int64_t is 2^63.
  EXPECT_EQ(saturated<int64_t>(0x1p63F), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(saturated<uint64_t>(0x1p64), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(saturated<int64_t>(kInfinity), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(saturated<int32_t>(-kInfinity), std::numeric_limits<int32_t>::min());
}

TEST(Saturated, TakesNoNumberForZero) { EXPECT_EQ(saturated<int64_t>(std::numeric_limits<float>::quiet_NaN()), 0); }

}  // namespace
}  // namespace detent
