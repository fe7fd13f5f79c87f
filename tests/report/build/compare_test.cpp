#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/json/json.h"
#include "report/judged_by_top1.h"
#include "report/text/text.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CompareCalibratorsReport two_variants() {
  CompareCalibratorsReport report = judged_by_top1<CompareCalibratorsReport>(64, 100);
  report.variants.push_back(
      {{"max", {{"top1", 0.626}, {"sqnr_db", 2.25}, {"cosine", 0.7}}, {{"y", 2.25, 0.7}}, {}, {}, 4100000, 1.5}});
  report.variants.push_back(
      {{"auto", {{"top1", 0.6895}, {"sqnr_db", 4}, {"cosine", 0.8}}, {{"y", 4, 0.8}}, {}, {}, 4100000, 2}, "mse"});
  report.winner = "auto";
  return report;
}

TEST(ComparisonText, MarksTheWinnerAndShowsTheFloatModel) {
  const std::string text = to_text(two_variants());
  EXPECT_THAT(text, HasSubstr("Calibrator    top-1     SQNR   cosine    Size   Time\n"));
  EXPECT_THAT(text, HasSubstr("  FP32        79.00 %        -        -\n"));
  EXPECT_THAT(text, HasSubstr("  max         62.60 %  2.25 dB  0.70000  4.1 MB  1.5 s\n"));
  EXPECT_THAT(text, HasSubstr("* auto (mse)  68.95 %  4.00 dB  0.80000  4.1 MB  2.0 s\n"));
  EXPECT_THAT(text, HasSubstr("* best by top-1: --calibrator auto"));
  EXPECT_THAT(text, Not(HasSubstr("mIoU")));
}

TEST(ComparisonText, ShowsTheTimesOfALatencyCommand) {
  CompareCalibratorsReport report = two_variants();
  EXPECT_THAT(to_text(report), Not(HasSubstr("Speed"))) << "no command";
  report.latency_command = "onnxruntime";
  report.float_latency = ComparedLatency{0.9};
  report.variants[0].latency = ComparedLatency{1.2}, report.variants[1].latency = ComparedLatency{0.45};
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("ms is what onnxruntime prints\n"));
  EXPECT_THAT(text, HasSubstr("  Calibrator    top-1     SQNR   cosine    Size   Time     ms  Speed\n"
                              "  FP32        79.00 %        -        -                 0.900  1.00x\n"
                              "  max         62.60 %  2.25 dB  0.70000  4.1 MB  1.5 s  1.200  0.75x\n"
                              "* auto (mse)  68.95 %  4.00 dB  0.80000  4.1 MB  2.0 s  0.450  2.00x\n"));
}

TEST(ComparisonText, SaysWhyAnEngineRefusesAModel) {
  CompareCalibratorsReport report = two_variants();
  report.fp32.clear();  // without a task only its time is known
  report.latency_command = "onnxruntime";
  report.float_latency = ComparedLatency{0.9};
  report.variants[0].latency = ComparedLatency{{}, "no kernel"};
  report.variants[1].latency = ComparedLatency{0.45};
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("Time     ms  Speed  Refused\n"));
  EXPECT_THAT(text, HasSubstr("  FP32              -        -        -                 0.900  1.00x\n"));
  EXPECT_THAT(text, HasSubstr("1.5 s      -      -  no kernel\n"));
  EXPECT_THAT(text, HasSubstr("2.0 s  0.450  2.00x\n"));
}

TEST(ComparisonText, ShowsTheSizesOfObjectsInASecondTable) {
  CompareCalibratorsReport report = two_variants();
  EXPECT_THAT(to_text(report), Not(HasSubstr("mAP by size")));
  report.fp32["map_small"] = 0.5;
  for (auto& variant : report.variants) variant.metrics["map_small"] = 0.375, variant.metrics["map_large"] = 0.75;
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("  mAP by size    small    large\n"
                              "  FP32         50.00 %        -\n"
                              "  max          37.50 %  75.00 %\n"
                              "* auto (mse)   37.50 %  75.00 %\n"));
  EXPECT_THAT(text, HasSubstr("Calibrator    top-1     SQNR   cosine    Size   Time\n")) << "no columns";
}

TEST(ComparisonText, SaysHundredPercentAgreementOnlyWhenItIs) {
  CompareCalibratorsReport report = two_variants();
  report.variants[0].metrics["argmax_agreement"] = 0.99999;
  report.variants[1].metrics["argmax_agreement"] = 1;
  EXPECT_THAT(to_text(report), HasSubstr(" 99.99 %"));
  EXPECT_THAT(to_text(report), HasSubstr("  100 %"));
}

TEST(ComparisonText, ListsOutputsWhenThereAreSeveral) {
  CompareCalibratorsReport report = two_variants();
  EXPECT_THAT(to_text(report), Not(HasSubstr("Output, SQNR")));
  for (auto& variant : report.variants) {
    variant.outputs.push_back({"boxes", std::numeric_limits<double>::infinity(), 1});
    variant.outputs.push_back({.name = "ids", .agreement = 0.995, .kind = OutputKind::Integers, .differing = 1});
  }
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("  Output, SQNR            max           auto\n"
                              "  y                   2.25 dB        4.00 dB\n"
                              "  ids           99.50 % equal  99.50 % equal\n"
                              "  boxes                 exact          exact\n"));
}

TEST(ComparisonText, SaysHowSureTheBestIs) {
  CompareCalibratorsReport report = two_variants();
  EXPECT_THAT(to_text(report), HasSubstr("no standard error: one sample has none"));
  report.variants[0].score_error = 0.011;
  report.variants[1].score_error = 0.0105;
  EXPECT_THAT(to_text(report), HasSubstr("62.60 % \u00B11.10"));
  EXPECT_THAT(to_text(report), HasSubstr("68.95 % \u00B11.05"));
  EXPECT_THAT(to_text(report), HasSubstr("\n\u00B1 is the standard error over the samples\n  Calibrator "));
  EXPECT_THAT(to_text(report), HasSubstr("--calibrator auto\n"
                                         "  6.35 points above the next, max, and 10.05 points below FP32\n"
                                         "  better than every other one beyond the noise of 100 samples\n"));
  report.ties = {"max"};
  EXPECT_THAT(to_text(report), HasSubstr("  max scores the same within the noise of 100 samples\n"));
  report.ties = {"max", "mse", "kl"};
  EXPECT_THAT(to_text(report), HasSubstr("  max, mse and kl score the same within the noise of 100 samples\n"));
  report.variants.resize(1);
  report.winner = "max";
  EXPECT_THAT(to_text(report), Not(HasSubstr("noise"))) << "one candidate is compared with nothing";
}

TEST(ComparisonText, DoesNotClaimToKnowHowSureACommandIs) {
  CompareCalibratorsReport report = two_variants();
  report.criterion = "metric";
  EXPECT_THAT(to_text(report), HasSubstr("the command returns one number for all samples"));
}

TEST(ComparisonJson, HasTheErrorOfEachScoreAndTheTies) {
  CompareCalibratorsReport report = two_variants();
  report.variants[0].score_error = 0.25;
  report.ties = {"max"};
  EXPECT_THAT(to_json(report), HasSubstr("\"score_error\": 0.25"));
  EXPECT_THAT(to_json(report), HasSubstr("\"score_error\": null"));
  EXPECT_THAT(to_json(report), HasSubstr("\"ties\": [\n    \"max\"\n  ]"));
}

TEST(ComparisonJson, HasTheFieldsOfTheContract) {
  const std::string json = to_json(two_variants());
  for (const char* field :
       {"\"model\": \"folder/net.onnx\"", "\"target\": \"tensorrt:10.13\"", "\"fp32\": {\n    \"top1\": 0.79\n  }",
        "\"variants\": [", "\"calibrator\": \"max\"", "\"sqnr_db\": 2.25", "\"size_bytes\": 4100000",
        "\"seconds\": 1.5", "\"winner\": \"auto\"", "\"takes\": \"mse\"", "\"criterion\": \"top1\""})
    EXPECT_THAT(json, HasSubstr(field));
}

TEST(ComparisonJson, WritesNullForWhatIsNotFinite) {
  CompareCalibratorsReport report = two_variants();
  report.variants[0].metrics["sqnr_db"] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(to_json(report), HasSubstr("\"sqnr_db\": null"));
}

}  // namespace
}  // namespace detent
