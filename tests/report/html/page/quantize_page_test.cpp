#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/html/dangling_reference.h"
#include "report/html/nesting_fault.h"
#include "report/html/page.h"

namespace detent {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Returns the report of a good model, calibrated with ten samples without an outlier.
QuantizeReport good_report() {
  QuantizeReport report;
  report.model = "folder/net.onnx", report.output = "folder/net.int8.onnx";
  report.target = "tensorrt:10.13", report.calibrator = "mse";
  report.samples = 10;
  report.model_bytes = 4000, report.output_bytes = 1000;
  report.plan.layers = {{"conv1", "Conv", Runs::Int8, "R1 weighted op", "constant weight", 10, 5}};
  report.plan.edges = {{"x", "conv1", "Conv", 0, Reads::Pair, 3, "R1 weighted op", "data input"}};
  report.plan.coverage = {1, 1, 10, 10, 5, 5, 100, 50, 1};
  report.notes = {"a note of the rewrite"};
  report.values = {{"x", -1, 1, true, DataType::Int8, 0.0078125, 0, 3},
                   {"y", -2, 2, true, DataType::Int8, 0.015625, 0, std::nullopt}};
  report.histograms = {{.name = "x",
                        .op = "input",
                        .count = 30,
                        .min = -1,
                        .max = 1,
                        .first = -1,
                        .width = 1,
                        .bins = {20, 10},
                        .ranges = {{"mse", -1, 1}}},
                       {.name = "y",
                        .op = "Conv",
                        .count = 40,
                        .min = -4,
                        .max = 4,
                        .first = -4,
                        .width = 2,
                        .bins = {10, 10, 10, 10},
                        .ranges = {{"mse", -2, 2}}}};
  report.error = ErrorReport{.samples = 8,
                             .sqnr_db = 31.25,
                             .cosine = 0.999,
                             .argmax_agreement = 0.995,
                             .outputs = {{"logits", 31.25, 0.999}}};
  report.verdict.quality = Quality::Good;
  report.verdict.reasons = {"SQNR 31.2 dB at 'logits'", "worst sample 'a.png' 28.0 dB"};
  report.verdict.caveats = {"measured on the calibration samples themselves"};
  report.outliers.values = 40;
  for (const char* name : {"a.png", "b.png", "c.png", "d.png", "e.png", "f.png", "g.png", "h.png", "i.png", "j.png"})
    report.outliers.all.push_back({.sample = name, .largest = 4});
  report.provenance = {"detent 0.1.0", "tensorrt:10.13", "mse",        "0123abcd", 10,
                       "4567ef",       "per-tensor=on",  "pytorch 2.1"};
  return report;
}

QuantizeReport broken_report() {
  QuantizeReport report = good_report();
  report.verdict = {.quality = Quality::Broken,
                    .reasons = {"SQNR -2.9 dB at 'logits'"},
                    .blame = {{"y", 0.5, 9.5}, {"elsewhere", 12, 1.75}},
                    .blame_sqnr_db = 2,
                    .cures = {"--calibrator auto", "--min-sqnr 20, which keeps layers float"}};
  report.outliers.all[0] = {"a.png", 25, 107, 30};
  report.outliers.all[1] = {"b.png", 1, 2, 6};
  report.outliers.samples = {report.outliers.all[0]};
  return report;
}

TEST(QuantizePage, StartsWithTheVerdict) {
  const std::string page = to_html(good_report());
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("net.onnx \u2013 quantization</title>"),
                          HasSubstr("<strong class=\"good\">Good</strong>: SQNR 31.2 dB at &#39;logits&#39;, worst "
                                    "sample &#39;a.png&#39; 28.0 dB."),
                          HasSubstr("<li>Measured on the calibration samples themselves.</li>"),
                          HasSubstr("<li>Wrote <code>folder/<wbr>net.<wbr>int8.<wbr>onnx</code>")));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("id=\"blame\"")), Not(HasSubstr("<li>Try"))));
}

TEST(QuantizePage, OfABrokenModelNamesTheValuesToBlameAndTheCures) {
  const std::string page = to_html(broken_report());
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("<strong class=\"broken\">Broken</strong>: SQNR -2.9 dB"),
                          HasSubstr("<li>Try <code>--calibrator auto</code>.</li>"),
                          HasSubstr("<li>Try <code>--min-sqnr 20</code>, which keeps layers float.</li>")));
  EXPECT_THAT(page, HasSubstr("<a href=\"#value-2\"><code>y</code></a>")) << "the second histogram";
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\"><code>elsewhere</code></th>")) << "has no histogram";
  EXPECT_THAT(page, AllOf(HasSubstr(">+7.50\u00A0dB</td>"), HasSubstr(">\u22120.25\u00A0dB</td>")))
      << "9.5 and 1.75 over 2 dB";
}

TEST(QuantizePage, WithoutAnErrorHasNoVerdict) {
  QuantizeReport report = good_report();
  report.error.reset();
  report.verdict = {};
  const std::string page = to_html(report);
  EXPECT_THAT(page, HasSubstr("<strong>No verdict</strong>: no error was measured."));
  EXPECT_THAT(page, Not(HasSubstr("id=\"error\"")));
  report.error = ErrorReport{.samples = 8};
  EXPECT_THAT(to_html(report), HasSubstr("<strong>No verdict</strong>: there is nothing to judge."));
  report.verdict.quality = Quality::Doubtful;
  EXPECT_THAT(to_html(report), HasSubstr("<strong class=\"doubtful\">Doubtful</strong>"));
}

TEST(QuantizePage, ShowsWhichSampleIsUnlikeTheOthers) {
  const std::string page = to_html(broken_report());
  EXPECT_THAT(
      page,
      AllOf(HasSubstr("<p><code>a.<wbr>png</code> alone sets the range of 25 of 40 values, up to 107 times the median "
                      "sample.</p>"),
            HasSubstr("<code>a.<wbr>png</code> <span class=\"badge\">outlier</span>"),
            HasSubstr("<tr><th scope=\"row\"><code>b.<wbr>png")));
  EXPECT_THAT(page, HasSubstr("<path class=\"part\" d=\"M0 30v-25h.85v25zM1 30v-1h.85v1z\"/>"))
      << "those set alone, of at most 30 held";
  EXPECT_THAT(page, HasSubstr("one bar a sample"));
}

TEST(QuantizePage, WithoutAnOutlierSaysSo) {
  const std::string page = to_html(good_report());
  EXPECT_THAT(page, HasSubstr("None of 10 calibration samples alone sets the range of many values."));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("id=\"outlier-table\"")), Not(HasSubstr(">outlier<"))));
  QuantizeReport few = good_report();
  few.outliers = {};
  EXPECT_THAT(to_html(few), Not(HasSubstr("id=\"outliers\""))) << "too few to tell";
}

TEST(QuantizePage, CountsTheSamplesThatHaveNoBar) {
  QuantizeReport report = broken_report();
  for (int i = 0; i < 90; ++i) report.outliers.all.push_back({.sample = "more " + std::to_string(i), .largest = 1});
  EXPECT_THAT(to_html(report), HasSubstr("52 more samples: at most 1 each"));
  for (size_t i = 10; i < 100; ++i) report.outliers.all[i].largest = 0;
  EXPECT_THAT(to_html(report), HasSubstr("52 more samples: none"));
}

TEST(QuantizePage, ShowsTheChoiceOnlyWhereThereWasOne) {
  QuantizeReport report = good_report();
  EXPECT_THAT(to_html(report), AllOf(Not(HasSubstr("id=\"choice\"")), HasSubstr(", calibrator mse, peak")));
  report.measured = CalibratorMeasurement{.winner = 1, .samples = 8};
  report.measured->candidates = {{"max", 20, {}}, {"mse", 31.25, {.argmax_agreement = 0.5}}};
  const std::string page = to_html(report);
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("<tr class=\"best\"><th scope=\"row\">mse <span class=\"badge\">taken</span></th>"),
                          HasSubstr("<tr><th scope=\"row\">max</th>"), HasSubstr("data-key=\"0.5\">50.00 %</td>"),
                          HasSubstr("calibrator mse (auto)"), HasSubstr(">same argmax</th>")));
  EXPECT_THAT(page, Not(HasSubstr(">same sign</th>"))) << "no candidate has one";
}

TEST(QuantizePage, ListsTheErrorOfEveryOutput) {
  QuantizeReport report = good_report();
  report.error->outputs.push_back({"boxes", std::numeric_limits<double>::infinity(), 1});
  EXPECT_THAT(to_html(report),
              AllOf(HasSubstr("<code>logits</code></th><td class=\"number\" data-key=\"31.25\">31.25\u00A0dB"),
                    HasSubstr("<code>boxes</code></th><td class=\"number\" data-key=\"1e999\">exact")));
  report.error->outputs.push_back(
      {.name = "ids", .agreement = 0.75, .kind = OutputKind::Integers, .elements = 8, .differing = 2});
  const std::string page = to_html(report);
  EXPECT_THAT(page, AllOf(HasSubstr(">2 of 8 elements differ, 75.00 % are equal</td>"), HasSubstr(">exact</td>"),
                          Not(HasSubstr(">nan"))));
  EXPECT_LT(page.find("<code>logits</code></th><td"), page.find("<code>ids</code></th><td")) << "worst first";
  EXPECT_LT(page.find("<code>ids</code></th><td"), page.find("<code>boxes</code></th><td")) << "exact ones last";
}

TEST(QuantizePage, SpeaksOfNoZeroLayers) {
  QuantizeReport report = good_report();
  report.bias_correction = BiasCorrectionReport{{.reason = "no layer has one"}};
  EXPECT_THAT(to_html(report), AllOf(HasSubstr("Corrected no bias: no layer has one."), Not(HasSubstr("0 layers"))));
}

TEST(QuantizePage, ListsValuesByWhatTheirRangeLeavesOut) {
  const std::string page = to_html(good_report());
  EXPECT_LT(page.find("href=\"#value-2\""), page.find("href=\"#value-1\"")) << "y loses half, x nothing";
  EXPECT_THAT(page, AllOf(HasSubstr("data-key=\"0.5\">50\u00A0%</td>"), HasSubstr("data-key=\"2\">\u00B12</td>"),
                          HasSubstr("Scale 0.007812, zero point 0, scale group 3."),
                          HasSubstr("Scale 0.01562, zero point 0."), HasSubstr("most clipped first")));
  QuantizeReport report = good_report();
  report.histograms[1].ranges[0] = {"mse", -4, 4};
  EXPECT_THAT(to_html(report), HasSubstr("2 values, in the order of the model"));
}

TEST(QuantizePage, OfImportedScalesListsThemWithoutHistograms) {
  EXPECT_THAT(to_html(good_report()), Not(HasSubstr("id=\"value-scales\"")));
  QuantizeReport report = good_report();
  report.histograms.clear();
  report.values[1].name = kHostile;
  const std::string page = to_html(report);
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("2 values with imported scales"), HasSubstr("data-key=\"0.015625\">0.015625</td>"),
                          HasSubstr("<a href=\"#values\">"), Not(HasSubstr("alert('1')"))));
}

TEST(QuantizePage, TellsWhetherABoundHolds) {
  QuantizeReport report = good_report();
  report.bound = BoundReport{.bound = "--max-drop 0.01",
                             .met = true,
                             .outcome = BoundOutcome::Holds,
                             .score = {.metric = "top1", .drop = 0.005, .interval = std::pair(0.001, 0.009)},
                             .metric = "top1",
                             .fp32 = 0.79,
                             .all_int8 = 0.5,
                             .reached = 0.785,
                             .kept = {{"conv2", "Conv", "costs 3 dB"}},
                             .samples = 100};
  EXPECT_THAT(
      to_html(report),
      HasSubstr("<li>--max-drop 0.01: top-1 78.50 % (FP32 top-1 79.00 %), without it top-1 50.00 %; on 100 samples, "
                "0 measurements in 0.0 s.</li><li>Holds: drop 0.50 points of top-1, 95 % interval 0.10 to 0.90.</li>"));
  report.bound->outcome = BoundOutcome::NotShown;
  EXPECT_THAT(to_html(report), HasSubstr("<li>Not shown: drop "));
  report.bound->outcome = BoundOutcome::Broken;
  report.bound->met = false;
  EXPECT_THAT(to_html(report), AllOf(HasSubstr("--max-drop 0.01 NOT MET: "), HasSubstr("<li>Broken: drop ")));
}

TEST(QuantizePage, ListsTheStepsOfTheBestLevelWithTheirGain) {
  QuantizeReport report = good_report();
  report.accuracy.level = "best";
  EXPECT_THAT(to_html(report), Not(HasSubstr("id=\"accuracy\""))) << "no step was tried";
  report.accuracy.steps = {{{34.25, 34.5, true, {}, 12, 8.5}, "ranges", "1 of 18 ranges"},
                           {{34.5, 34.25, false, {}, 12, 1}, kHostile, kHostile}};
  const std::string page = to_html(report);
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_THAT(page,
              AllOf(HasSubstr("<a href=\"#accuracy\">"),
                    HasSubstr("Accuracy best: 1 of 2 steps kept, by the mean SQNR on the samples of its row."),
                    HasSubstr("<td class=\"words\">1 of 18 ranges</td>"), HasSubstr(">+0.25\u00A0dB</td>"),
                    HasSubstr("<td>kept</td>"), HasSubstr(">\u22120.25\u00A0dB</td>"), HasSubstr("<td>dropped</td>")));
  EXPECT_THAT(page, Not(HasSubstr("alert('1')")));
}

TEST(QuantizePage, TellsOfBiasCorrectionWithAndWithoutEqualization) {
  QuantizeReport report = good_report();
  EXPECT_THAT(to_html(report), Not(HasSubstr("id=\"equalization\"")));
  report.bias_correction = BiasCorrectionReport{{.before_db = 20, .after_db = 21.5, .kept = true, .samples = 16}, 3};
  EXPECT_THAT(
      to_html(report),
      AllOf(
          HasSubstr("biases of 3 layers in 0.0 s: mean SQNR 20.00 \u2192 21.50\u00A0dB on 16 held-out samples, kept."),
          HasSubstr("<a href=\"#equalization\">")));
  report.bias_correction->kept = false;
  report.bias_correction->reason = "SQNR 0.50 dB lower";
  EXPECT_THAT(to_html(report), HasSubstr("samples, dropped: SQNR 0.50 dB lower."));
}

TEST(QuantizePage, EndsWithTheProvenance) {
  const std::string page = to_html(good_report());
  for (const char* text : {"detent 0.1.0", "<code>0123abcd</code>", "10 samples", "<code>4567ef</code>",
                           "per-tensor=on", "pytorch 2.1", "a note of the rewrite"})
    EXPECT_THAT(page, HasSubstr(text));
  QuantizeReport imported = good_report();
  imported.provenance.samples = 0;
  imported.provenance.options = imported.provenance.source_producer = "";
  EXPECT_THAT(to_html(imported), AllOf(HasSubstr("imported scales"), HasSubstr("the target&#39;s defaults"),
                                       Not(HasSubstr("Sample digest")), Not(HasSubstr("Float model by"))));
}

TEST(QuantizePage, OfAnEmptyReportStands) { EXPECT_EQ(nesting_fault(to_html(QuantizeReport{})), ""); }

TEST(QuantizePage, EscapesEveryNameThatComesFromOutside) {
  QuantizeReport report = broken_report();
  report.model = report.output = report.target = report.calibrator = report.table = kHostile;
  report.verdict.reasons = report.verdict.caveats = report.verdict.cures = report.notes = {kHostile};
  report.verdict.cures.push_back("--" + kHostile);
  report.verdict.blame[0].value = report.verdict.blame[1].value = report.histograms[0].name = kHostile;
  for (auto* list : {&report.outliers.samples, &report.outliers.all}) (*list)[0].sample = kHostile;
  report.error->outputs[0].name = kHostile;
  report.measured = CalibratorMeasurement{.candidates = {{kHostile, 1, {}}}};
  report.bound = BoundReport{.bound = kHostile, .score = {.metric = kHostile, .labels = kHostile}, .metric = kHostile};
  report.provenance = {kHostile, kHostile, kHostile, kHostile, 1, kHostile, kHostile, kHostile};
  const std::string page = to_html(report);
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_EQ(page.find("<script>"), page.rfind("<script>"));
  EXPECT_THAT(page, Not(HasSubstr("alert('1')")));
}

TEST(ComparePage, HasTheOutliersAndTheProvenanceThatTheReportHas) {
  CompareCalibratorsReport report;
  EXPECT_THAT(to_html(report), AllOf(Not(HasSubstr("id=\"outliers\"")), Not(HasSubstr("id=\"provenance\""))));
  report.outliers = broken_report().outliers;
  report.provenance = good_report().provenance;
  const std::string page = to_html(report);
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("<code>a.<wbr>png</code> alone sets"), HasSubstr("<code>4567ef</code>")));
}

}  // namespace
}  // namespace detent
