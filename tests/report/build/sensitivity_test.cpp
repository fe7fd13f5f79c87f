#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/build/sections.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

SensitivityReport two_layers() {
  SensitivityReport report;
  report.model = "folder/net.onnx";
  report.target = "tensorrt:10.13";
  report.calibrator = "entropy";
  report.calibration_samples = 64;
  report.evaluation_samples = 1;
  report.sqnr_db_all = 20;
  report.layers = {{"stem", "Conv", 21, 25.5, 0.75}, {"head", "Gemm", 40, 20, 0.25}};
  report.operators = {{"gate", "Mul", 30, 22, 0}};
  report.values = {{"x", 12.5}, {"y", 41}};
  report.variants = 7;
  report.plain_runs = 3.25;
  return report;
}

TEST(SensitivityText, RanksLayersAndOperatorsTogether) {
  EXPECT_THAT(to_text(build::document_of(two_layers(), 10), Lists::Capped),
              AllOf(HasSubstr("  Layer           Alone    Others      Gain    MACs\n"
                              "  stem (Conv)  21.00 dB  25.50 dB  +5.50 dB  75.0 %\n"
                              "  gate (Mul)   30.00 dB  22.00 dB  +2.00 dB\n"
                              "  head (Gemm)  40.00 dB  20.00 dB   0.00 dB  25.0 %\n"),
                    HasSubstr("SQNR at the output with all of them: 20.00 dB"),
                    HasSubstr("measured 7 quantized models on 1 sample at the cost of 3.2")));
}

TEST(SensitivityText, RoundsSharesOfMacsAsThePageDoes) {
  SensitivityReport report = two_layers();
  report.layers[0].macs_share = 0.8996;
  report.layers[1].macs_share = 0.1004;
  EXPECT_THAT(to_text(build::document_of(report, 10), Lists::Capped),
              AllOf(HasSubstr("  90.0 %\n"), HasSubstr("  10.0 %\n")));
  EXPECT_THAT(to_html(report), AllOf(HasSubstr(">90.0 %<"), HasSubstr(">10.0 %<")));
  report.layers[0].macs_share = 0.9999;  // what is not all of it never reads as 100 %
  report.layers[1].macs_share = 0.0001;
  EXPECT_THAT(to_text(build::document_of(report, 10), Lists::Capped),
              AllOf(HasSubstr("  99.9 %\n"), HasSubstr("  0.0 %\n")));
  EXPECT_THAT(to_html(report), AllOf(HasSubstr(">99.9 %<"), HasSubstr(">0.0 %<"))) << "a layer of few MACs has some";
}

TEST(SensitivityText, ShowsTheFirstAndSaysHowManyMore) {
  const std::string text = to_text(build::document_of(two_layers(), 1), Lists::Capped);
  EXPECT_THAT(text, AllOf(HasSubstr("stem"), HasSubstr("and 2 more layers\n"), HasSubstr("--all lists everything")));
  EXPECT_THAT(text, Not(HasSubstr("gate")));
}

TEST(SensitivityText, ShowsEveryOneWhereAllAreAskedFor) {
  EXPECT_THAT(to_text(build::document_of(two_layers(), 1), Lists::All),
              AllOf(HasSubstr("gate"), Not(HasSubstr(" more "))));
}

TEST(SensitivityText, CallsAnOutputWithoutErrorExact) {
  SensitivityReport report = two_layers();
  report.layers[1].sqnr_db_alone = std::numeric_limits<double>::infinity();
  EXPECT_THAT(to_text(build::document_of(report, 10), Lists::Capped), HasSubstr("  head (Gemm)     exact  20.00 dB"));
  EXPECT_THAT(to_json(report), Not(HasSubstr("inf")));
  report.layers[0].sqnr_db_all_but = std::numeric_limits<double>::infinity();
  EXPECT_THAT(to_text(build::document_of(report, 10), Lists::Capped),
              ContainsRegex("stem \\(Conv\\) +21.00 dB +exact +75.0 %"))
      << "the gain of an exact output is no number";
}

TEST(SensitivityText, TellsTheEqualization) {
  SensitivityReport report = two_layers();
  EXPECT_THAT(to_text(build::document_of(report, 10), Lists::Capped), Not(HasSubstr("equalized")));
  EXPECT_THAT(to_json(report), HasSubstr("\"equalize\": null"));
  report.equalized.emplace();
  report.equalized->requested = "gate";
  report.equalized->families = {{"gate", 0.5, 1, 1, true, std::nullopt}};
  report.equalized->values = {{"x", "gate", 4, 12, 3}};
  EXPECT_THAT(to_text(build::document_of(report, 10), Lists::Capped),
              AllOf(HasSubstr("equalized 1 value (--equalize gate)\n"), ContainsRegex("gate +1 +1 +0.5 +kept\n"),
                    ContainsRegex("x \\(gate\\) +12.0x +3.0x +4\n")));
  EXPECT_THAT(to_json(report), AllOf(HasSubstr("\"requested\": \"gate\""), HasSubstr("\"imbalance_before\": 12.0")));
}

QuantizeReport bounded() {
  QuantizeReport report;
  report.model = "net.onnx";
  report.bound.emplace();
  report.bound->bound = "--max-drop 0.01";
  report.bound->metric = "top1";
  report.bound->fp32 = 0.789;
  report.bound->all_int8 = 0.356;
  report.bound->reached = 0.7805;
  report.bound->met = true;
  report.bound->samples = 2000;
  report.bound->measurements = 8;
  report.bound->outcome = BoundOutcome::NotShown;
  report.bound->score = {.metric = "top1",
                         .fp32 = 0.789,
                         .quantized = 0.7805,
                         .drop = 0.0085,
                         .interval = std::pair(-0.0004, 0.0174),
                         .rounding_error = 0.001,
                         .samples = 2000};
  report.bound->samples_needed = 71000;
  report.bound->kept = {{"gate", "Mul", "INT8 costs 15.4 dB; --max-drop 0.01", false, 0}};
  return report;
}

TEST(BoundText, SaysWhatWasReachedAndWhatItTook) {
  EXPECT_THAT(
      to_text(bounded()),
      AllOf(
          HasSubstr("--max-drop 0.01: top-1 78.05 % (FP32 top-1 78.90 %), without it top-1 35.60 %; on 2000 samples, "
                    "8 measurements in 0.0 s\n"
                    "  not shown: drop 0.85 points of top-1, 95 % interval -0.04 to 1.74; it would be within the bound "
                    "on about 71000 samples with the same score\n"),
          HasSubstr("kept float: gate (Mul)  INT8 costs 15.4 dB; --max-drop 0.01\n")));
}

TEST(BoundText, SaysWhetherTheBoundHolds) {
  QuantizeReport report = bounded();
  report.bound->outcome = BoundOutcome::Holds;
  EXPECT_THAT(to_text(report), HasSubstr("\n  holds: drop 0.85 points of top-1, 95 % interval -0.04 to 1.74\n"));
  report.bound->outcome = BoundOutcome::NotShown;
  report.bound->samples_needed.reset();
  EXPECT_THAT(to_text(report), HasSubstr("1.74; the score lies at the bound itself\n"));
  report.bound->score = {.metric = "metric", .fp32 = 2, .quantized = 1.5, .drop = 0.5};
  EXPECT_THAT(to_text(report), HasSubstr("not shown: drop 0.5 of the metric, interval unknown: the command gives one"));
  report.bound->score = {.metric = "sqnr_db", .quantized = 36.2, .interval = std::pair(35.9, 36.5)};
  report.bound->outcome = BoundOutcome::Holds;
  EXPECT_THAT(to_text(report), HasSubstr("  holds: 95 % interval 35.90 to 36.50 dB\n"));
}

TEST(ScoreText, TellsAScoreWithoutABound) {
  QuantizeReport report = bounded();
  report.score = report.bound->score;
  report.score->labels = "classes are numbered by their ids";
  report.bound.reset();
  EXPECT_THAT(to_text(report),
              HasSubstr("score: top-1 78.05 % (FP32 top-1 78.90 %), drop 0.85 points of top-1, 95 % interval -0.04 to "
                        "1.74; on 2000 samples\n  labels: classes are numbered by their ids\n"));
  report.score.reset();
  EXPECT_THAT(to_text(report), Not(HasSubstr("score:")));
}

TEST(BoundText, SaysLoudlyThatABoundIsNotMet) {
  QuantizeReport report = bounded();
  report.bound->met = false;
  report.bound->outcome = BoundOutcome::Broken;
  EXPECT_THAT(to_text(report), HasSubstr("\n  broken: drop 0.85 points"));
  EXPECT_THAT(to_text(report), HasSubstr("--max-drop 0.01 NOT MET: top-1 78.05 %"));
  EXPECT_THAT(document::plain_text(build::unmet_words(*report.bound)),
              HasSubstr("the best reaches top-1 78.05 %, FP32 top-1 78.90 %; it was written"));
}

}  // namespace
}  // namespace detent
