#include "ops/simd/magnitudes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ops/every_instruction_set.h"
#include "ops/node_runner.h"

namespace detent {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();

// Lengths around whole vectors of 4, 8 and 16 lanes.
constexpr size_t kLengths[] = {0, 1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 67};

TEST(AllFinite, FindsOneNumberThatIsNotAtEveryPlace) {
  test::with_every_instruction_set([] {
    for (const size_t length : kLengths) {
      std::vector<float> numbers(length, -std::numeric_limits<float>::max());
      EXPECT_TRUE(all_finite(numbers.data(), length)) << length;
      for (size_t i = 0; i < length; ++i)
        for (const float bad : {kInfinite, -kInfinite, kNaN, -kNaN}) {
          numbers[i] = bad;
          EXPECT_FALSE(all_finite(numbers.data(), length)) << bad << " at " << i << " of " << length;
          numbers[i] = 1;
        }
    }
  });
}

TEST(ReachOfRow, RaisesWhatIsSmallerAndReturnsTheLargest) {
  test::with_every_instruction_set([] {
    for (const size_t length : kLengths) {
      std::vector<float> row = test::values(test::ramp({static_cast<int64_t>(length)}));
      if (length > 2) row[length / 2] = kNaN, row[length - 1] = -kInfinite;
      std::vector<float> reached(length), expected(length);
      float largest = 0;
      for (size_t i = 0; i < length; ++i) {
        reached[i] = i % 3 == 0 ? 2.0F : 0.0F;
        const float own = std::isfinite(row[i]) ? std::abs(row[i]) : 0;
        expected[i] = std::max(reached[i], own);
        largest = std::max(largest, own);
      }
      EXPECT_EQ(reach_of_row(row.data(), reached.data(), length), largest) << length;
      EXPECT_EQ(reached, expected) << length;
    }
  });
}

}  // namespace
}  // namespace detent
