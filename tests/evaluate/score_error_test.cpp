#include "evaluate/score_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/mean.h"

namespace detent {
namespace {

/// Top-1 of two variants by sample: 1 is right.
Evaluation labelled_scores(const std::vector<int>& first, const std::vector<int>& second) {
  Evaluation evaluation;
  evaluation.by_batch.resize(2, std::vector<std::vector<ErrorSums>>(first.size()));
  evaluation.task_by_batch.resize(3);
  evaluation.task.resize(3);
  for (size_t v = 0; v < 2; ++v)
    for (const int right : v == 0 ? first : second) {
      TaskSums sums;
      sums.labelled = 1;
      sums.first = static_cast<uint64_t>(right);
      evaluation.task[1 + v] += sums;
      evaluation.task_by_batch[1 + v].push_back(sums);
    }
  return evaluation;
}

/// One output: signal 1 and this noise in each sample.
Evaluation noisy(const std::vector<std::vector<double>>& variants) {
  Evaluation evaluation;
  evaluation.outputs = {"y"};
  for (const std::vector<double>& noises : variants) {
    auto& batches = evaluation.by_batch.emplace_back();
    for (const double noise : noises) {
      ErrorSums sums;
      sums.signal = 1;
      sums.noise = noise;
      sums.is_float = true;
      batches.push_back({sums});
    }
  }
  return evaluation;
}

TEST(ScoreErrors, AreThoseOfAShare) {
  // 75 % of 40: sqrt(.75 * .25 / 40) = 6.8 points; 1000 draws know it to 2.2 %, three of that.
  std::vector<int> right(40, 1);
  for (size_t i = 0; i < 40; i += 4) right[i] = 0;
  const auto errors = score_errors(labelled_scores(right, right), "top1");
  ASSERT_TRUE(errors.has_value());
  const double expected = std::sqrt(0.75 * 0.25 / 40);
  EXPECT_NEAR(errors->own[0], expected, 0.07 * expected);
  EXPECT_EQ(errors->difference[0][1], 0) << "the same answers";
}

TEST(ScoreErrors, HoldSamplesOfTwoVariantsAgainstEachOther) {
  // Half of all samples are hard for both; one more is hard only for the second.
  std::vector<int> first(40, 1), second(40, 1);
  for (size_t i = 0; i < 40; i += 2) first[i] = second[i] = 0;
  second[1] = 0;
  const auto errors = score_errors(labelled_scores(first, second), "top1");
  EXPECT_GT(errors->own[0], 0.07);
  EXPECT_LT(errors->difference[0][1], 0.03) << "sqrt(1 / 40 * 39 / 40 / 40) = 2.5 points";
  EXPECT_LE(1.0 / 40, kToldApartErrors * errors->difference[0][1]) << "one answer of forty is no difference";
}

TEST(ScoreErrors, OfSqnrAre0WhereEverySampleIsAlike) {
  const auto errors = score_errors(noisy({{0.01, 0.01, 0.01}, {0.02, 0.02, 0.02}}), "sqnr_db");
  ASSERT_TRUE(errors.has_value());
  EXPECT_NEAR(errors->own[0], 0, 1e-9);
  EXPECT_NEAR(errors->difference[0][1], 0, 1e-9) << "3 dB that are always there";
}

TEST(ScoreErrors, OfSqnrGrowWithASampleThatDecidesAlone) {
  const auto errors = score_errors(noisy({{0.01, 0.01, 0.01, 1}, {0.01, 0.01, 0.01, 0.01}}), "sqnr_db");
  EXPECT_GT(errors->own[0], 3);
  EXPECT_NEAR(errors->own[1], 0, 1e-9);
  EXPECT_GT(errors->difference[0][1], 3);
}

TEST(ScoreErrors, AreUnknownForOneSampleAndForACommand) {
  EXPECT_FALSE(score_errors(noisy({{0.01}, {0.02}}), "sqnr_db").has_value());
  EXPECT_FALSE(score_errors(noisy({{0.01, 0.02}, {0.02, 0.02}}), "metric").has_value());
  EXPECT_FALSE(score_errors(noisy({{0.01, 0.02}, {0.02, 0.02}}), "top1").has_value()) << "no labels";
}

/// The detections of one image with an object of 10 x 10 pixels.
MatchedDetections image(bool found) {
  const std::vector<Detection> here{{{0, 0, 10, 10}, 0.5F, 0}};
  const std::vector<TrueObject> object{{{0, 0, 10, 10}, 0}};
  return match_objects(std::span(here).first(found ? 1 : 0), object);
}

// Two of four are found: the precision is 1 up to a recall of a half, so the mAP is the share that is found.
TEST(PrecisionErrors, AreThoseOfTheMeanOverDraws) {
  std::vector<MatchedDetections> images;
  for (uint64_t i = 0; i < 40; ++i) images.push_back(image(i % 2 == 0));
  std::vector<const MatchedDetections*> batches;
  for (const MatchedDetections& one : images) batches.push_back(&one);
  const ScoreErrors errors = precision_errors({batches, batches});
  EXPECT_NEAR(errors.own[0], std::sqrt(0.25 / 40), 0.01);
  EXPECT_EQ(errors.difference[0][1], 0) << "the same detections";
}

TEST(PrecisionErrors, LeaveOutDrawsWithoutObjects) {
  const MatchedDetections found = image(true), none;
  EXPECT_EQ(precision_errors({{&found, &none}}).own[0], 0) << "a quarter of the draws have no object";
  const MatchedDetections missed = image(false);
  EXPECT_GT(precision_errors({{&found, &missed}}).own[0], 0.2);
}

}  // namespace
}  // namespace detent
