#include "tune/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ChoiceSets, LeaveOut) {
  const ChoiceSet set = first_choices(4);
  EXPECT_THAT(set, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(first_choices(0), IsEmpty());
  EXPECT_THAT(without(set, std::vector<size_t>{2, 0}), ElementsAre(1, 3));
  EXPECT_THAT(each_without({1, 4}, std::vector<size_t>{4, 1}), ElementsAre(ElementsAre(1), ElementsAre(4)));
}

TEST(ChoiceSets, CountsDivideAGapEvenly) {
  EXPECT_THAT(counts_between(8, 16, 3), ElementsAre(10, 12, 14));
  EXPECT_THAT(counts_between(8, 11, 6), ElementsAre(9, 10)) << "no more than there are";
  EXPECT_THAT(counts_between(8, 10, 1), ElementsAre(9));
}

TEST(ChoiceSets, CountsDoubleUpToTheLast) {
  EXPECT_THAT(doubling_counts(0, 6), ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(doubling_counts(5, 8), ElementsAre(6, 7, 8));
  EXPECT_THAT(doubling_counts(5, 6), ElementsAre(6));
}

}  // namespace
}  // namespace detent
