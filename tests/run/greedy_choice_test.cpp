#include "run/greedy_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::HasSubstr;

/// Returns scores [1, 1, classes].
Tensor scores_of(const std::vector<float>& numbers) {
  return Tensor::from<float>({1, 1, std::ssize(numbers)}, numbers);
}

GreedyChoice choice(const DecodeRules& rules, const std::vector<float>& numbers, size_t of_frame = 0) {
  return choose_greedily(scores_of(numbers), &rules, of_frame);
}

constexpr DecodeKind kTransducer = DecodeKind::Transducer;
const DecodeRules kBlankFirst{.kind = kTransducer, .blank = 0, .most_per_frame = 3};
const DecodeRules kTdt{.kind = DecodeKind::Tdt, .blank = 2, .most_per_frame = 3, .durations = {0, 1, 4}};

TEST(GreedyChoice, TakesTheFirstOfTheHighestInTheLastPosition) {
  const GreedyChoice found = choose_greedily(Tensor::from<float>({1, 2, 3}, {9, 0, 0, 1, 5, 5}), nullptr);
  EXPECT_EQ(found.token, 1);
  EXPECT_FALSE(found.ends);
}

TEST(GreedyChoice, OfAttentionEndsAtTheEndToken) {
  const DecodeRules rules{.end = 2, .suppressed = {{0, 0}}};
  EXPECT_EQ(choice(rules, {9, 1, 0}).token, 1) << "0 is never chosen";
  const GreedyChoice last = choice(rules, {9, 1, 2});
  EXPECT_TRUE(last.ends);
  EXPECT_FALSE(last.token);
}

TEST(GreedyChoice, OfATransducerStaysAtAFrameUpToTheBlank) {
  EXPECT_EQ(choice(kBlankFirst, {0, 1, 0}).token, 1);
  EXPECT_EQ(choice(kBlankFirst, {0, 1, 0}).frames, 0);
  EXPECT_FALSE(choice(kBlankFirst, {2, 1, 0}).token);
  EXPECT_EQ(choice(kBlankFirst, {2, 1, 0}).frames, 1);
}

TEST(GreedyChoice, OfATransducerGoesOnWithTheMostTokensOfAFrame) {
  EXPECT_EQ(choice(kBlankFirst, {0, 1, 0}, 1).frames, 0) << "the second of three";
  const GreedyChoice third = choice(kBlankFirst, {0, 1, 0}, 2);
  EXPECT_EQ(third.token, 1);
  EXPECT_EQ(third.frames, 1);
}

TEST(GreedyChoice, OfATdtGoesOnByItsDurations) {
  const GreedyChoice token = choice(kTdt, {0, 5, 1, 0, 0, 7});
  EXPECT_EQ(token.token, 1);
  EXPECT_EQ(token.frames, 4) << "the score of a duration is no token's";
  const GreedyChoice stays = choice(kTdt, {0, 5, 1, 7, 0, 0});
  EXPECT_EQ(stays.frames, 0);
  EXPECT_EQ(choice(kTdt, {0, 5, 1, 7, 0, 0}, 2).frames, 1) << "a frame has three tokens at most";
  const GreedyChoice blank = choice(kTdt, {0, 5, 6, 7, 0, 0});
  EXPECT_FALSE(blank.token);
  EXPECT_EQ(blank.frames, 1) << "a blank of no frame would come again for ever";
  EXPECT_EQ(choice(kTdt, {0, 5, 6, 0, 0, 7}).frames, 4);
}

TEST(GreedyChoice, RefusesFewerScoresThanBlankAndDurationsNeed) {
  EXPECT_NO_THROW(choice(kTdt, {0, 0, 0, 0, 0, 0}));
  const Error error = error_of<Error>([] { choice(kTdt, {0, 0, 0, 0, 0}); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
  EXPECT_THAT(error.what(), HasSubstr("the model writes 5 scores a step; the blank 2 and 3 durations need 6 or more"));
}

}  // namespace
}  // namespace detent
