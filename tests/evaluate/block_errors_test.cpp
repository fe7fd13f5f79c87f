// Tests the errors of parts of an output that is joined from numbers of different meaning.
#include "evaluate/block_errors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace detent {
namespace {

// Two boxes of one coordinate and one score each, [1, 2, 2]: coordinates 100 and 300, scores 0 and 1.
const Tensor kExpected = Tensor::from<float>({1, 2, 2}, std::vector<float>{100, 300, 0, 1});
const std::vector<OutputBlock> kBlocks{{"y", 1, 0, 1}, {"y", 1, 1, 1}};

std::optional<BlockErrors::Worst> worst(const Tensor& found) {
  BlockErrors errors(kBlocks);
  errors.add("y", kExpected, found);
  return errors.worst_block();
}

TEST(BlockErrors, ShowWhatTheWholeHides) {
  // Scores deviate by sqrt(1/2) and are wrong by 1/2: 3 dB, beside 40000 / .5 of the whole.
  const auto found = worst(Tensor::from<float>({1, 2, 2}, std::vector<float>{100, 300, 0.5F, 0.5F}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "'y', 1 to 1 of axis 1");
  EXPECT_NEAR(found->sqnr_db, 10 * std::log10(2), 1e-9);
}

TEST(BlockErrors, AreOfNumbersCentredOnTheirMean) {
  // Coordinates deviate by 100 from 200 and are wrong by 10; two numbers estimate a deviation of 100 sqrt(2).
  const auto found = worst(Tensor::from<float>({1, 2, 2}, std::vector<float>{110, 310, 0, 1}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "'y', 0 to 0 of axis 1");
  EXPECT_NEAR(found->sqnr_db, 10 * std::log10(200), 1e-9);
}

// Occupancy: all numbers near -8. 1 is small beside 8, and as large as their deviation.
TEST(BlockErrors, AreThoseOfAWholeOutputToo) {
  BlockErrors errors;
  errors.add("y", Tensor::from<float>({1, 1, 4}, {-9, -7, -9, -7}), Tensor::from<float>({1, 1, 4}, {-8, -8, -8, -8}));
  const auto found = errors.worst_output();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "'y'");
  EXPECT_NEAR(found->sqnr_db, 10 * std::log10(4.0 / 3), 1e-9);
  EXPECT_FALSE(errors.worst_output(std::vector<std::string>{"y"})) << "it is left out";
  EXPECT_FALSE(errors.worst_block()) << "all numbers are of one size";
}

// Two boxes of one coordinate: the first has a score of 0, and is not detected.
TEST(BlockErrors, CountByTheScoreBesideThem) {
  const Tensor expected = Tensor::from<float>({1, 2, 3}, {100, 300, 500, 0, 1, 0.5F});
  const Tensor lost = Tensor::from<float>({1, 2, 3}, {900, 300, 500, 0, 1, 0.5F});
  const auto of = [&](bool scores, const Tensor& found) {
    BlockErrors errors({{"y", 1, 0, 1}, {"y", 1, 1, 1, scores}});
    errors.add("y", expected, found);
    return errors;
  };
  EXPECT_EQ(of(true, lost).worst_block()->sqnr_db, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(of(true, lost).worst_output()) << "its blocks tell its error";
  EXPECT_LT(of(false, lost).worst_block()->sqnr_db, 0) << "numbers without scores count alike";
  // The candidate detects the first box: weights 1, 1, .5; the mean of the scores, by weight, is 1.25 / 2.5. The sum of
  // their squares about it is .625, times 3 / 2 of three numbers. The error is 1 at a weight of 1.
  const auto seen = of(true, Tensor::from<float>({1, 2, 3}, {100, 300, 500, 1, 1, 0.5F})).worst_block();
  EXPECT_EQ(seen->name, "'y', 1 to 1 of axis 1");
  EXPECT_NEAR(seen->sqnr_db, 10 * std::log10((1 + 0.125 - 1.25 * 1.25 / 2.5) * 1.5), 1e-6);
}

// [N, A, H, W, C] of an anchor, as YOLOv5 writes it.
TEST(BlockErrors, FindScoresOnAnyAxis) {
  BlockErrors errors({{"y", 4, 0, 1}, {"y", 4, 1, 1, true}});
  errors.add("y", Tensor::from<float>({1, 1, 1, 2, 2}, {100, 0.5F, 300, 1}),
             Tensor::from<float>({1, 1, 1, 2, 2}, {100, 0.5F, 300, 0.5F}));
  ASSERT_TRUE(errors.worst_block());
  EXPECT_EQ(errors.worst_block()->name, "'y', 1 to 1 of axis 4");
}

/// Four samples of three numbers: the middle one is 1 / `size` of the others, and lost.
BlockErrors errors_of_sizes(float size) {
  const float x = 1 / size;
  BlockErrors errors;
  errors.add("y", Tensor::from<float>({4, 3}, {1, x, 1, -1, x, 1, 1, -x, -1, -1, -x, -1}),
             Tensor::from<float>({4, 3}, {1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, -1}));
  return errors;
}

TEST(BlockErrors, SeparateNumbersOfDifferentSize) {
  const BlockErrors errors = errors_of_sizes(100);
  ASSERT_TRUE(errors.worst_block());
  EXPECT_EQ(errors.worst_block()->name, "'y', 1 to 1 of axis 1");
  EXPECT_NEAR(errors.worst_block()->sqnr_db, 10 * std::log10(4.0 / 3), 1e-9);
  EXPECT_GT(errors.worst_output()->sqnr_db, 43) << "the whole hides it";
}

/// Four samples of `features` numbers, of which the last `small` are 1 / `size` of the others, and lost.
BlockErrors errors_of_features(size_t features, size_t small, float size) {
  std::vector<float> x, y;
  for (const float sign : {1.0F, 1.0F, -1.0F, -1.0F})
    for (size_t c = 0; c < features; ++c) {
      const bool is_small = c + small >= features;
      x.push_back(is_small ? sign / size : sign);
      y.push_back(is_small ? 0 : sign);
    }
  BlockErrors errors;
  const Shape shape{4, static_cast<int64_t>(features)};
  errors.add("y", Tensor::from<float>(shape, x), Tensor::from<float>(shape, y));
  return errors;
}

// A nearly dead channel of a feature vector.
TEST(BlockErrors, DoNotSeeAFewFeaturesWithoutPower) {
  const BlockErrors errors = errors_of_features(9, 1, 100);
  EXPECT_EQ(errors.worst_block()->sqnr_db, HUGE_VAL) << "that of the eight others";
  ASSERT_TRUE(errors.worst_unseen_block());
  EXPECT_EQ(errors.worst_unseen_block()->name, "'y', 8 to 8 of axis 1");
  EXPECT_NEAR(errors.worst_unseen_block()->share, 1e-4 / (8 + 1e-4), 1e-9);
}

TEST(BlockErrors, SeeFeaturesWithAHundredthOfThePower) {
  // 255 channels of a 121st of the power of one are 2.1 of 3.1.
  const auto found = errors_of_features(256, 255, 11).worst_block();
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->share, 255.0 / 121 / (1 + 255.0 / 121), 1e-6);
  EXPECT_LT(found->sqnr_db, 3);
}

TEST(BlockErrors, SeeEachOfAFewQuantities) {
  EXPECT_TRUE(errors_of_features(8, 1, 100).worst_block()) << "a head of eight numbers is no feature vector";
  EXPECT_FALSE(errors_of_features(8, 1, 100).worst_unseen_block());
}

// The calibration data lack the third class: its probability is small.
TEST(BlockErrors, DoNotSplitProbabilitiesBySize) {
  const std::vector<float> x{0.6F, 0.3995F, 0.0005F, 0.3F, 0.699F, 0.001F};
  std::vector<float> y = x;
  y[2] = y[5] = 0;
  BlockErrors errors;
  errors.add("y", Tensor::from<float>({2, 3}, x), Tensor::from<float>({2, 3}, y));
  EXPECT_FALSE(errors.worst_block());
  EXPECT_FALSE(errors.worst_unseen_block());
  std::vector<float> numbers = x;
  numbers[0] = -0.6F;  // not probabilities
  BlockErrors others;
  others.add("y", Tensor::from<float>({2, 3}, numbers), Tensor::from<float>({2, 3}, y));
  EXPECT_TRUE(others.worst_block());
}

TEST(BlockErrors, KeepNumbersOfOneSizeTogether) {
  EXPECT_FALSE(errors_of_sizes(5).worst_block());
  EXPECT_NEAR(errors_of_sizes(5).worst_output()->sqnr_db, 10 * std::log10((2 + 0.04) / 0.04 * 4 / 3), 1e-5);
}

// A saturated Tanh: it varies little, and is as large as the others.
TEST(BlockErrors, DoNotSeparateAChannelThatIsNearlyConstant) {
  BlockErrors errors;
  errors.add("y", Tensor::from<float>({3, 2}, {-1, 1, 1, 0.99F, 0, 1}),
             Tensor::from<float>({3, 2}, {-1, 0.99F, 1, 1, 0, 0.99F}));
  EXPECT_FALSE(errors.worst_block());
}

TEST(BlockErrors, LeaveOutPartsWithoutElements) {
  BlockErrors errors({{"y", 1, 0, 0}, {"y", 1, 0, 2}});  // a cache before the first token, and what is appended
  errors.add("y", Tensor::from<float>({2, 2}, {1, 2, 3, 5}), Tensor::from<float>({2, 2}, {1, 2, 3, 4}));
  ASSERT_TRUE(errors.worst_block());
  EXPECT_EQ(errors.worst_block()->name, "'y', 0 to 1 of axis 1");
}

TEST(BlockErrors, LeaveOutPadding) {
  BlockErrors errors;
  const std::vector<uint8_t> counted{1, 1, 0};
  errors.add("y", Tensor::from<float>({1, 3, 1}, {1, 2, 3}), Tensor::from<float>({1, 3, 1}, {1, 2, 100}), counted);
  ASSERT_TRUE(errors.worst_output());
  EXPECT_EQ(errors.worst_output()->sqnr_db, HUGE_VAL);
}

TEST(BlockErrors, HaveNoneOfOtherShapesOrTypesOrWithoutVariation) {
  EXPECT_FALSE(worst(Tensor::from<float>({1, 4, 1}, std::vector<float>{100, 300, 0, 1})));
  BlockErrors errors;
  errors.add("y", Tensor::from<float>({1, 2}, {1, 2}), Tensor::from<float>({1, 2}, {2, 3}));
  errors.add("i", Tensor::from<int64_t>({2, 2}, {1, 2, 3, 4}), Tensor::from<int64_t>({2, 2}, {1, 2, 3, 4}));
  EXPECT_FALSE(errors.worst_output()) << "one sample has no mean";
  EXPECT_FALSE(BlockErrors().worst_block());
}

}  // namespace
}  // namespace detent
