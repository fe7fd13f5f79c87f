// Tests COCO's average precision on random sets beside pycocotools' numbers, which coco_sets.py wrote; DETENT_COCO_SETS
// names another file of it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "detections/average_precision.h"

namespace detent {
namespace {

// Both add some thousand quotients of at most 1; pycocotools adds 2^-52 to each denominator.
constexpr double kRounding = 1e-14;

struct CocoImage {
  std::vector<TrueObject> objects;
  std::vector<Detection> found;

  [[nodiscard]] MatchedDetections match() const { return match_objects(found, objects, 1); }
};

struct CocoSet {
  std::vector<double> expected;  // mAP, mAP50, then by size; -1: no such object
  std::vector<CocoImage> images;
};

Box box_in(std::istream& words) {
  float x = 0, y = 0, width = 0, height = 0;
  words >> x >> y >> width >> height;
  return {x, y, x + width, y + height};
}

std::vector<CocoSet> coco_sets() {
  const char* other = std::getenv("DETENT_COCO_SETS");
  std::ifstream file(other ? std::filesystem::path(other)
                           : std::filesystem::path(DETENT_SOURCE_DIR) / "tests/detections/coco_sets.txt");
  std::vector<CocoSet> sets;
  for (std::string line, kind; std::getline(file, line);) {
    std::istringstream words(line);
    words >> kind;
    if (kind == "set") {
      sets.push_back({.expected = std::vector<double>(5)});
      int categories = 0;
      words >> categories;
      for (double& value : sets.back().expected) words >> value;
    } else if (kind == "image") {
      sets.back().images.emplace_back();
    } else if (kind == "object") {
      TrueObject object{.box = box_in(words)};
      words >> object.category >> object.crowd >> object.area;
      sets.back().images.back().objects.push_back(object);
    } else {
      Detection found{.box = box_in(words)};
      words >> found.score >> found.category;
      sets.back().images.back().found.push_back(found);
    }
    EXPECT_FALSE(words.fail()) << line;
  }
  return sets;
}

std::vector<double> precisions(const MatchedDetections& all) {
  const auto map = [&](ObjectSize size) {
    const auto precision = average_precision(all, size);
    return precision ? precision->map : -1;
  };
  const auto whole = average_precision(all);
  return {map(ObjectSize::All), whole ? whole->map50 : -1, map(ObjectSize::Small), map(ObjectSize::Medium),
          map(ObjectSize::Large)};
}

TEST(CocoSets, HaveThePrecisionOfPycocotools) {
  double largest = 0;
  const std::vector<CocoSet> sets = coco_sets();
  ASSERT_EQ(sets.size(), 180U);
  for (size_t s = 0; s < sets.size(); ++s) {
    MatchedDetections all;
    for (const CocoImage& image : sets[s].images) all += image.match();
    const std::vector<double> found = precisions(all);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], sets[s].expected[i], kRounding) << "set " << s << ", number " << i;
      largest = std::max(largest, std::abs(found[i] - sets[s].expected[i]));
    }
  }
  RecordProperty("largest_difference", std::to_string(largest * 1e15) + "e-15");
}

TEST(CocoSets, HaveThePrecisionOfTheOthersWithoutEachImage) {
  size_t changed = 0;
  for (const CocoSet& set : coco_sets()) {
    std::vector<MatchedDetections> matched;
    std::vector<const MatchedDetections*> parts;
    for (const CocoImage& image : set.images) matched.push_back(image.match());
    for (const MatchedDetections& one : matched) parts.push_back(&one);
    const RankedDetections ranked(parts);
    const auto without = ranked.without_each();
    ASSERT_EQ(without.size(), parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      MatchedDetections others;
      for (size_t j = 0; j < parts.size(); ++j)
        if (j != i) others += matched[j];
      const auto expected = average_precision(others);
      ASSERT_EQ(without[i].has_value(), expected.has_value());
      if (!expected) continue;
      EXPECT_NEAR(without[i]->map, expected->map, kRounding);
      EXPECT_NEAR(without[i]->map50, expected->map50, kRounding);
      const auto all = ranked.precision();
      changed += all && std::abs(all->map - expected->map) > 1e-3;
    }
  }
  EXPECT_GT(changed, 180U) << "an image that changes nothing tests nothing";
}

TEST(CocoSets, CountAPartAsOftenAsItIsDrawn) {
  for (const CocoSet& set : coco_sets()) {
    std::vector<MatchedDetections> matched;
    std::vector<const MatchedDetections*> parts;
    std::vector<uint32_t> counts;
    MatchedDetections drawn;
    for (const CocoImage& image : set.images) matched.push_back(image.match());
    for (const MatchedDetections& one : matched) {
      parts.push_back(&one);
      counts.push_back(static_cast<uint32_t>(parts.size() % 3));  // 1, 2, 0, 1 ...
      for (uint32_t i = 0; i < counts.back(); ++i) drawn += one;
    }
    const auto found = RankedDetections(parts).precision(counts), expected = average_precision(drawn);
    ASSERT_EQ(found.has_value(), expected.has_value());
    if (!found) continue;
    // Detections of equal score stand in another order, which is the precision of another order of images.
    EXPECT_NEAR(found->map, expected->map, 0.02);
  }
}

}  // namespace
}  // namespace detent
