#include "report/text/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <regex>

#include "report/build/sections.h"
#include "report/json/json.h"

namespace detent {
namespace {

PlanReport small_plan() {
  PlanReport plan;
  plan.model = "folder/net.onnx";
  plan.target = "tensorrt:10.13";
  plan.layers = {{"conv1", "Conv", Runs::Int8, "R1 weighted op", "constant weight", 10, 5},
                 {"head", "Conv", Runs::Float, "R12 user", "excluded", 30, 5}};
  plan.edges = {{"x", "conv1", "Conv", 0, Reads::Pair, 3, "R1 weighted op", "data input"},
                {"a", "relu", "Relu", 0, Reads::Float, std::nullopt, "-", "no rule"}};
  plan.coverage = {2, 1, 40, 10, 10, 5, 100, 50, 1};
  return plan;
}

TEST(PlanText, ListsPairsAndEveryEdgeOnRequest) {
  const std::string pairs = to_text(small_plan(), Lists::Capped);
  EXPECT_NE(pairs.find("x -> conv1 (Conv, input 0) scale group 3"), std::string::npos) << pairs;
  EXPECT_EQ(pairs.find("a -> relu"), std::string::npos);
  EXPECT_NE(pairs.find("1 of 2 weighted layers INT8 (25.0 % of MACs)"), std::string::npos);
  EXPECT_NE(pairs.find("parameters 50.0 % INT8, activation bytes 50.0 %"), std::string::npos) << pairs;
  EXPECT_NE(to_text(small_plan(), Lists::All).find("float a -> relu"), std::string::npos);
}

const std::string kRulesFooter =
    "\nrules (R10, O2 ...) and scale groups are explained in src/place/RULES.md and by 'detent help plan --long'\n";

TEST(PlanText, SaysWhereRulesAreExplainedIfItNamesSome) {
  EXPECT_NE(to_text(small_plan(), Lists::Capped).find(kRulesFooter), std::string::npos);
  PlanReport nothing = small_plan();
  nothing.layers.clear(), nothing.edges.clear();
  EXPECT_EQ(to_text(nothing, Lists::Capped).find("RULES.md"), std::string::npos);
}

TEST(LintText, SaysWhereRulesAreExplainedIfItNamesSome) {
  LintReport report;
  report.origin = "qdq";
  report.plan = small_plan();
  EXPECT_NE(to_text(report).find(kRulesFooter), std::string::npos) << "a float layer has its rule beside it";
  report.plan.layers.pop_back();
  EXPECT_EQ(to_text(report).find("RULES.md"), std::string::npos) << "INT8 layers are not listed";
  report.findings = {{"layer-float-by-rule", "note", "head", "runs in float by rule R10 small layer: 3 channels"}};
  EXPECT_NE(to_text(report).find(kRulesFooter), std::string::npos);
  report.findings = {{"layer-left-float", "warning", "head", "runs in float; no placement rule requires that"}};
  EXPECT_EQ(to_text(report).find("RULES.md"), std::string::npos) << "no rule has a name here";
}

TEST(PlanJson, HasTheFieldsOfTheContract) {
  const std::string json = to_json(small_plan());
  for (const char* field :
       {"\"model\"", "\"target\"", "\"layers\"", "\"edges\"", "\"int8\": true", "\"decision\": \"pair\"",
        "\"scale_group\": 3", "\"scale_group\": null", "\"int8_macs\": 10"})
    EXPECT_NE(json.find(field), std::string::npos) << field;
}

TEST(QuantizeText, NamesTheSamplesThatAloneSetRanges) {
  QuantizeReport report;
  EXPECT_EQ(to_text(report).find("alone"), std::string::npos);
  EXPECT_NE(to_json(report).find("\"outlier_samples\": []"), std::string::npos);
  report.outliers = {{{"a.jpg", 63, 107.4}, {"b.jpg", 12, 3}, {"c.jpg", 12, 2}, {"d.jpg", 12, 2}, {"e.jpg", 12, 2}},
                     113};
  const std::string text = to_text(report);
  EXPECT_NE(text.find("a.jpg alone sets the range of 63 of 113 values, up to 107 times the median sample\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("d.jpg"), std::string::npos);
  EXPECT_NE(text.find("2 more samples like these"), std::string::npos) << text;
  const std::string json = to_json(report);
  for (const char* field : {"\"sample\": \"d.jpg\"", "\"values\": 63", "\"ratio\": 107.4"})
    EXPECT_NE(json.find(field), std::string::npos) << field << json;
}

TEST(PlanText, CountsWhatCouldBeEqualized) {
  PlanReport plan = small_plan();
  EXPECT_EQ(to_text(plan, Lists::Capped).find("equaliz"), std::string::npos) << "not a word where it is not known";
  plan.equalizable.emplace();
  EXPECT_NE(to_text(plan, Lists::Capped).find("\nequalizable: nothing\n"), std::string::npos);
  plan.equalizable = {{"gate", {"a", "b"}}, {"linear", {"c"}}};
  const std::string text = to_text(plan, Lists::Capped);
  EXPECT_NE(text.find("\nequalizable: 2 values at gates, 1 linear (--equalize gate,linear)\n"), std::string::npos)
      << text;
}

TEST(PlanJson, ListsWhatCouldBeEqualizedByFamily) {
  PlanReport plan = small_plan();
  EXPECT_NE(to_json(plan).find("\"equalizable\": null"), std::string::npos) << "not known";
  plan.equalizable.emplace();
  EXPECT_NE(to_json(plan).find("\"equalizable\": []"), std::string::npos) << "none";
  plan.equalizable = {{"gate", {"a", "b"}}};
  const std::string json = to_json(plan);
  for (const char* field : {"\"family\": \"gate\"", "\"count\": 2", "\"values\": [", "\"a\"", "\"b\""})
    EXPECT_NE(json.find(field), std::string::npos) << field << json;
}

TEST(QuantizeText, NamesFloatLayersAndSaysWhenNothingWasMeasured) {
  QuantizeReport report;
  report.model = "net.onnx";
  report.output = "net.int8.onnx";
  report.plan = small_plan();
  const std::string text = to_text(report);
  EXPECT_NE(text.find("kept float: head (Conv)  R12 user: excluded"), std::string::npos) << text;
  EXPECT_NE(text.find("not measured: no data"), std::string::npos) << text;
  report.error = ErrorReport{.samples = 16, .outputs = {{"y", 31.2, 0.999, 0.996, OutputKind::Scores}}};
  EXPECT_NE(
      to_text(report).find("error against FP32 on 16 samples: SQNR 31.2 dB, cosine 0.99900, argmax agreement 99.60 %"),
      std::string::npos);
}

QuantizeReport measured_report() {
  QuantizeReport report;
  report.plan = small_plan();
  report.samples = 32;
  report.calibrator = "mse";
  report.measured = CalibratorMeasurement{.candidates = {{"max", 20.5, {.samples = 16, .argmax_agreement = 0.875}},
                                                         {"mse", 31.25, {.samples = 32, .sign_agreement = 1.0}}},
                                          .winner = 1,
                                          .highest = 1,
                                          .samples = 32,
                                          .seconds = 1.5};
  return report;
}

TEST(QuantizeText, RanksInOneLineWhatAutoMeasuredAndListsItOnRequest) {
  const std::string text = to_text(measured_report());
  EXPECT_NE(text.find(", calibrator mse (auto), peak "), std::string::npos) << text;
  EXPECT_NE(text.find("\nmeasured 2 calibrators on 16 to 32 samples in 1.5 s, mean SQNR: mse 31.25 dB, 1 more\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("score: half"), std::string::npos) << text;
  const std::string all = to_text(measured_report(), Lists::All);
  EXPECT_NE(all.find("\n  max          20.50 dB      87.50 %"), std::string::npos) << all;
  EXPECT_NE(all.find("\n* mse          31.25 dB"), std::string::npos) << all;
}

TEST(QuantizeText, SaysWhyAutoTakesAnotherThanTheHighest) {
  QuantizeReport report = measured_report();
  EXPECT_EQ(to_text(report).find("noise of the samples"), std::string::npos);
  report.measured->highest = 0;
  EXPECT_NE(
      to_text(report).find("; max scores the same within the noise of the samples; mse clips the values least badly\n"),
      std::string::npos);
}

TEST(QuantizeText, SaysWhereAnotherCandidateAgreesMoreOften) {
  QuantizeReport report = measured_report();
  report.measured->candidates[0].error = {.samples = 32, .argmax_agreement = 1.0};
  report.measured->candidates[1].error = {.samples = 32, .argmax_agreement = 0.9375};
  EXPECT_NE(to_text(report).find("; chosen by SQNR: argmax agreement is 93.75 %, with max 100 %\n"), std::string::npos);
  report.measured->candidates[1].error.argmax_agreement = 0.995;
  EXPECT_EQ(to_text(report).find("chosen by SQNR"), std::string::npos) << "too small a difference";
}

TEST(QuantizeText, NamesOneCountWhereAllCandidatesHadIt) {
  QuantizeReport report = measured_report();
  report.measured->candidates[0].error.samples = 32;
  const std::string text = to_text(report);
  EXPECT_NE(text.find("measured 2 calibrators on 32 samples in 1.5 s, mean SQNR: mse 31.25 dB, then max 20.50 dB"),
            std::string::npos)
      << text << "scores of the same samples stand in order; one of fewer has no place among them";
}

TEST(QuantizeText, CallsACandidateExactThatShowsNoDifference) {
  QuantizeReport report = measured_report();
  report.measured->candidates[1].score_db = std::numeric_limits<double>::infinity();
  EXPECT_NE(to_text(report).find(": mse exact, 1 more"), std::string::npos) << to_text(report);
}

TEST(QuantizeText, EndsWithTheVerdictItsCausesAndCures) {
  QuantizeReport report;
  report.output = "net.int8.onnx", report.target = "tensorrt:10.13";
  report.verdict = {.quality = Quality::Broken,
                    .reasons = {"SQNR 4.1 dB at 'y'"},
                    .blame_sqnr_db = 4,
                    .cures = {"--min-sqnr 20 (keeps layers float)"}};
  report.verdict.blame_samples = 8;
  report.verdict.blame = {{"a", 1, 4}, {"b", 0.5, 4}};
  EXPECT_NE(
      to_text(report).find("\nverdict: broken (SQNR 4.1 dB at 'y')\n"
                           "  no single value explains it; those with the largest error by themselves are 'b' (0.5 "
                           "dB), 'a' (1.0 dB)\n  try --min-sqnr 20 (keeps layers float)\n"),
      std::string::npos)
      << to_text(report);
  report.verdict.blame = {{"a", 1, 9}, {"b", 0.5, 4}};
  EXPECT_NE(
      to_text(report).find("\n  without the pair on 'a' the output has 9.0 dB instead of 4.0 on 8 samples\n  try"),
      std::string::npos)
      << to_text(report);
}

TEST(QuantizeText, NamesTheCommandThatBuildsAnEngineOfAGoodFile) {
  QuantizeReport report;
  report.next_command = "trtexec --onnx=net.int8.onnx";
  EXPECT_EQ(to_text(report).find("trtexec"), std::string::npos) << "not measured";
  report.verdict.quality = Quality::Good;
  EXPECT_TRUE(to_text(report).ends_with("\n  next: trtexec --onnx=net.int8.onnx\n"));
  report.next_command.clear();
  EXPECT_EQ(to_text(report).find("next:"), std::string::npos);
}

TEST(QuantizeText, SaysWhyAStepWasDroppedInItsLine) {
  QuantizeReport report;
  report.accuracy = {"best",
                     {{{20, 21, true, "", 64, 3.0}, "ranges", "12 of 113 ranges"},
                      {{21, 20.5, false, "SQNR 0.50 dB lower", 64, 4.0}, "weights", "9 of 10 layers' weights"},
                      {{{}, {}, false, "no INT8 layer has one", 0, 0.5}, "biases", "0 of 10 layers' biases"}}};
  report.bias_correction.emplace();
  const std::string text = to_text(report);
  EXPECT_NE(text.find("accuracy best: 1 of 3 steps kept, by the mean SQNR on the samples of its row\n"),
            std::string::npos)
      << text;
  const auto row = [&](const std::string& pattern) { return std::regex_search(text, std::regex(pattern)); };
  EXPECT_TRUE(row("ranges +12 of 113 ranges +20.00 dB +21.00 dB +\\+1.00 dB +64 +3.0 s +kept\n")) << text;
  EXPECT_TRUE(row("64 +4.0 s +dropped: SQNR 0.50 dB lower\n")) << text;
  EXPECT_TRUE(row("biases .*0.5 s +not measured, not changed: no INT8 layer has one\n")) << text;
  EXPECT_EQ(text.find("corrected"), std::string::npos) << "the step's line says it already";
}

std::string corrected(const BiasCorrectionReport& report) {
  Listing listing(Lists::Capped);
  return to_text(build::equalization({}, report), listing);
}

TEST(BiasCorrectionText, NamesNoZeroLayers) {
  EXPECT_EQ(corrected({{.reason = "no layer has one"}}), "corrected no bias: no layer has one\n");
  EXPECT_EQ(
      corrected({{20, 19.5, false, "SQNR 0.50 dB lower", 16, 1}, 3}),
      "corrected the biases of 3 layers in 1.0 s: mean SQNR 20.00 -> 19.50 dB on 16 held-out samples, dropped: SQNR "
      "0.50 dB lower\n");
}

TEST(EqualizeText, SaysWhyAFamilyWasDropped) {
  EqualizeReport report;
  report.requested = "auto";
  report.families = {{"relu", 1, 2, 3, false, 4.84, "not sure"}, {"act", 1, 2, 3, true, 1.0, ""}};
  Listing listing(Lists::Capped);
  EXPECT_NE(to_text(build::equalization(report), listing).find("+1.00 dB  kept, all factors 1\n"), std::string::npos);
  report.values.push_back({.name = "a"});
  const std::string text = to_text(build::equalization(report), listing);
  EXPECT_NE(text.find("+4.84 dB  dropped: not sure\n"), std::string::npos) << text;
  EXPECT_NE(text.find("+1.00 dB  kept\n"), std::string::npos) << text;
}

TEST(QuantizeJson, HasTheCandidatesOfAutoAndNothingOfItOtherwise) {
  QuantizeReport report = measured_report();
  const std::string json = to_json(report);
  for (const char* field : {"\"auto\": {", "\"candidates\": [", "\"score_db\": 31.25", "\"argmax_agreement\": 0.875",
                            "\"winner\": true", "\"winner\": false", "\"calibrator\": \"max\""})
    EXPECT_NE(json.find(field), std::string::npos) << field << json;
  report.measured.reset();
  EXPECT_EQ(to_json(report).find("\"auto\""), std::string::npos);
}

}  // namespace
}  // namespace detent
