// Tests how detections are read from outputs, and their suppression.
#include "detections/decode.h"

#include <gtest/gtest.h>

#include <cmath>

#include "detections/suppress.h"

namespace detent {
namespace {

std::vector<Detection> read(const std::vector<Tensor>& outputs, std::optional<DetectionForm> form = std::nullopt) {
  const auto reader = DetectionReader::of(outputs, 1, form);
  return reader ? reader->read(0, {100, 200}) : std::vector<Detection>{};
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
  const std::vector<Detection> found = read({Tensor::from<float>({1, 2, 6}, rows)});
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
  const std::vector<Detection> found = read({Tensor::from<float>({1, 6, 7}, values)});
  ASSERT_EQ(found.size(), 1U) << "the weaker one of two that overlap is suppressed";
  EXPECT_EQ(found[0].category, 1);
  EXPECT_FLOAT_EQ(found[0].box.left, 40);
  EXPECT_FLOAT_EQ(found[0].box.bottom, 45);
}

TEST(DetectionReaderOf, ReadsBoxesAndLogitsOfQueries) {
  const std::vector<float> boxes{0.5F, 0.5F, 0.1F, 0.2F}, logits{-1, 2};
  const std::vector<Detection> found =
      read({Tensor::from<float>({1, 1, 2}, logits), Tensor::from<float>({1, 1, 4}, boxes)});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].category, 1);
  EXPECT_NEAR(found[0].score, 1 / (1 + std::exp(-2.0)), 1e-6);
  EXPECT_FLOAT_EQ(found[0].box.left, 90) << "the input is 200 wide";
  EXPECT_FLOAT_EQ(found[0].box.top, 40) << "and 100 high";
}

// The heads of SSD: probabilities beside boxes.
TEST(DetectionReaderOf, TakesNoProbabilitiesForLogits) {
  const std::vector<float> boxes{0.5F, 0.5F, 0.1F, 0.2F}, scores{0.25F, 0.75F};
  const std::vector<Tensor> outputs{Tensor::from<float>({1, 1, 2}, scores), Tensor::from<float>({1, 1, 4}, boxes)};
  EXPECT_FALSE(DetectionReader::of(outputs, 1, std::nullopt));
  EXPECT_TRUE(DetectionReader::of(outputs, 1, DetectionForm::BoxesLogits)) << "unless the user says so";
}

TEST(DetectionReaderOf, TakesNoOtherNumbersForRowsOrColumns) {
  const std::vector<float> crossed{3, 2, 1, 4, 0.25F, 2}, unsure{1, 2, 3, 4, 2.5F, 2}, between{1, 2, 3, 4, 0.25F, 1.5F};
  for (const auto& row : {crossed, unsure, between})
    EXPECT_FALSE(DetectionReader::of(std::vector{Tensor::from<float>({1, 1, 6}, row)}, 1, std::nullopt));
  std::vector<float> values(6 * 7);
  values[5 * 7] = 3;
  EXPECT_FALSE(DetectionReader::of(std::vector{Tensor::from<float>({1, 6, 7}, values)}, 1, std::nullopt));
}

TEST(DetectionReaderOf, FindsNothingInOtherOutputs) {
  EXPECT_FALSE(DetectionReader::of(std::vector{Tensor(DataType::Float32, {1, 10})}, 1, std::nullopt));
  EXPECT_FALSE(DetectionReader::of(std::vector{Tensor(DataType::Int64, {1, 5, 6})}, 1, std::nullopt));
  EXPECT_FALSE(DetectionReader::of(std::vector{Tensor(DataType::Float32, {1, 20, 5})}, 1, std::nullopt));
  EXPECT_FALSE(DetectionReader::of(std::vector{Tensor(DataType::Float32, {1, 5, 6})}, 1, DetectionForm::BoxesLogits));
}

}  // namespace
}  // namespace detent
