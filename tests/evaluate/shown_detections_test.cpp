// Tests the detections that pictures show: which boxes, which pairs of scores, and the order of samples.
#include "evaluate/shown_detections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace detent {
namespace {

using Scores = std::pair<float, float>;

const Box kHere{0, 0, 10, 10}, kThere{20, 0, 30, 10}, kElsewhere{50, 0, 60, 10};

TEST(ShownDetections, HaveBoxesFromALeastScoreOn) {
  const std::vector<Detection> expected{{kHere, 0.75F, 0}, {kThere, 0.25F, 0}, {kElsewhere, 0.125F, 0}};
  const ShownDetections shown = ShownDetections::of("a", expected, {});
  EXPECT_EQ(shown.expected.size(), 2U);
  EXPECT_TRUE(shown.found.empty());
}

TEST(ShownDetections, PairScoresOfWhichOneIsShown) {
  const std::vector<Detection> expected{{kHere, 0.75F, 0}, {kThere, 0.5F, 0}, {kElsewhere, 0.125F, 0}};
  const std::vector<Detection> found{{kHere, 0.125F, 0}, {kElsewhere, 0.0625F, 0}};
  EXPECT_THAT(ShownDetections::of("a", expected, found).scores,
              testing::ElementsAre(Scores{0.75F, 0.125F}, Scores{0.5F, 0}))
      << "a fainter one, and a lost one; both models agree that there is nothing elsewhere";
  const std::vector<Detection> faint{{kHere, 0.03125F, 0}};
  EXPECT_THAT(ShownDetections::of("a", std::span(expected).first(1), faint).scores,
              testing::ElementsAre(Scores{0.75F, 0}))
      << "too faint to be found";
  EXPECT_THAT(ShownDetections::of("a", {}, std::vector{expected[0]}).scores, testing::ElementsAre(Scores{0, 0.75F}))
      << "a new one";
}

TEST(ShownDetections, AreAlikeWhereBoxAndScoreStay) {
  const std::vector<Detection> expected{{kHere, 0.75F, 0}, {kThere, 0.5F, 0}, {kElsewhere, 0.375F, 0}};
  const std::vector<Detection> found{{kHere, 0.6875F, 0}, {kThere, 0.3125F, 0}, {{50, 0, 58, 10}, 0.375F, 0}};
  const ShownDetections shown = ShownDetections::of("a", expected, found);
  EXPECT_THAT(shown.expected_alike, testing::ElementsAre(true, false, false)) << "a fainter one, and a narrower one";
  EXPECT_THAT(shown.found_alike, testing::ElementsAre(true, false, false));
  const std::vector<Detection> other{{kHere, 0.75F, 1}};
  EXPECT_THAT(ShownDetections::of("a", std::span(expected).first(1), other).expected_alike, testing::ElementsAre(false))
      << "another class";
}

TEST(PutWorstFirst, OrdersByTheErrorAndKeepsTheOrderOfEquals) {
  std::vector<ShownDetections> samples{{.name = "a", .noise = 1}, {.name = "b", .noise = 2}, {.name = "c", .noise = 1}};
  samples.push_back({.name = "d", .noise = std::numeric_limits<double>::quiet_NaN()});
  put_worst_first(samples);
  std::string order;
  for (const ShownDetections& sample : samples) order += sample.name;
  EXPECT_EQ(order, "dbac") << "an error that is no number is the worst";
}

}  // namespace
}  // namespace detent
