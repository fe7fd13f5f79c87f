// Tests COCO's average precision on cases whose value follows by hand.
#include "detections/average_precision.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace detent {
namespace {

constexpr Box kFirst{0, 0, 10, 10}, kSecond{20, 20, 30, 30}, kAway{100, 100, 110, 110};

AveragePrecision score_of(std::vector<Detection> found, std::vector<TrueObject> objects) {
  return average_precision(match_objects(found, objects)).value();
}

TEST(AveragePrecisionOf, IsOneWhereAllObjectsAreFoundFirst) {
  const AveragePrecision score =
      score_of({{kSecond, 0.5F, 0}, {kFirst, 0.9F, 0}, {kAway, 0.1F, 0}}, {{kFirst, 0}, {kSecond, 0}});
  EXPECT_DOUBLE_EQ(score.map, 1);
  EXPECT_DOUBLE_EQ(score.map50, 1);
}

// Right, wrong, right: precision 1 up to a recall of 1/2 (51 of 101 recalls), 2/3 beyond.
TEST(AveragePrecisionOf, TakesTheBestPrecisionAtARecallOrAHigherOne) {
  const AveragePrecision score =
      score_of({{kFirst, 0.9F, 0}, {kAway, 0.8F, 0}, {kSecond, 0.7F, 0}}, {{kFirst, 0}, {kSecond, 0}});
  EXPECT_NEAR(score.map50, (51 + 50 * 2.0 / 3) / 101, 1e-12);
}

TEST(AveragePrecisionOf, CountsTheSecondFindOfAnObjectAsWrong) {
  const AveragePrecision score = score_of({{kFirst, 0.9F, 0}, {kFirst, 0.8F, 0}}, {{kFirst, 0}, {kSecond, 0}});
  EXPECT_NEAR(score.map50, 51.0 / 101, 1e-12);
}

// Moved by a tenth of its width: IoU .9 / 1.1 = .818, which seven of the ten thresholds allow.
TEST(AveragePrecisionOf, CountsThresholdsUpToTheIou) {
  const AveragePrecision score = score_of({{{1, 0, 11, 10}, 0.9F, 0}}, {{kFirst, 0}});
  EXPECT_NEAR(score.map, 0.7, 1e-12);
  EXPECT_DOUBLE_EQ(score.map50, 1);
}

TEST(AveragePrecisionOf, IsTheMeanOverCategoriesThatHaveObjects) {
  const AveragePrecision score = score_of({{kFirst, 0.9F, 0}, {kAway, 0.9F, 7}}, {{kFirst, 0}, {kSecond, 3}});
  EXPECT_DOUBLE_EQ(score.map50, 0.5) << "category 3 has 0, category 7 no object";
}

TEST(AveragePrecisionOf, LeavesOutWhatLiesInACrowd) {
  const std::vector<TrueObject> objects{{kFirst, 0}, {{50, 50, 200, 200}, 0, true}};
  const std::vector<Detection> found{{kAway, 0.95F, 0}, {{60, 60, 70, 70}, 0.94F, 0}, {kFirst, 0.9F, 0}};
  EXPECT_DOUBLE_EQ(score_of(found, objects).map, 1);
  EXPECT_NEAR(score_of(found, {{kFirst, 0}}).map, 1.0 / 3, 1e-12) << "the same without the crowd";
}

TEST(AveragePrecisionOf, PrefersAnObjectToACrowd) {
  const std::vector<TrueObject> objects{{{0, 0, 100, 100}, 0, true}, {kFirst, 0}};
  EXPECT_DOUBLE_EQ(score_of({{{1, 0, 11, 10}, 0.9F, 0}}, objects).map50, 1);
}

TEST(AveragePrecisionOf, CountsAHundredOfACategory) {
  std::vector<Detection> found(100, {kAway, 0.9F, 0});
  found.push_back({kFirst, 0.1F, 0});
  EXPECT_DOUBLE_EQ(score_of(found, {{kFirst, 0}}).map, 0);
  found.erase(found.begin());
  EXPECT_DOUBLE_EQ(score_of(found, {{kFirst, 0}}).map, 0.01);
}

TEST(AveragePrecisionOf, LeavesOutNumbersThatAreNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_DOUBLE_EQ(score_of({{kAway, nan, 0}, {{nan, 0, 1, 1}, 1, 0}, {kFirst, 0.5F, 0}}, {{kFirst, 0}}).map, 1);
}

TEST(AveragePrecisionOf, IsAbsentWithoutObjects) {
  const std::vector<Detection> found{{kFirst, 0.9F, 0}};
  EXPECT_FALSE(average_precision(match_objects(found, {})));
  EXPECT_FALSE(average_precision({}));
}

// Detections of all images stand in one order.
TEST(AveragePrecisionOf, RanksOverAllImages) {
  const std::vector<Detection> right{{kFirst, 0.5F, 0}}, wrong{{kAway, 0.9F, 0}};
  const std::vector<TrueObject> object{{kFirst, 0}};
  MatchedDetections images = match_objects(right, object);
  EXPECT_DOUBLE_EQ(average_precision(images)->map, 1);
  images += match_objects(wrong, {});
  EXPECT_DOUBLE_EQ(average_precision(images)->map, 0.5) << "the second image's score is higher";
}

// Boxes of 10 x 10 stand for areas of 900, 2500 and 10,000 pixels of the image, or as `unit_area` says.
constexpr std::array kSizes{ObjectSize::All, ObjectSize::Small, ObjectSize::Medium, ObjectSize::Large};

/// mAP by size; -1: no object has it.
std::vector<double> by_size(const std::vector<Detection>& found, const std::vector<TrueObject>& objects,
                            double unit_area = 1) {
  const MatchedDetections matched = match_objects(found, objects, unit_area);
  std::vector<double> maps;
  for (const ObjectSize size : kSizes) {
    const auto precision = average_precision(matched, size);
    maps.push_back(precision ? precision->map : -1);
  }
  return maps;
}

TEST(AveragePrecisionBySize, IsOfObjectsOfThatArea) {
  const std::vector<TrueObject> objects{{kFirst, 0, false, 900}, {kSecond, 1, false, 2500}, {kAway, 2, false, 1e4}};
  const std::vector<Detection> found{{kFirst, 0.9F, 0}, {kAway, 0.8F, 2}};
  EXPECT_EQ(by_size(found, objects), (std::vector<double>{2.0 / 3, 1, 0, 1}));
}

TEST(AveragePrecisionBySize, IsAbsentWhereNoObjectHasTheArea) {
  EXPECT_EQ(by_size({{kFirst, 0.9F, 0}}, {{kFirst, 0, false, 900}}), (std::vector<double>{1, 1, -1, -1}));
  EXPECT_EQ(by_size({{kFirst, 0.9F, 0}}, {{kFirst, 0, true, 900}}), (std::vector<double>{-1, -1, -1, -1}));
}

TEST(AveragePrecisionBySize, CountsAnAreaOnABoundInBoth) {
  EXPECT_EQ(by_size({{kFirst, 0.9F, 0}}, {{kFirst, 0, false, 1024}}), (std::vector<double>{1, 1, 1, -1}));
  EXPECT_EQ(by_size({{kFirst, 0.9F, 0}}, {{kFirst, 0, false, 9216}}), (std::vector<double>{1, -1, 1, 1}));
}

// The best score finds an object of another size: neither right nor wrong among the small ones.
TEST(AveragePrecisionBySize, IgnoresWhatFindsAnObjectOfAnotherSize) {
  const std::vector<TrueObject> objects{{kFirst, 0, false, 900}, {kSecond, 0, false, 2500}};
  EXPECT_EQ(by_size({{kSecond, 0.9F, 0}, {kFirst, 0.8F, 0}}, objects), (std::vector<double>{1, 1, 1, -1}));
  // Once more on it is a wrong small detection, as the detection's own area is 100: precision 1/2.
  EXPECT_EQ(by_size({{kSecond, 0.9F, 0}, {kSecond, 0.85F, 0}, {kFirst, 0.8F, 0}}, objects)[1], 0.5);
}

// A detection that finds nothing is wrong for its own size alone: at 30 pixels of the image in one of the box it has
// 3000 of them and is of medium size.
TEST(AveragePrecisionBySize, IgnoresWrongDetectionsOfAnotherSize) {
  const std::vector<TrueObject> objects{{kFirst, 0, false, 900}, {kSecond, 0, false, 2500}};
  const std::vector<Detection> found{{kAway, 0.9F, 0}, {kFirst, 0.8F, 0}, {kSecond, 0.7F, 0}};
  EXPECT_EQ(by_size(found, objects, 30)[1], 1);
  EXPECT_EQ(by_size(found, objects, 30)[2], 0.5);
  EXPECT_EQ(by_size(found, objects, 1)[1], 0.5);
  EXPECT_EQ(by_size(found, objects, 1)[2], 1);
}

// The overlap with the object of another size is larger, the one with the small object allowed by all ten thresholds.
TEST(AveragePrecisionBySize, PrefersAnObjectOfItsSize) {
  const Box near{0, 0, 10, 9.8F};
  const std::vector<TrueObject> objects{{kFirst, 0, false, 2500}, {near, 0, false, 900}};
  EXPECT_EQ(by_size({{kFirst, 0.9F, 0}}, objects)[1], 1);
  EXPECT_EQ(by_size({{kFirst, 0.9F, 0}}, objects)[2], 1);
}

TEST(AveragePrecisionBySize, IsLeftOutWithoutAUnit) {
  EXPECT_EQ(by_size({{kFirst, 0.9F, 0}}, {{kFirst, 0, false, 900}}, 0), (std::vector<double>{1, -1, -1, -1}));
}

}  // namespace
}  // namespace detent
