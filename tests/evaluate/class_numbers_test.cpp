// Tests how the classes of a detector are matched with annotations, and the refusal of annotations that do not fit.
#include "evaluate/class_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "detent/base/error.h"

namespace detent {
namespace {

using ::testing::HasSubstr;

/// COCO's first categories: ids 1, 2 and 13 of them.
ObjectLabels labels_with_gaps() { return {.categories = {"a", "b", "c"}, .ids = {1, 2, 13}}; }

constexpr float kSide = 20;

/// Twelve objects of categories 0, 1 and 2 in rows, and as many detections that `box` and `category` give.
ProbedSample sample_with(
    const std::function<int32_t(int32_t)>& category,
    const std::function<Box(const Box&)>& box = [](const Box& one) { return one; }) {
  ProbedSample sample;
  for (int32_t i = 0; i < 12; ++i) {
    const float left = 30 * static_cast<float>(i), top = 5;
    const Box own{left, top, left + kSide, top + kSide / 2};
    sample.objects.push_back({own, i % 3});
    sample.found.push_back({box(own), 0.9F, category(i % 3)});
  }
  return sample;
}

std::string_view numbering_of(const std::function<int32_t(int32_t)>& category) {
  const std::vector<ProbedSample> samples{sample_with(category)};
  return find_numbering(samples, labels_with_gaps()).name;
}

TEST(ClassNumbers, AreThoseThatMostDetectionsHave) {
  constexpr std::array kIds{1, 2, 13};
  EXPECT_EQ(numbering_of([](int32_t c) { return c; }), kClassNumberings[0].name);
  EXPECT_EQ(numbering_of([](int32_t c) { return c + 1; }), kClassNumberings[1].name);
  EXPECT_EQ(numbering_of([&](int32_t c) { return kIds.at(static_cast<size_t>(c)); }), kClassNumberings[2].name);
  EXPECT_EQ(numbering_of([&](int32_t c) { return kIds.at(static_cast<size_t>(c)) - 1; }), kClassNumberings[3].name);
}

TEST(ClassNumbers, CountFrom0WhereNothingIsFound) {
  EXPECT_EQ(find_numbering({}, labels_with_gaps()).name, kClassNumberings.front().name);
  EXPECT_EQ(numbering_of([](int32_t) { return 77; }), kClassNumberings.front().name);
}

TEST(ClassNumbers, RenumberTheObjects) {
  std::vector<TrueObject> objects{{{}, 2}, {{}, 0}};
  renumber(objects, labels_with_gaps(), kClassNumberings[2]);
  EXPECT_EQ(objects[0].category, 13);
  EXPECT_EQ(objects[1].category, 1);
  objects = {{{}, 2}};
  renumber(objects, {.form = ObjectLabels::Form::Yolo}, kClassNumberings[2]);
  EXPECT_EQ(objects[0].category, 2) << "without ids they are the numbers from 0 on";
}

/// Returns the message; "" without an error.
std::string refusal_of(std::vector<ProbedSample> samples) {
  try {
    require_fit(samples, "labels.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    return error.what();
  }
  return "";
}

constexpr auto kSame = [](int32_t category) { return category; };

TEST(RequireFit, NamesClassesThatAreNumberedOtherwise) {
  const std::string message = refusal_of({sample_with([](int32_t c) { return c + 40; })});
  EXPECT_THAT(message,
              HasSubstr("12 of them lie on an object of labels.json, but of another class: classes 40, 41, 42"));
  EXPECT_THAT(message, HasSubstr("on objects of 0, 1, 2"));
}

TEST(RequireFit, NamesTheMisreadingOfBoxes) {
  const auto exchanged = [](const Box& one) { return Box{one.top, one.left, one.bottom, one.right}; };
  EXPECT_THAT(refusal_of({sample_with(kSame, exchanged)}), HasSubstr("would if their x and y are exchanged"));
  const auto centred = [](const Box& one) {
    return Box{(one.left + one.right) / 2, (one.top + one.bottom) / 2, one.right - one.left, one.bottom - one.top};
  };
  EXPECT_THAT(refusal_of({sample_with(kSame, centred)}), HasSubstr("are centre, width and height"));
  const auto written = [](const Box& one) {
    return Box{one.left, one.top, one.right - one.left, one.bottom - one.top};
  };
  EXPECT_THAT(refusal_of({sample_with(kSame, written)}), HasSubstr("if their four numbers are a corner, width and"));
  const auto elsewhere = [](const Box& one) { return Box{one.left, one.top + 90, one.right, one.bottom + 90}; };
  EXPECT_THAT(refusal_of({sample_with(kSame, elsewhere)}), HasSubstr("hardly one lies on an object"));
}

/// Annotations x, y, x2, y2 that were read as x, y, width, height.
TEST(RequireFit, NamesAnnotationsThatAreCorners) {
  ProbedSample sample = sample_with(kSame);
  for (TrueObject& one : sample.objects)
    one.box = {one.box.left, one.box.top, one.box.left + one.box.right, one.box.top + one.box.bottom};
  EXPECT_THAT(refusal_of({sample}), HasSubstr("or those of the labels two corners"));
}

/// 12 detections, of which one or two are right: 8 and 17 %.
TEST(RequireFit, RefusesBelowAShareThatIsRight) {
  const auto right = [](size_t count) {
    ProbedSample sample = sample_with([](int32_t) { return 77; });
    for (size_t i = 0; i < count; ++i) sample.found[i].category = sample.objects[i].category;
    return sample;
  };
  EXPECT_THAT(refusal_of({right(1)}), HasSubstr("of another class"));
  EXPECT_EQ(refusal_of({right(2)}), "");
}

TEST(RequireFit, AcceptsADetectorThatFindsSomething) {
  EXPECT_EQ(refusal_of({sample_with(kSame)}), "");
  EXPECT_EQ(refusal_of({sample_with([](int32_t c) { return c == 0 ? 0 : 77; })}), "") << "one category of three";
}

TEST(RequireFit, AcceptsAPoorDetectorAndFewDetections) {
  ProbedSample unsure = sample_with([](int32_t) { return 77; }), few = unsure, empty = unsure;
  for (Detection& one : unsure.found) one.score = 0.1F;
  few.found.resize(9);
  empty.objects.clear();
  EXPECT_EQ(refusal_of({unsure}), "");
  EXPECT_EQ(refusal_of({few}), "");
  EXPECT_EQ(refusal_of({empty}), "");
}

}  // namespace
}  // namespace detent
