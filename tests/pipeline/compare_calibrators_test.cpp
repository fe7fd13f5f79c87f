#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "detent/detent.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const fs::path kSample = fs::path(DETENT_SOURCE_DIR) / "datasets/samples/shapes_unet";

DataOptions images(const fs::path& folder, size_t limit) {
  DataOptions data;
  data.sources = {folder.string()};
  data.preprocess = "unit,mean=.485/.456/.406,std=.229/.224/.225";
  data.limit = limit;
  return data;
}

CompareOptions sample_options(std::vector<std::string> calibrators, const std::string& target = "tensorrt") {
  CompareOptions options;
  options.model = kSample / "model_opset13.onnx";
  options.data = images(kSample / "calib", 6);
  options.evaluation.data = images(kSample / "eval/images", 4);
  options.calibrators = std::move(calibrators);
  options.target = target;
  return options;
}

double metric(const CompareCalibratorsReport& report, const std::string& calibrator, const std::string& name) {
  for (const auto& variant : report.variants)
    if (variant.name == calibrator) return variant.metrics.at(name);
  ADD_FAILURE() << "no variant " << calibrator;
  return 0;
}

TEST(CompareCalibrators, JudgesTheVeryModelsThatQuantizeWrites) {
  for (const char* target : {"tensorrt", "onnxruntime"}) {
    const TemporaryFolder folder;
    CompareOptions options = sample_options({"max", "percentile:99.9"}, target);
    options.evaluation.data = options.data;
    options.evaluation.data.limit = 4;  // quantize measures its error on the same
    const CompareCalibratorsReport report = compare_calibrators(options);
    for (const auto& variant : report.variants) {
      QuantizeOptions one;
      one.model = options.model;
      one.data = options.data;
      one.calibrator = variant.name;
      one.target = target;
      one.output = folder / (variant.name + ".onnx");
      one.bound.evaluation.data = options.evaluation.data;
      const QuantizeReport written = quantize_model(one);
      // The same sums in the same order: the same bits.
      EXPECT_EQ(variant.metrics.at("sqnr_db"), written.error->sqnr_db) << target << " " << variant.name;
      EXPECT_EQ(variant.metrics.at("argmax_agreement"), written.error->argmax_agreement.value());
      EXPECT_EQ(variant.size_bytes, written.output_bytes);
      if (variant.name != report.winner) continue;
      EXPECT_EQ(report.provenance.calibrator, written.provenance.calibrator);
      EXPECT_EQ(report.provenance.ranges, written.provenance.ranges);
      EXPECT_EQ(report.provenance.sample_digest, written.provenance.sample_digest);
    }
  }
}

TEST(CompareCalibrators, HasRowsOfWhatCastWritesWhereFloatsHave16Bits) {
  const TemporaryFolder folder;
  CompareOptions options = sample_options({"max", "mse"});
  options.evaluation.data = options.data;  // cast measures its error on the same
  EXPECT_TRUE(compare_calibrators(options).baselines.empty()) << "what is not quantized is FP32";
  options.format.float_type = FloatType::Fp16;
  const CompareCalibratorsReport report = compare_calibrators(options);
  ASSERT_EQ(report.baselines.size(), 2U);
  for (const auto& [name, type] : {std::pair("fp16", FloatType::Fp16), std::pair("bf16", FloatType::Bf16)}) {
    const auto row = std::ranges::find(report.baselines, name, &ComparedVariant::name);
    ASSERT_NE(row, report.baselines.end()) << name;
    const CastReport written = cast_model(
        {.model = options.model, .output = folder / (std::string(name) + ".onnx"), .data = options.data, .type = type});
    // The reference has its BatchNormalization folded: other by 1e-7 of the signal, where the noise is 5e-4 of it.
    EXPECT_NEAR(row->metrics.at("sqnr_db"), written.error->sqnr_db.value(), 0.01) << name;
    // The file also says where it comes from.
    EXPECT_LT(row->size_bytes, written.bytes_after) << name;
    EXPECT_LT(written.bytes_after, row->size_bytes + 256) << name;
    EXPECT_GT(row->metrics.at("sqnr_db"), metric(report, report.winner, "sqnr_db")) << "yet it is not the winner";
    EXPECT_TRUE(row->score_error.has_value());
  }
  EXPECT_THAT(report.winner, testing::AnyOf("max", "mse"));
  for (const std::string& tie : report.ties) EXPECT_THAT(tie, testing::AnyOf("max", "mse"));
}

TEST(CompareCalibrators, GivesTheSameNumbersForAnyNumberOfThreads) {
  CompareOptions options = sample_options({"max", "mse"});
  options.evaluation.masks = kSample / "eval/masks";
  options.run.threads = 1;
  const CompareCalibratorsReport one = compare_calibrators(options);
  options.run.threads = 3;
  const CompareCalibratorsReport three = compare_calibrators(options);
  EXPECT_EQ(one.fp32, three.fp32);
  for (size_t v = 0; v < one.variants.size(); ++v) EXPECT_EQ(one.variants[v].metrics, three.variants[v].metrics);
  EXPECT_EQ(one.winner, three.winner);
}

TEST(CompareCalibrators, TakesTheBestSqnrWithoutATask) {
  const CompareCalibratorsReport report = compare_calibrators(sample_options({"max", "mse", "percentile:99.99"}));
  EXPECT_EQ(report.criterion, "sqnr_db");
  EXPECT_TRUE(report.fp32.empty());
  for (const auto& variant : report.variants)
    EXPECT_LE(variant.metrics.at("sqnr_db"), metric(report, report.winner, "sqnr_db")) << variant.name;
  // percentile 50 cuts every other element off, which cannot be the best.
  EXPECT_EQ(compare_calibrators(sample_options({"percentile:50", "max"})).winner, "max");
}

TEST(CompareCalibrators, JudgesByMasksBeforeSqnr) {
  CompareOptions options = sample_options({"percentile:50", "max"});
  options.evaluation.masks = kSample / "eval/masks";
  const CompareCalibratorsReport report = compare_calibrators(options);
  EXPECT_EQ(report.criterion, "miou");
  EXPECT_EQ(report.winner, "max");
  EXPECT_GT(report.fp32.at("miou"), 0.98);  // trained to 0.99; four images
  EXPECT_GT(metric(report, "max", "miou"), metric(report, "percentile:50", "miou"));
}

TEST(CompareCalibrators, LetsTheUsersCommandDecideAndTheSqnrBetweenEquals) {
  const TemporaryFolder folder;
  CompareOptions options = sample_options({"mse", "percentile:50", "max"});
  const auto favourite = folder.write("favourite.sh", "case $2 in *percentile_50) echo 2 ;; *) echo 1 ;; esac");
  options.evaluation.metric_command = "sh '" + favourite.string() + "'";
  CompareCalibratorsReport report = compare_calibrators(options);
  EXPECT_EQ(report.criterion, "metric");
  EXPECT_EQ(report.winner, "percentile:50");
  EXPECT_EQ(report.fp32.at("metric"), 1);

  const auto equal = folder.write("equal.sh", "echo 1");
  options.evaluation.metric_command = "sh '" + equal.string() + "'";
  report = compare_calibrators(options);
  EXPECT_EQ(report.winner, metric(report, "mse", "sqnr_db") > metric(report, "max", "sqnr_db") ? "mse" : "max");
}

TEST(CompareCalibrators, JudgesAutoAsWhatItTakes) {
  const CompareCalibratorsReport report = compare_calibrators(
      sample_options({"auto", "max", "entropy", "mse", "percentile:99.9", "percentile:99.99", "percentile:99.999"}));
  const auto& chosen = report.variants.front();
  EXPECT_EQ(chosen.name, "auto");
  EXPECT_EQ(metric(report, chosen.takes, "sqnr_db"), chosen.metrics.at("sqnr_db"));
  for (size_t v = 1; v < report.variants.size(); ++v) EXPECT_TRUE(report.variants[v].takes.empty());
}

TEST(CompareCalibrators, DescribesEveryQuantizedValueWithTheRangeOfEveryCandidate) {
  const CompareCalibratorsReport report = compare_calibrators(sample_options({"max", "percentile:90"}));
  EXPECT_EQ(report.values.size(), report.plan.quantized_values);
  for (const auto& value : report.values) {
    ASSERT_EQ(value.ranges.size(), 2U) << value.name;
    EXPECT_EQ(value.ranges[0].calibrator, "max");
    EXPECT_GE(value.ranges[0].max, std::max(value.max, -value.min)) << value.name;  // wider in a group of shared scales
    EXPECT_LT(value.ranges[1].max, value.ranges[0].max) << value.name;
    EXPECT_LE(value.bins.size(), 256U);
  }
}

TEST(CompareCalibrators, RefusesWhatMakesNoSense) {
  const auto refusal = [](const CompareOptions& options) {
    return error_of<Error>([&] { static_cast<void>(compare_calibrators(options)); });
  };
  EXPECT_THAT(refusal(sample_options({"percentile", "percentile:99.99"})).what(), HasSubstr("twice"));
  EXPECT_EQ(refusal(sample_options({})).code(), ErrorCode::Usage);
  EXPECT_EQ(refusal(sample_options({"best"})).code(), ErrorCode::Usage);
  CompareOptions nowhere = sample_options({"max"});
  nowhere.evaluation.data.sources.clear();
  nowhere.evaluation.data.option = "--eval";
  EXPECT_THAT(refusal(nowhere).what(), HasSubstr("--eval-limit applies to --eval, which was not given"));
  nowhere.evaluation.data.limit.reset();
  EXPECT_THAT(refusal(nowhere).what(), HasSubstr("no --eval was given"));
  CompareOptions unlabelled = sample_options({"max"});
  unlabelled.evaluation.masks = kSample / "calib";
  unlabelled.evaluation.data.sources = {(kSample / "calib").string()};
  EXPECT_EQ(refusal(unlabelled).code(), ErrorCode::InvalidData);  // photographs are no masks
}

}  // namespace
}  // namespace detent
