// Tests the judge of detectors: where annotations lie in the network's input, and agreement without annotations.
#include "evaluate/detection_judge.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "datasets/sample_request.h"
#include "detent/base/error.h"
#include "model/temporary_folder.h"
#include "run/memory_source.h"

namespace detent {
namespace {

// An image of 40 x 20 pixels in a network of 32 x 32: a letterbox scales by .8 and moves 8 down, stretching scales by
// .8 and 1.6.
class JudgedDetector : public ::testing::Test {
 protected:
  JudgedDetector() {
    std::ofstream(folder_ / "boxes.json") << R"({"categories": [{"id": 1, "name": "a"}],
      "images": [{"id": 1, "file_name": "a.jpg", "width": 40, "height": 20}],
      "annotations": [{"image_id": 1, "category_id": 1, "bbox": [10, 5, 20, 10]}]})";
  }

  /// Metrics of one row (x1, y1, x2, y2, score, class) against the annotation and the float model's row.
  [[nodiscard]] std::map<std::string, double> metrics(const std::vector<float>& row,
                                                      const std::vector<float>& reference,
                                                      const std::string& preprocess, bool labels = true) const {
    EvaluationOptions options;
    if (labels) options.labels = folder_ / "boxes.json";
    const DetectionJudge judge(options, parse_any_preprocess(preprocess).images, 1);
    const std::vector<DetectionTruth> truths{
        judge.truth_of({.name = "folder/a.jpg", .inputs = {Tensor(DataType::Float32, {1, 3, 32, 32})}})};
    const std::vector<Tensor> outputs{Tensor::from<float>({1, 1, 6}, row)};
    const std::vector<Tensor> expected{Tensor::from<float>({1, 1, 6}, reference)};
    const std::vector<std::string> names{"detections"};
    const DetectionLayout layout{.form = DetectionForm::XyxyScoreClass, .boxes = "detections"};
    const auto pairs = PairedDetections::of(layout, names, expected, outputs, 1, truths.front().input);
    std::map<std::string, double> found;
    judge.score(truths, pairs.value()).add_metrics(found);
    return found;
  }

  TemporaryFolder folder_;
  std::vector<float> letterboxed_{8, 12, 24, 20, 0.9F, 0}, stretched_{8, 8, 24, 24, 0.9F, 0};
};

TEST_F(JudgedDetector, MovesAnnotationsAsThePreprocessingMovesTheImage) {
  EXPECT_DOUBLE_EQ(metrics(letterboxed_, letterboxed_, "yolo").at("map"), 1);
  EXPECT_DOUBLE_EQ(metrics(stretched_, letterboxed_, "yolo").at("map"), 0.1) << "IoU 1/2: one threshold of ten";
  EXPECT_DOUBLE_EQ(metrics(stretched_, stretched_, "unit").at("map"), 1);
}

// The annotation's box has 20 x 10 pixels of the image and no area beside.
TEST_F(JudgedDetector, TellsSizesApartInPixelsOfTheImage) {
  auto found = metrics(letterboxed_, letterboxed_, "yolo");
  EXPECT_DOUBLE_EQ(found.at("map_small"), 1);
  EXPECT_FALSE(found.contains("map_medium") || found.contains("map_large"));
  std::ofstream(folder_ / "boxes.json") << R"({"categories": [{"id": 1, "name": "a"}],
    "images": [{"id": 1, "file_name": "a.jpg", "width": 800, "height": 400}],
    "annotations": [{"image_id": 1, "category_id": 1, "bbox": [200, 100, 400, 200], "area": 5000}]})";
  found = metrics(letterboxed_, letterboxed_, "yolo");
  EXPECT_DOUBLE_EQ(found.at("map_medium"), 1) << "the area of the annotation, not that of its box";
  EXPECT_FALSE(found.contains("map_small") || found.contains("map_large"));
}

// The same box in the forms of YOLO, for which the sample tells the size of its image, and Pascal VOC.
TEST_F(JudgedDetector, ReadsFoldersOfYoloAndVocAsCocosFile) {
  const auto objects = [&](const std::string& file, const std::string& text, const std::string& preprocess,
                           std::array<int, 2> image_size) {
    const std::filesystem::path labels = folder_ / ("labels" + file.substr(1));
    std::filesystem::create_directory(labels);
    std::ofstream(labels / file) << text;
    EvaluationOptions options;
    options.labels = labels;
    Sample sample{.name = "folder/a.jpg", .inputs = {Tensor(DataType::Float32, {1, 3, 32, 32})}};
    sample.image_size = image_size;
    return DetectionJudge(options, parse_any_preprocess(preprocess).images, 0).truth_of(sample).objects;
  };
  const auto expect_box = [](const std::vector<TrueObject>& found, const std::vector<float>& corners) {
    ASSERT_EQ(found.size(), 1U);
    const Box& box = found[0].box;
    EXPECT_EQ((std::vector<float>{box.left, box.top, box.right, box.bottom}), corners);
  };
  const std::string yolo = "0 0.5 0.5 0.5 0.5\n";
  expect_box(objects("a.txt", yolo, "yolo", {20, 40}), {8, 12, 24, 20});
  expect_box(objects("a.txt", yolo, "unit", {20, 40}), {8, 8, 24, 24});
  expect_box(objects("a.txt", yolo, "", {0, 0}), {8, 8, 24, 24});
  const std::string voc =
      "<annotation><size><width>40</width><height>20</height></size><object><name>a</name><bndbox><xmin>11</xmin>"
      "<ymin>6</ymin><xmax>30</xmax><ymax>15</ymax></bndbox></object></annotation>";
  expect_box(objects("a.xml", voc, "yolo", {0, 0}), {8, 12, 24, 20});
  std::string without_size = voc;
  without_size.erase(without_size.find("<size>"),
                     std::string("<size><width>40</width><height>20</height></size>").size());
  expect_box(objects("a.xml", without_size, "yolo", {20, 40}), {8, 12, 24, 20});
}

TEST_F(JudgedDetector, ComparesWithTheFloatModelWithoutAnnotations) {
  const auto found = metrics(letterboxed_, letterboxed_, "yolo", false);
  EXPECT_FALSE(found.contains("map"));
  EXPECT_DOUBLE_EQ(found.at("detection_agreement"), 1);
  EXPECT_DOUBLE_EQ(metrics(stretched_, letterboxed_, "yolo", false).at("detection_agreement"), 0.1);
}

TEST_F(JudgedDetector, TakesDetectionsOfTheFloatModelFromAHalfOnForTrue) {
  std::vector<float> faint = letterboxed_;
  faint[4] = 0.4F;
  EXPECT_FALSE(metrics(letterboxed_, faint, "yolo", false).contains("detection_agreement"));
}

TEST_F(JudgedDetector, KnowsSamplesByPathOrFileName) {
  EvaluationOptions options;
  options.labels = folder_ / "boxes.json";
  EXPECT_TRUE(DetectionJudge(options, {}, 0).knows("a.jpg"));
  EXPECT_TRUE(DetectionJudge(options, {}, 0).knows("x/../y/a.jpg"));
  EXPECT_FALSE(DetectionJudge(options, {}, 0).knows("b.jpg"));
}

// A DETR: boxes and logits are two outputs, and a detector is judged by both.
TEST(RecognizeDetections, NeedsBoxesAndScoresAmongTheJudgedOutputs) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,1,32,32] x) => (float[1,1024,3] logits, float[1,1024,4] boxes, float[1,4,32,32] c)
<float[4,1,1,1] wb = {1, 1, 1, 1}, float[3,1,1,1] ws = {1, 1, 1}, int64[3] b = {1, 1024, 4}, int64[3] s = {1, 1024, 3}>
{ c = Conv (x, wb)  d = Reshape (c, b)  boxes = Sigmoid (d)  f = Conv (x, ws)  logits = Reshape (f, s) })");
  const MemorySource samples({Tensor(DataType::Float32, {1, 1, 32, 32})});
  const auto recognized = [&](const std::vector<std::string>& judged) {
    return recognize_detections(model, samples, {.judged_outputs = judged}).has_value();
  };
  EXPECT_TRUE(recognized({}));
  EXPECT_TRUE(recognized({"boxes", "logits"}));
  EXPECT_FALSE(recognized({"logits"}));
  EXPECT_FALSE(recognized({"boxes", "c"}));
}

// Rows that a graph input holds: only the user knows their form.
TEST(RecognizeDetections, TakesTheFormThatTheUserNames) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,5,6] x) => (float[1,5,6] rows) { rows = Relu (x) })");
  const MemorySource samples({Tensor(DataType::Float32, {1, 5, 6})});
  const auto form = [&](const std::string& word) {
    const auto found = recognize_detections(model, samples, {.detections = word});
    return found ? std::optional(found->form) : std::nullopt;
  };
  EXPECT_EQ(form(""), std::nullopt);
  EXPECT_EQ(form("none"), std::nullopt);
  EXPECT_EQ(form("xyxy-score-class"), DetectionForm::XyxyScoreClass);
  EXPECT_EQ(form("cxcywh-scores"), DetectionForm::CxcywhScores);
  EXPECT_THROW(form("boxes+logits"), Error) << "that are two outputs";
  EXPECT_THROW(form("boxes+scores+labels"), Error) << "that are three outputs";
  EXPECT_THROW(form("boxes"), Error) << "there is no such form";
}

}  // namespace
}  // namespace detent
