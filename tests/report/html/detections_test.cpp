// Tests the part of a page that shows a detector's boxes: pictures, the plot of scores, and pages without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "dangling_reference.h"
#include "nesting_fault.h"
#include "report/build/sections.h"
#include "report/html/document.h"
#include "report/html/page.h"
#include "report/json/json.h"

namespace detent {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kFar = 1e9, kNan = std::numeric_limits<double>::quiet_NaN();

DetectionPictures pictures() {
  DetectionPictures shown{.least_score = 0.25, .samples = 64};
  shown.pictures = {{.sample = "worst <1>.jpg",
                     .width = 320,
                     .height = 240,
                     .jpeg = "foo",
                     .expected = {{10, 20, 30, 50, 0.87, 2}, {100, 20, 130, 50, 0.5, 0}},
                     .found = {{11, 20, 30, 51, 0.31, 2}}}};
  shown.scores = {{0.87, 0.31}, {0.5, 0}, {0, 0.4}};
  return shown;
}

std::string part_of(const DetectionPictures& shown) { return html::section_markup(build::detections(shown)); }

TEST(DetectionsSection, DrawsTheBoxesOfBothModelsOverThePicture) {
  const std::string html = part_of(pictures());
  EXPECT_THAT(html, AllOf(HasSubstr("viewBox=\"0 0 320 240\""), HasSubstr("href=\"data:image/jpeg;base64,Zm9v\"")));
  EXPECT_THAT(html, HasSubstr("<rect x=\"10.0\" y=\"20.0\" width=\"20.0\" height=\"30.0\"><title>FP32: class 2, score "
                              "0.870</title></rect>"));
  EXPECT_THAT(html, HasSubstr("<rect x=\"11.0\" y=\"20.0\" width=\"19.0\" height=\"31.0\"><title>INT8: class 2, score "
                              "0.310</title></rect>"));
  EXPECT_THAT(html, AllOf(HasSubstr(">0.87</text>"), HasSubstr(">0.31</text>")));
  EXPECT_THAT(html, HasSubstr("worst &lt;1&gt;.jpg <small>2 in FP32, 1 in INT8, 0 alike</small>"));
  EXPECT_THAT(html, HasSubstr("The sample with the largest error of detections out of 64"));
}

TEST(DetectionsSection, DrawsBoxesThatAreAlikeOnceAndWithoutAScore) {
  DetectionPictures shown = pictures();
  shown.pictures[0].expected[0].alike = shown.pictures[0].found[0].alike = true;
  const std::string html = part_of(shown);
  EXPECT_THAT(html, HasSubstr("<rect class=\"alike\" x=\"10.0\" y=\"20.0\" width=\"20.0\" height=\"30.0\"><title>both: "
                              "class 2, score 0.870</title></rect>"));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("x=\"11.0\"")), Not(HasSubstr(">0.87</text>")))) << "what differs stands out";
  EXPECT_THAT(html, AllOf(HasSubstr(">0.50</text>"), HasSubstr("2 in FP32, 1 in INT8, 1 alike")));
}

TEST(DetectionsSection, CutsBoxesAtTheEdgesOfThePicture) {
  DetectionPictures shown = pictures();
  shown.pictures[0].expected = {{-kFar, -kFar, kFar, kFar, 0.5, 0}, {kNan, 0, 9, 9, 0.5, 1}, {400, 0, 500, 9, 0.5, 3}};
  const std::string html = part_of(shown);
  EXPECT_THAT(html, HasSubstr("<rect x=\"0.0\" y=\"0.0\" width=\"320.0\" height=\"240.0\">"));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("class 1,")), Not(HasSubstr("class 3,")))) << "no number, and outside";
}

TEST(DetectionsSection, PlotsTheScoreInOneModelOverThatInTheOther) {
  const std::string html = part_of(pictures());
  EXPECT_THAT(html, HasSubstr("<path d=\"M870 690h0\"/>")) << "1000 units, from the top";
  EXPECT_THAT(html, HasSubstr("<path class=\"lost\" d=\"M500 1000h0M0 600h0\"/>")) << "on the axes";
  EXPECT_THAT(html, HasSubstr("Of 3 detections 1 are in both models, 1 are lost and 1 new; scores change by "
                              "\u22120.560 on average."));
}

TEST(DetectionsSection, HasNoPictureOfAModelWithoutAnImage) {
  DetectionPictures shown = pictures();
  shown.pictures.clear();
  EXPECT_THAT(part_of(shown), AllOf(Not(HasSubstr("<image")), HasSubstr("class=\"scatter\"")));
}

TEST(DetectionsSection, IsEmptyWithoutDetections) {
  EXPECT_EQ(html::section_markup(build::detections(std::nullopt)), "");
  EXPECT_EQ(part_of({.samples = 3}), "");
  DetectionPictures shown = pictures();
  shown.scores.clear();
  EXPECT_THAT(part_of(shown), AllOf(HasSubstr("<image"), Not(HasSubstr("class=\"scatter\""))));
}

TEST(DetectionsSection, StandsOnPagesAndInNoDocument) {
  QuantizeReport quantized;
  CompareCalibratorsReport compared;
  const std::string document = to_json(quantized), other = to_json(compared);
  EXPECT_THAT(to_html(quantized), Not(HasSubstr("id=\"detections\"")));
  quantized.detections = compared.detections = pictures();
  for (const std::string& page : {to_html(quantized), to_html(compared)}) {
    EXPECT_THAT(page, AllOf(HasSubstr("<section id=\"detections\">"), HasSubstr("<a href=\"#detections\">")));
    EXPECT_EQ(nesting_fault(page), "");
    EXPECT_EQ(dangling_reference(page), "");
  }
  EXPECT_EQ(to_json(quantized), document);
  EXPECT_EQ(to_json(compared), other);
}

}  // namespace
}  // namespace detent
