#include "core/nearest_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EditDistance, CountsInsertedRemovedAndReplacedCharacters) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);  // the textbook's example
  EXPECT_EQ(edit_distance("conv1", "conv1"), 0U);
}

TEST(NearestNames, ComeNearestFirstAndInTheirOrderWhenEquallyNear) {
  const std::vector<std::string> names = {"relu_1", "conv_10", "conv_2", "conv_1"};
  EXPECT_THAT(nearest_names("conv_3", names, 2), ElementsAre("conv_2", "conv_1"));
}

TEST(NearestNames, CountAPartOfANameAsNear) {
  const std::vector<std::string> names = {"relu_4", "/backbone/layer1/relu_3_output_0"};
  EXPECT_THAT(nearest_names("relu_3_output_0", names, 1), ElementsAre("/backbone/layer1/relu_3_output_0"));
}

TEST(NearestNames, AreNoneOfNone) { EXPECT_THAT(nearest_names("x", {}, 3), IsEmpty()); }

}  // namespace
}  // namespace detent
