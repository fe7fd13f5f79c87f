// Tests the scores of trained detectors: mAP of the float model as pycocotools has it, and what destroys a detector.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "detent/detent.h"
#include "model/temporary_folder.h"
#include "shared_folder.h"

namespace detent {
namespace {

struct TrainedDetector {
  const char* name;
  double map, map50;  ///< of ../shared/models/score_map.py, which follows pycocotools, on the output of the float model
  double small, medium,
      large;  ///< of the same matching by the areas of the annotations, as COCOeval ignores the others
};

class SharedDetectorsNightly : public ::testing::TestWithParam<TrainedDetector> {};

TEST_P(SharedDetectorsNightly, ScoreAsCocoDoes) {
  const std::filesystem::path images = shared_folder() / "images/bccd";
  const std::filesystem::path model = shared_folder() / "models" / GetParam().name / "model_opset17.onnx";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "no " << model;
  CompareOptions options;
  options.model = model;
  options.data = {.sources = {(images / "calib").string()}, .preprocess = "unit", .limit = 8};
  options.evaluation.data = {.sources = {(images / "eval").string()}, .preprocess = "unit"};
  options.evaluation.labels = images / "eval_coco.json";
  options.calibrators = {"max", "percentile:95"};
  const CompareCalibratorsReport report = compare_calibrators(options);
  EXPECT_NEAR(report.fp32.at("map"), GetParam().map, 0.0005);
  EXPECT_NEAR(report.fp32.at("map50"), GetParam().map50, 0.0005);
  EXPECT_NEAR(report.fp32.at("map_small"), GetParam().small, 0.0005);
  EXPECT_NEAR(report.fp32.at("map_medium"), GetParam().medium, 0.0005);
  EXPECT_NEAR(report.fp32.at("map_large"), GetParam().large, 0.0005);
  EXPECT_EQ(report.criterion, "map");
  EXPECT_EQ(report.winner, "max");
  EXPECT_GT(report.variants[0].metrics.at("detection_agreement"), 0.85);
  EXPECT_LT(report.variants[1].metrics.at("detection_agreement"), 0.5) << "clipped at the 95th percentile";
  EXPECT_LT(report.variants[1].metrics.at("map"), 0.5);
}

// Without labels. Defaults lose at most 1.2 points of mAP, percentile:95 more than half of it, and the output's SQNR
// says the contrary of one of the two networks.
TEST_P(SharedDetectorsNightly, AreJudgedByTheirDetections) {
  const std::filesystem::path model = shared_folder() / "models" / GetParam().name / "model_opset17.onnx";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "no " << model;
  const TemporaryFolder folder;
  for (const char* target : {"tensorrt", "onnxruntime"}) {
    QuantizeOptions options;
    options.model = model;
    options.output = folder / "quantized.onnx";
    options.overwrite = true;
    options.target = target;
    options.data = {.sources = {(shared_folder() / "images/bccd/calib").string()}, .preprocess = "unit", .limit = 24};
    EXPECT_EQ(quantize_model(options).verdict.quality, Quality::Good) << target;
    options.calibrator = "percentile:95";
    const QuantizeReport ruined = quantize_model(options);
    EXPECT_EQ(ruined.verdict.quality, Quality::Broken) << target;
    EXPECT_LT(ruined.error->detections->agreement, 0.6);
  }
}

/// Writes the boxes of annotations in the form of COCO as YOLO's labels.
void write_yolo(const std::filesystem::path& coco, const std::filesystem::path& folder) {
  std::ifstream stream(coco);
  const auto json = nlohmann::json::parse(stream);
  std::map<int, const nlohmann::json*> images;
  for (const auto& image : json["images"]) images[image["id"]] = &image;
  for (const auto& one : json["annotations"]) {
    const nlohmann::json& image = *images.at(one["image_id"]);
    const double width = image["width"], height = image["height"];
    const std::vector<double> box = one["bbox"];
    const int first = json["categories"][0]["id"], category = one["category_id"];
    std::ofstream(folder / std::filesystem::path(image["file_name"].get<std::string>()).replace_extension(".txt"),
                  std::ios::app)
        << fmt::format("{} {:.8f} {:.8f} {:.8f} {:.8f}\n", category - first, (box[0] + box[2] / 2) / width,
                       (box[1] + box[3] / 2) / height, box[2] / width, box[3] / height);
  }
}

TEST(SharedDetectorLabels, OfYoloGiveTheScoreOfCocosFile) {
  const std::filesystem::path images = shared_folder() / "images/bccd";
  const std::filesystem::path model = shared_folder() / "models/bccd_dfl/model_opset17.onnx";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "no " << model;
  const TemporaryFolder folder;
  write_yolo(images / "eval_coco.json", folder.path());
  CompareOptions options;
  options.model = model;
  options.data = {.sources = {(images / "calib").string()}, .preprocess = "unit", .limit = 8};
  options.evaluation.data = {.sources = {(images / "eval").string()}, .preprocess = "unit"};
  options.evaluation.labels = folder.path();
  options.calibrators = {"max"};
  EXPECT_NEAR(compare_calibrators(options).fp32.at("map"), 0.6276, 0.0005);
}

INSTANTIATE_TEST_SUITE_P(Forms, SharedDetectorsNightly,
                         ::testing::Values(TrainedDetector{"bccd_dfl", 0.6276, 0.9162, 0.2533, 0.6184, 0.8059},
                                           TrainedDetector{"bccd_nmsfree", 0.6303, 0.9155, 0.2433, 0.6270, 0.8364}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace detent
