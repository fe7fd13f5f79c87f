// Tests how detections are read from outputs, and their suppression.
#include "detections/decode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "detections/suppress.h"

namespace detent {
namespace {

/// Reads outputs "a", "b" of one sample of an input that is 100 high and 200 wide.
std::vector<Detection> read(const std::vector<Tensor>& outputs, const DetectionLayout& layout) {
  const std::vector<std::string> names{"a", "b"};
  const auto reader = DetectionReader::of(layout, std::span(names).first(outputs.size()), outputs, 1);
  return reader ? reader->read(0, {100, 200}) : std::vector<Detection>{};
}

/// Reads them with the layout that --detections names.
std::vector<Detection> read(const std::vector<Tensor>& outputs, DetectionForm form) {
  std::vector<NamedShape> shapes;
  for (const Tensor& output : outputs) shapes.push_back({shapes.empty() ? "a" : "b", output.shape()});
  const auto layout = layout_of_form(form, shapes);
  return layout ? read(outputs, *layout) : std::vector<Detection>{};
}

TEST(Suppress, KeepsTheHighestScoreOfBoxesThatOverlap) {
  const std::vector<Detection> kept =
      suppress({{{0, 0, 10, 10}, 0.5F, 0}, {{1, 0, 11, 10}, 0.9F, 0}, {{50, 0, 60, 10}, 0.1F, 0}}, 0.65);
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_FLOAT_EQ(kept[0].score, 0.9F);
  EXPECT_FLOAT_EQ(kept[1].score, 0.1F);
}

TEST(Suppress, KeepsOverlappingBoxesOfTwoCategories) {
  EXPECT_EQ(suppress({{{0, 0, 10, 10}, 0.5F, 0}, {{0, 0, 10, 10}, 0.9F, 1}}, 0.65).size(), 2U);
}

TEST(Suppress, KeepsBoxesWhoseIouIsTheLimit) {
  // Half of the second lies in the first: IoU 1/2.
  EXPECT_EQ(suppress({{{0, 0, 10, 10}, 0.9F, 0}, {{0, 0, 10, 5}, 0.5F, 0}}, 0.5).size(), 2U);
  EXPECT_EQ(suppress({{{0, 0, 10, 10}, 0.9F, 0}, {{0, 0, 10, 5}, 0.5F, 0}}, 0.49).size(), 1U);
}

TEST(DetectionReaderOf, ReadsRowsOfCornersScoreAndClass) {
  const std::vector<float> rows{1, 2, 3, 4, 0.25F, 2, 5, 6, 7, 8, 0.75F, 0};
  const std::vector<Detection> found = read({Tensor::from<float>({1, 2, 6}, rows)}, DetectionForm::XyxyScoreClass);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FLOAT_EQ(found[0].score, 0.75F);
  EXPECT_EQ(found[1].category, 2);
  EXPECT_FLOAT_EQ(found[1].box.bottom, 4);
}

// Columns cx, cy, w, h and two scores of seven anchors; only two score above 0.
TEST(DetectionReaderOf, ReadsColumnsOfCentresSizesAndScores) {
  std::vector<float> values(6 * 7);
  const auto at = [&](size_t row, size_t anchor) -> float& { return values[row * 7 + anchor]; };
  at(0, 3) = 50, at(1, 3) = 40, at(2, 3) = 20, at(3, 3) = 10, at(5, 3) = 0.5F;
  at(0, 4) = 51, at(1, 4) = 40, at(2, 4) = 20, at(3, 4) = 10, at(5, 4) = 0.25F;
  const std::vector<Detection> found = read({Tensor::from<float>({1, 6, 7}, values)}, DetectionForm::CxcywhScores);
  ASSERT_EQ(found.size(), 1U) << "the weaker one of two that overlap is suppressed";
  EXPECT_EQ(found[0].category, 1);
  EXPECT_FLOAT_EQ(found[0].box.left, 40);
  EXPECT_FLOAT_EQ(found[0].box.bottom, 45);
}

TEST(DetectionReaderOf, ReadsBoxesAndLogitsOfQueries) {
  const std::vector<float> boxes{0.5F, 0.5F, 0.1F, 0.2F}, logits{-1, 2};
  const std::vector<Detection> found =
      read({Tensor::from<float>({1, 1, 2}, logits), Tensor::from<float>({1, 1, 4}, boxes)}, DetectionForm::BoxesLogits);
  ASSERT_EQ(found.size(), 1U) << "as many as there are queries";
  EXPECT_EQ(found[0].category, 1);
  EXPECT_NEAR(found[0].score, 1 / (1 + std::exp(-2.0)), 1e-6);
  EXPECT_FLOAT_EQ(found[0].box.left, 90) << "the input is 200 wide";
  EXPECT_FLOAT_EQ(found[0].box.top, 40) << "and 100 high";
}

// Rows instead of columns, with a score of the object in front; corners, because no second one lies before the first.
TEST(DetectionReaderOf, ReadsRowsWithObjectness) {
  const std::vector<float> rows{10, 20, 30, 50, 0.5F, 0.5F, 0.25F, 0, 0, 1, 1, 0, 1, 1};
  const std::vector<Detection> found =
      read({Tensor::from<float>({1, 2, 7}, rows)},
           {.form = DetectionForm::CxcywhScores, .boxes = "a", .classes = 2, .axis = 2, .objectness = true});
  ASSERT_EQ(found.size(), 2U) << "the second row has no object";
  EXPECT_FLOAT_EQ(found[0].score, 0.25F);
  EXPECT_FLOAT_EQ(found[1].score, 0.125F);
  EXPECT_FLOAT_EQ(found[0].box.right, 30);
}

// An input of 100 x 200 has 12 x 25 cells of 8 pixels, 6 x 12 of 16 and 3 x 6 of 32.
TEST(DetectionReaderOf, DecodesOffsetsFromCells) {
  constexpr int64_t kCells = 12 * 25 + 6 * 12 + 3 * 6;
  std::vector<float> values(kCells * 5);
  const auto set = [&](int64_t row, float x, float y, float size) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(row * 5);
    at[0] = x, at[1] = y, at[2] = at[3] = size, at[4] = 0.5F;
  };
  set(26, 0.5F, 0.5F, 0);                // cell (1, 1) of 8 pixels
  set(12 * 25 + 13, 0, 0, std::log(2));  // cell (1, 1) of 16 pixels, of 32 x 32
  const std::vector<Detection> found =
      read({Tensor::from<float>({1, kCells, 5}, values)},
           {.form = DetectionForm::CxcywhScores, .boxes = "a", .classes = 1, .axis = 2, .grid = true});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FLOAT_EQ(found[0].box.left, 8);
  EXPECT_FLOAT_EQ(found[0].box.bottom, 16);
  EXPECT_FLOAT_EQ(found[1].box.left, 0);
  EXPECT_FLOAT_EQ(found[1].box.bottom, 32);
}

// The heads of SSD: a Softmax over classes, the first of which is none, and corners in 0..1.
TEST(DetectionReaderOf, ReadsProbabilitiesWithABackground) {
  const std::vector<float> boxes{0.25F, 0.5F, 0.5F, 0.75F}, scores{0.25F, 0.75F};
  const std::vector<Detection> found =
      read({Tensor::from<float>({1, 1, 2}, scores), Tensor::from<float>({1, 1, 4}, boxes)},
           {.form = DetectionForm::BoxesLogits,
            .boxes = "b",
            .scores = "a",
            .classes = 1,
            .probabilities = true,
            .background = true,
            .suppressed = false});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FLOAT_EQ(found[0].score, 0.75F);
  EXPECT_EQ(found[0].category, 0);
  EXPECT_FLOAT_EQ(found[0].box.left, 50);
  EXPECT_FLOAT_EQ(found[0].box.bottom, 75);
}

/// Reads `queries` rows of boxes (.5, .5, .2, .2) and logits of which the first row is `first` and the others `rest`.
std::vector<Detection> read_queries(size_t queries, const std::vector<float>& first, const std::vector<float>& rest,
                                    bool suppressed = true) {
  std::vector<float> boxes, logits;
  for (size_t q = 0; q < queries; ++q) {
    for (const float side : {0.5F, 0.5F, 0.2F, 0.2F}) boxes.push_back(side);
    logits.insert(logits.end(), (q == 0 ? first : rest).begin(), (q == 0 ? first : rest).end());
  }
  const auto rows = static_cast<int64_t>(queries), columns = static_cast<int64_t>(first.size());
  return read(
      {Tensor::from<float>({1, rows, columns}, logits), Tensor::from<float>({1, rows, 4}, boxes)},
      {.form = DetectionForm::BoxesLogits, .boxes = "b", .scores = "a", .classes = columns, .suppressed = suppressed});
}

// DETR: the last column is "no object" and wins most queries; a query has its highest class.
TEST(DetectionReaderOf, TakesAColumnThatWinsMostQueriesForNoObject) {
  const std::vector<Detection> found = read_queries(20, {0, 2, 1}, {-5, -4, 6});
  ASSERT_EQ(found.size(), 20U);
  EXPECT_EQ(found[0].category, 1);
  EXPECT_NEAR(found[0].score, std::exp(2) / (1 + std::exp(2) + std::exp(1)), 1e-6);
  EXPECT_LT(found[1].score, 1e-4) << "of no object";
  EXPECT_EQ(read_queries(20, {1, 0, 2}, {6, -5, -4})[0].category, 1) << "the first column of three is none";
}

// Most queries of a Sigmoid find nothing, whatever class is the likeliest.
TEST(DetectionReaderOf, TakesSigmoidsWhereMostQueriesScoreLow) {
  const std::vector<Detection> found = read_queries(20, {0, 2, 1}, {-5, -4, -3});
  ASSERT_EQ(found.size(), 20U) << "the highest pairs of query and class, as many as there are queries";
  EXPECT_EQ(found[0].category, 1);
  EXPECT_NEAR(found[0].score, 1 / (1 + std::exp(-2)), 1e-6);
  EXPECT_EQ(found[1].category, 2) << "of the same query";
  EXPECT_EQ(read_queries(20, {2}, {2}).size(), 20U) << "one class is no background";
}

// YOLO-NAS: corners in pixels beside scores. A row that is crossed decides nothing.
TEST(DetectionReaderOf, ReadsBoxesInPixelsBesideScores) {
  std::vector<float> boxes, scores(21);
  for (int i = 0; i < 21; ++i)
    for (const int side : {10, 20, 30, i == 20 ? 19 : 60}) boxes.push_back(static_cast<float>(side));
  scores[3] = 0.5F;
  const auto read_scaled = [&](float scale) {
    std::vector<float> scaled;
    for (const float side : boxes) scaled.push_back(side * scale);
    return read({Tensor::from<float>({1, 21, 1}, scores), Tensor::from<float>({1, 21, 4}, scaled)},
                {.form = DetectionForm::BoxesLogits,
                 .boxes = "b",
                 .scores = "a",
                 .classes = 1,
                 .probabilities = true,
                 .suppressed = false});
  };
  ASSERT_EQ(read_scaled(1).size(), 1U);
  EXPECT_FLOAT_EQ(read_scaled(1)[0].box.left, 10);
  EXPECT_FLOAT_EQ(read_scaled(1)[0].box.bottom, 60);
  EXPECT_FLOAT_EQ(read_scaled(0.01F)[0].box.left, 20) << "in 0..1 of an input that is 200 wide";
  EXPECT_FLOAT_EQ(read_scaled(0.01F)[0].box.bottom, 60) << "and 100 high";
}

// Rows of an export that has them in 0..1, and rows without an object behind them.
TEST(DetectionReaderOf, ReadsRowsInTheUnitOfTheirNumbers) {
  const std::vector<float> rows{0.1F, 0.2F, 0.5F, 0.6F, 0.25F, 2, 0, 0, 0, 0, 0, 0};
  const std::vector<Detection> found = read({Tensor::from<float>({1, 2, 6}, rows)}, DetectionForm::XyxyScoreClass);
  EXPECT_FLOAT_EQ(found.at(0).box.left, 20);
  EXPECT_FLOAT_EQ(found.at(0).box.bottom, 60);
}

// The limit of pycocotools: of a category, not of an image.
TEST(DetectionReaderOf, ReadsAHundredOfEachCategory) {
  std::vector<float> rows;
  for (int i = 0; i < 270; ++i)
    for (const int value : {0, 0, 10, 10, 1, i < 150 ? 0 : 1}) rows.push_back(static_cast<float>(value));
  const std::vector<Detection> found = read({Tensor::from<float>({1, 270, 6}, rows)}, DetectionForm::XyxyScoreClass);
  EXPECT_EQ(found.size(), 200U);
  EXPECT_EQ(std::ranges::count(found, 1, &Detection::category), 100);
}

constexpr DetectionForm kThree = DetectionForm::BoxesScoresLabels;

// Outputs of torchvision: no axis of samples, integer labels.
TEST(DetectionReaderOf, ReadsBoxesScoresAndLabels) {
  const std::vector<float> boxes{1, 2, 3, 4, 5, 6, 7, 8}, scores{0.25F, 0.75F};
  const std::vector<int64_t> labels{7, 3};
  const Tensor classes = Tensor::from<int64_t>({2}, labels);
  const DetectionLayout layout{.form = kThree, .boxes = "a", .scores = "b", .labels = "c"};
  const std::vector<std::string> names{"a", "b", "c"};
  const std::vector<Tensor> outputs{Tensor::from<float>({2, 4}, boxes), Tensor::from<float>({2}, scores), classes};
  const std::vector<Detection> found = DetectionReader::of(layout, names, outputs, 1).value().read(0, {});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FLOAT_EQ(found[0].score, 0.75F);
  EXPECT_EQ(found[0].category, 3);
  EXPECT_FLOAT_EQ(found[1].box.bottom, 4);
  EXPECT_FALSE(DetectionReader::of(layout, names, outputs, 2)) << "two samples need an axis";
  EXPECT_EQ(DetectionReader::of(layout, std::span(names).first(2), std::span(outputs).first(2), 1)
                .value()
                .read(0, {})
                .front()
                .category,
            0)
      << "labels are not compared: one class";
  const std::vector<Tensor> none{Tensor(DataType::Float32, {0, 4}), Tensor(DataType::Float32, {0}),
                                 Tensor(DataType::Int64, {0})};
  EXPECT_TRUE(DetectionReader::of(layout, names, none, 1).value().read(0, {}).empty());
}

// Two samples of two rows; the second sample has one that counts.
TEST(DetectionReaderOf, ReadsAsManyRowsAsCount) {
  const std::vector<float> boxes(16, 1), scores{0.25F, 0.75F, 0.5F, 0.5F}, labels{0, 1, 2, 0};
  const std::vector<int32_t> count{2, 1};
  const std::vector<std::string> names{"n", "a", "b", "c"};
  const std::vector<Tensor> outputs{Tensor::from<int32_t>({2, 1}, count), Tensor::from<float>({2, 2, 4}, boxes),
                                    Tensor::from<float>({2, 2}, scores), Tensor::from<float>({2, 2}, labels)};
  std::vector<NamedShape> shapes;
  for (size_t i = 0; i < names.size(); ++i) shapes.push_back({names[i], outputs[i].shape(), i == 0});
  const auto layout = layout_of_form(kThree, shapes);
  EXPECT_EQ(layout, (DetectionLayout{.form = kThree, .boxes = "a", .scores = "b", .labels = "c", .count = "n"}));
  const DetectionReader reader = DetectionReader::of(layout.value(), names, outputs, 2).value();
  EXPECT_EQ(reader.read(0, {}).size(), 2U);
  ASSERT_EQ(reader.read(1, {}).size(), 1U);
  EXPECT_EQ(reader.read(1, {}).front().category, 2);
}

TEST(DetectionReaderOf, FindsNothingInOtherOutputs) {
  EXPECT_TRUE(read({Tensor(DataType::Float32, {1, 10})}, DetectionForm::CxcywhScores).empty());
  EXPECT_TRUE(read({Tensor(DataType::Float32, {1, 20, 5})}, DetectionForm::XyxyScoreClass).empty());
  EXPECT_TRUE(read({Tensor(DataType::Float32, {1, 5, 6})}, DetectionForm::BoxesLogits).empty());
  const DetectionLayout rows{.form = DetectionForm::XyxyScoreClass, .boxes = "a"};
  EXPECT_TRUE(read({Tensor(DataType::Int64, {1, 5, 6})}, rows).empty());
  EXPECT_TRUE(read({Tensor(DataType::Float32, {1, 5, 7})}, rows).empty());
}

}  // namespace
}  // namespace detent
