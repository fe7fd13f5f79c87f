#include "core/checked_size.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>

namespace detent {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();

template <class Work>
std::string refusal(Work&& work) {
  try {
    (void)work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    return error.what();
  }
  return "";
}

TEST(CheckedSize, IsTheSumOrProductWhereOneExists) {
  EXPECT_EQ(checked_sum(kMost - 1, int64_t{1}, "n"), kMost);
  EXPECT_EQ(checked_sum(kMost, int64_t{-1}, "n"), kMost - 1);
  EXPECT_EQ(checked_product(kMost, int64_t{0}, "n"), 0);
  EXPECT_EQ(checked_product(int64_t{1} << 31, int64_t{1} << 31, "n"), int64_t{1} << 62);
  EXPECT_EQ(checked_product(uint64_t{1} << 63, uint64_t{1}, "n"), uint64_t{1} << 63);
}

TEST(CheckedSize, NamesWhatIsBeyond64Bits) {
  EXPECT_EQ(refusal([] { return checked_sum(kMost, int64_t{1}, "the extent"); }),
            "the extent, 9223372036854775807 + 1, is beyond 64 bits");
  EXPECT_NE(refusal([] { return checked_sum(kLeast, int64_t{-1}, "n"); }), "");
  EXPECT_EQ(refusal([] { return checked_product(int64_t{1} << 32, int64_t{1} << 31, "the extent"); }),
            "the extent, 4294967296 * 2147483648, is beyond 64 bits");
  EXPECT_NE(refusal([] { return checked_product(kLeast, int64_t{-1}, "n"); }), "");
  EXPECT_NE(refusal([] { return checked_sum(uint64_t{1} << 63, uint64_t{1} << 63, "n"); }), "");
}

}  // namespace
}  // namespace detent
