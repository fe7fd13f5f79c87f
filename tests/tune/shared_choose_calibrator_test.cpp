#include <gtest/gtest.h>

#include "detent/detent.h"
#include "model/temporary_folder.h"
#include "shared_folder.h"

// Case C3: "which of max, entropy, MSE, percentile is best for this network?" One pass over the calibration data
// answers, and answers differ: a ResNet keeps its accuracy with each, EfficientNet-B0 loses it with some.
namespace detent {
namespace {

namespace fs = std::filesystem;

DataOptions cifar10(const char* folder, const std::string& resize) {
  DataOptions data;
  data.sources = {(shared_folder() / "images/cifar10" / folder).string()};
  data.preprocess = "unit," + resize + "mean=.4914/.4822/.4465,std=.2470/.2435/.2616";
  return data;
}

EvaluationOptions labelled_cifar10(const std::string& resize) {
  EvaluationOptions evaluation;
  evaluation.data = cifar10("eval", resize);
  evaluation.labels = shared_folder() / "images/cifar10/eval.csv";
  return evaluation;
}

// A fifth of the evaluation images: one standard deviation of the difference of two scores is below 2 points.
CompareCalibratorsReport compare(const fs::path& model, const std::string& resize) {
  CompareOptions options;
  options.model = model;
  options.data = cifar10("calib", resize);
  options.evaluation = labelled_cifar10(resize);
  options.evaluation.data.shard_count = 5;
  options.calibrators = {"max", "entropy", "mse", "percentile:99.99"};
  return compare_calibrators(options);
}

double top1(const CompareCalibratorsReport& report, const std::string& calibrator) {
  for (const auto& variant : report.variants)
    if (variant.name == calibrator) return variant.metrics.at("top1");
  ADD_FAILURE() << "no variant " << calibrator;
  return 0;
}

TEST(SharedWhichCalibrator, AResNetKeepsItsAccuracyWithEach) {
  const fs::path model = shared_folder() / "models/cifar10_resnet18/model_opset17.onnx";
  if (!fs::exists(model)) GTEST_SKIP() << "missing " << model;
  const CompareCalibratorsReport report = compare(model, "");
  for (const auto& variant : report.variants)
    EXPECT_GT(variant.metrics.at("top1"), report.fp32.at("top1") - 0.02) << variant.name;
}

TEST(SharedWhichCalibrator, EfficientNetCollapsesWithMaxAndTheReportSaysWhatDoesBetter) {
  const fs::path model = shared_folder() / "models/cifar10_efficientnet_b0/model_opset17.onnx";
  if (!fs::exists(model)) GTEST_SKIP() << "missing " << model;
  const CompareCalibratorsReport report = compare(model, "resize=64x64,");
  // Over all 2000 images: 78.9 FP32, 62.6 max, 71.8 entropy, 69.0 mse, 72.6 percentile (tests/onnxruntime/README.md).
  EXPECT_LT(top1(report, "max"), report.fp32.at("top1") - 0.08);
  EXPECT_GT(top1(report, "entropy"), report.fp32.at("top1") - 0.15);
  EXPECT_EQ(report.criterion, "top1");
  EXPECT_NE(report.winner, "max");
  EXPECT_GT(top1(report, report.winner), report.fp32.at("top1") - 0.12);
}

/// cifar10_efficientnet_b0, which loses many points in symmetric INT8, on the first samples.
TEST(SharedMaxDrop, KeepsAFewLayersOfEfficientNetFloat) {
  QuantizeOptions options;
  options.model = shared_folder() / "models/cifar10_efficientnet_b0/model_opset17.onnx";
  if (!fs::exists(options.model)) GTEST_SKIP() << "missing " << options.model;
  const TemporaryFolder folder;
  options.data = cifar10("calib", "resize=64x64,");
  options.data.limit = 24;
  options.calibrator = "percentile:99.9";
  options.output = folder / "out.onnx";
  options.bound.max_drop = 0.01;
  options.bound.evaluation = labelled_cifar10("resize=64x64,");
  options.bound.evaluation.data.shuffle = 1;  // files are sorted by class
  options.bound.evaluation.data.limit = 200;
  const QuantizeReport report = quantize_model(options);
  ASSERT_TRUE(report.bound);
  EXPECT_TRUE(report.bound->met);
  EXPECT_GE(report.bound->reached, *report.bound->fp32 - 0.01 - 1e-9);
  // "With most MACs still INT8."
  EXPECT_GT(2 * report.plan.coverage.int8_macs, report.plan.coverage.macs);
}

}  // namespace
}  // namespace detent
