// Tests that rows in free order are put into the order of the float model's rows before they are compared.
#include "evaluate/match_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace detent {
namespace {

using testing::ElementsAre;

Tensor floats(const Shape& shape, std::vector<float> numbers) { return Tensor::from<float>(shape, numbers); }

std::vector<float> numbers(const Tensor& tensor) { return {tensor.data<float>().begin(), tensor.data<float>().end()}; }

std::vector<float> matched(const Tensor& expected, const Tensor& found, int64_t axis = 1) {
  const std::vector<FreeRows> rows{{{{"y", axis}}}};
  const std::vector<std::string> names{"y"};
  const std::vector<Tensor> all{expected};
  return numbers(match_rows(rows, names, all, {found}).front());
}

TEST(MatchRows, PutsEachRowBesideTheNearest) {
  EXPECT_THAT(matched(floats({1, 3, 2}, {1, 2, 3, 4, 5, 6}), floats({1, 3, 2}, {5, 6, 1.1F, 2, 3, 4})),
              ElementsAre(1.1F, 2, 3, 4, 5, 6));
  EXPECT_THAT(matched(floats({1, 2, 3}, {1, 2, 3, 4, 5, 6}), floats({1, 2, 3}, {3, 1, 2, 6, 4, 5}), 2),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

// A row may have one partner: both 0.1 are nearest to the row 0.
TEST(MatchRows, TakesEachRowOnce) {
  EXPECT_THAT(matched(floats({1, 2, 1}, {0, 1}), floats({1, 2, 1}, {0.2F, 0.1F})), ElementsAre(0.1F, 0.2F));
}

// Scores of 0 and 1 beside pixels: 10 pixels are nothing among 600, a score of 0.9 is another one than 0.
TEST(MatchRows, ComparesColumnsInUnitsOfTheirDeviation) {
  EXPECT_THAT(
      matched(floats({1, 4, 2}, {300, 0, 310, 1, 900, 0, 0, 1}), floats({1, 4, 2}, {302, 1, 308, 0, 900, 0, 0, 1})),
      ElementsAre(308, 0, 302, 1, 900, 0, 0, 1));
}

TEST(MatchRows, MatchesEverySampleAlone) {
  EXPECT_THAT(matched(floats({2, 2, 1}, {1, 2, 3, 4}), floats({2, 2, 1}, {3, 1, 4, 2})), ElementsAre(1, 3, 2, 4));
}

TEST(MatchRows, KeepsRowsOfSeveralOutputsTogether) {
  const std::vector<FreeRows> rows{{{{"boxes", 1}, {"labels", 1}, {"scores", 1}}}};
  const std::vector<std::string> names{"other", "labels", "boxes"};  // scores are not judged
  const std::vector<Tensor> expected{floats({1, 2}, {1, 2}), Tensor::from<int64_t>({1, 2}, {7, 9}),
                                     floats({1, 2, 1}, {10, 20})};
  const std::vector<Tensor> found =
      match_rows(rows, names, expected,
                 {floats({1, 2}, {2, 1}), Tensor::from<int64_t>({1, 2}, {9, 7}), floats({1, 2, 1}, {20, 10})});
  EXPECT_THAT(numbers(found[0]), ElementsAre(2, 1)) << "in fixed order";
  EXPECT_THAT(found[1].data<int64_t>(), ElementsAre(7, 9));
  EXPECT_THAT(numbers(found[2]), ElementsAre(10, 20));
}

TEST(MatchRows, LeavesOtherShapesAsTheyAre) {
  EXPECT_THAT(matched(floats({1, 2, 1}, {1, 2}), floats({1, 3, 1}, {3, 2, 1})), ElementsAre(3, 2, 1));
  EXPECT_THAT(matched(floats({2}, {1, 2}), floats({2}, {2, 1})), ElementsAre(2, 1)) << "there is no axis 1";
}

}  // namespace
}  // namespace detent
