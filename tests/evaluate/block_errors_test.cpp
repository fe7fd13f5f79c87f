// Tests the errors of parts of an output that is joined from numbers of different meaning.
#include "evaluate/block_errors.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

// Two boxes of one coordinate and one score each, [1, 2, 2]: coordinates 100 and 300, scores 0 and 1.
const Tensor kExpected = Tensor::from<float>({1, 2, 2}, std::vector<float>{100, 300, 0, 1});
const std::vector<OutputBlock> kBlocks{{"y", 1, 0, 1}, {"y", 1, 1, 1}};

std::optional<BlockErrors::Worst> worst(const Tensor& found, const std::string& output = "y") {
  BlockErrors errors(kBlocks);
  errors.add(output, kExpected, found);
  return errors.worst();
}

TEST(BlockErrors, ShowWhatTheWholeHides) {
  // Scores deviate by 1/2 from their mean and are wrong by as much: 0 dB, beside 100^2 / (2 * .5^2) of the whole.
  const auto found = worst(Tensor::from<float>({1, 2, 2}, std::vector<float>{100, 300, 0.5F, 0.5F}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "'y', 1 to 1 of axis 1");
  EXPECT_DOUBLE_EQ(found->sqnr_db, 0);
}

TEST(BlockErrors, AreOfNumbersCentredOnTheirMean) {
  // Coordinates deviate by 100 from 200 and are wrong by 10.
  const auto found = worst(Tensor::from<float>({1, 2, 2}, std::vector<float>{110, 310, 0, 1}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "'y', 0 to 0 of axis 1");
  EXPECT_DOUBLE_EQ(found->sqnr_db, 20);
}

TEST(BlockErrors, HaveNoneOfOtherOutputsOrShapes) {
  EXPECT_FALSE(worst(kExpected, "z"));
  EXPECT_FALSE(worst(Tensor::from<float>({1, 4, 1}, std::vector<float>{100, 300, 0, 1})));
  EXPECT_FALSE(BlockErrors().worst());
}

}  // namespace
}  // namespace detent
