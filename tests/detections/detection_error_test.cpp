// Tests pairs of detections, and their error: what a pair, a lost one and a new one cost.
#include "detections/detection_error.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

const std::vector<Detection> kExpected{{{0, 0, 10, 10}, 0.75F, 0}, {{20, 0, 30, 10}, 0.5F, 1}};
constexpr double kSignal = 0.75 * 0.75 + 0.5 * 0.5;

TEST(PairDetections, GivesPairsThenWhatIsNew) {
  const std::vector<Detection> found{kExpected[1], {{50, 0, 60, 10}, 0.25F, 1}};
  const std::vector<DetectionPair> pairs = pair_detections(kExpected, found);
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0].expected, &kExpected[0]);
  EXPECT_EQ(pairs[0].found, nullptr) << "lost";
  EXPECT_EQ(pairs[1].found, found.data());
  EXPECT_EQ(pairs[1].iou, 1);
  EXPECT_EQ(pairs[2].expected, nullptr) << "new";
  EXPECT_TRUE(pair_detections({}, {}).empty());
}

TEST(CompareDetections, FindsNoErrorInTheSameRowsOfAnotherOrder) {
  const DetectionError error = compare_detections(kExpected, std::vector{kExpected[1], kExpected[0]});
  EXPECT_DOUBLE_EQ(error.signal, kSignal);
  EXPECT_DOUBLE_EQ(error.noise, 0);
}

TEST(CompareDetections, CountsScoresAndWhatBoxesDoNotShare) {
  std::vector<Detection> found = kExpected;
  found[0].box.right = 5;  // IoU 1/2
  found[1].score = 0.25F;
  EXPECT_DOUBLE_EQ(compare_detections(kExpected, found).noise, 0.75 * 0.75 / 4 + 0.25 * 0.25);
}

TEST(CompareDetections, CountsWhatIsLostAndWhatIsNew) {
  EXPECT_DOUBLE_EQ(compare_detections(kExpected, {}).noise, kSignal) << "0 dB";
  std::vector<Detection> other = kExpected;
  other[0].category = 2;
  EXPECT_DOUBLE_EQ(compare_detections(kExpected, other).noise, 2 * 0.75 * 0.75) << "the class is part of it";
}

TEST(CompareDetections, HasNoSignalInAnEmptyImage) {
  const DetectionError error = compare_detections({}, kExpected);
  EXPECT_EQ(error.signal, 0);
  EXPECT_DOUBLE_EQ(error.noise, kSignal);
}

}  // namespace
}  // namespace detent
