// Tests pictures of detections: what --draw refuses, the names of its files, and what a page gets.
#include "pipeline/parts/detection_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const Detection kFound{{1, 1, 6, 6}, 0.75F, 2};

ErrorCode refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::Internal;
}

/// Pictures of samples in memory, "sample 1" and so on, of 8 x 16 pixels.
class Pictured : public ::testing::Test {
 protected:
  explicit Pictured(Shape input = {1, 3, 8, 16}, size_t count = 6) {
    std::vector<std::vector<Tensor>> samples(count, {Tensor(DataType::Float32, input)});
    source_ = samples_in_memory(std::move(samples));
    for (size_t i = 0; i < count; ++i)
      shown_.push_back({.name = source_->sample_name(i),
                        .expected = {kFound},
                        .scores = {{0.75F, 0.5F}},
                        .noise = static_cast<double>(i)});
  }
  [[nodiscard]] PicturedSamples samples() const { return {*source_}; }

  TemporaryFolder folder_;
  std::shared_ptr<const DataSource> source_;
  std::vector<ShownDetections> shown_;
};

TEST_F(Pictured, AreWrittenInTheirOrder) {
  draw_detections(folder_ / "new/deep", std::span(shown_).first(2), samples(), DrawnModels::Both);
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder_ / "new/deep")) files.push_back(entry.path().filename());
  EXPECT_THAT(files, testing::UnorderedElementsAre("01_sample_1.png", "02_sample_2.png"));
}

TEST_F(Pictured, OfAPageAreTheFourWorst) {
  shown_[4].found = {kFound, kFound}, shown_[4].found_alike = {false, true};
  const DetectionPictures page = picture_detections(shown_, samples());
  std::vector<std::string> names;
  for (const auto& picture : page.pictures) names.push_back(picture.sample);
  EXPECT_THAT(names, ElementsAre("sample 6", "sample 5", "sample 4", "sample 3"));
  EXPECT_EQ(page.pictures[1].found.size(), 2U);
  EXPECT_EQ(page.pictures[1].found[0].category, 2);
  EXPECT_TRUE(page.pictures[1].found[1].alike);
  EXPECT_FALSE(page.pictures[0].expected[0].alike) << "not known";
  EXPECT_EQ(page.pictures[1].width, 16);
  EXPECT_EQ(page.pictures[1].height, 8);
  EXPECT_THAT(page.pictures[1].jpeg, testing::StartsWith("\xFF\xD8"));
  EXPECT_EQ(page.scores.size(), 6U) << "of all samples";
  EXPECT_EQ(page.samples, 6U);
}

TEST_F(Pictured, OfAPageHaveABoundedNumberOfScores) {
  shown_[0].scores.assign(9000, {1.0F, 0.0F});
  EXPECT_EQ(picture_detections(shown_, samples()).scores.size(), 3000U);
}

class WithoutAnImage : public Pictured {
 protected:
  WithoutAnImage() : Pictured({1, 5}) {}
};

TEST_F(WithoutAnImage, HasScoresButNoPictures) {
  EXPECT_EQ(refusal([&] { draw_detections(folder_ / "new", shown_, samples(), DrawnModels::One); }),
            ErrorCode::InvalidOption);
  const DetectionPictures page = picture_detections(shown_, samples());
  EXPECT_TRUE(page.pictures.empty());
  EXPECT_EQ(page.scores.size(), 6U);
}

TEST(CheckDrawing, RefusesAFolderThatIsNotEmptyAndAFile) {
  const TemporaryFolder folder;
  EXPECT_NO_THROW(check_drawing(folder / "new", false));
  EXPECT_NO_THROW(check_drawing(folder.path(), false)) << "it is empty";
  std::ofstream(folder / "file") << "mine";
  EXPECT_EQ(refusal([&] { check_drawing(folder.path(), false); }), ErrorCode::CannotWrite);
  EXPECT_NO_THROW(check_drawing(folder.path(), true)) << "--overwrite";
  EXPECT_EQ(refusal([&] { check_drawing(folder / "file", true); }), ErrorCode::CannotWrite);
}

TEST(CheckDrawable, RefusesANetworkThatIsNoDetector) {
  EXPECT_NO_THROW(check_drawable("net.onnx", DetectionLayout{.boxes = "rows"}));
  try {
    check_drawable("net.onnx", std::nullopt);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
    EXPECT_THAT(error.what(), HasSubstr("net.onnx: --draw draws detections"));
    EXPECT_THAT(error.hint(), HasSubstr("--detections xyxy-score-class"));
  }
}

}  // namespace
}  // namespace detent
