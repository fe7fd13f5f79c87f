// Tests which layout of detections holds: the graph's, or the form that the user names.
#include "evaluate/layout_choice.h"

#include <gtest/gtest.h>

#include <vector>

#include "detent/base/error.h"

namespace detent {
namespace {

const std::vector<std::string> kOutputNames{"rows"};
const std::vector<Tensor> kOutputRows{Tensor(DataType::Float32, {1, 5, 6})};
const DetectionLayout kByGraph{.form = DetectionForm::CxcywhScores, .boxes = "rows", .classes = 2, .axis = 2};

TEST(LayoutChoice, GoesByTheGraphWithoutAWord) {
  EXPECT_EQ(LayoutChoice("", kByGraph).of(kOutputNames, kOutputRows), kByGraph);
  EXPECT_EQ(LayoutChoice("auto", kByGraph).of(kOutputNames, kOutputRows), kByGraph);
  EXPECT_FALSE(LayoutChoice("", std::nullopt).given());
  EXPECT_FALSE(LayoutChoice("", std::nullopt).of(kOutputNames, kOutputRows));
}

TEST(LayoutChoice, GoesByTheFormThatTheUserNames) {
  EXPECT_EQ(LayoutChoice("cxcywh-scores", kByGraph).of(kOutputNames, kOutputRows), kByGraph) << "it knows more";
  EXPECT_EQ(LayoutChoice("xyxy-score-class", kByGraph).of(kOutputNames, kOutputRows).value().form,
            DetectionForm::XyxyScoreClass);
  EXPECT_TRUE(LayoutChoice("boxes+logits", std::nullopt).given());
  EXPECT_FALSE(LayoutChoice("boxes+logits", std::nullopt).of(kOutputNames, kOutputRows)) << "no output has this form";
}

TEST(LayoutChoice, RefusesAnotherWord) { EXPECT_THROW((LayoutChoice{"boxes", std::nullopt}), Error); }

}  // namespace
}  // namespace detent
