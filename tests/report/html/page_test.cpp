#include "report/html/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "dangling_reference.h"
#include "nesting_fault.h"
#include "report/judged_by_top1.h"

namespace detent {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::string kHostile = "</script><script>alert('1')</script>\"&";

CompareCalibratorsReport small_comparison() {
  CompareCalibratorsReport report = judged_by_top1<CompareCalibratorsReport>(24, 1);
  report.variants = {{{.name = "max", .metrics = {{"top1", 0.7}, {"sqnr_db", 10}}, .size_bytes = 1000}},
                     {{.name = "mse", .metrics = {{"top1", 0.765}, {"sqnr_db", 12}}, .size_bytes = 1000}}};
  report.winner = "mse";
  report.plan.layers = {{"conv1", "Conv", Runs::Int8, "R1 weighted op", "constant weight", 10, 5},
                        {"head", "Conv", Runs::Float, "R12 user", "excluded", 30, 5}};
  report.plan.edges = {{"x", "conv1", "Conv", 0, Reads::Pair, 3, "R1 weighted op", "data input"},
                       {"x", "relu", "Relu", 0, Reads::Float, std::nullopt, "-", "no rule"}};
  report.plan.coverage = {2, 1, 40, 10, 10, 5, 100, 50, 1};
  ValueHistogram value;
  value.name = "x", value.op = "input";
  value.count = 30, value.min = 0, value.max = 2, value.width = 1, value.bins = {20, 10};
  value.ranges = {{"max", -2, 2}, {"mse", -1, 1}};
  report.values = {value};
  return report;
}

SensitivityReport small_sensitivity() {
  SensitivityReport report;
  report.calibrator = "mse";
  report.evaluation_samples = 8;
  report.sqnr_db_all = 12;
  report.layers = {{"conv1", "Conv", 15, 14.5, 0.25}};
  report.values = {{"x", 31.25}};
  return report;
}

CompareCalibratorsReport with_layers(const SensitivityReport& layers) {
  CompareCalibratorsReport report = small_comparison();
  report.layers = layers;
  return report;
}

EqualizeReport small_equalization() {
  EqualizeReport report;
  report.requested = "auto";
  report.samples = 256;
  report.acceptance = {{.before_db = 9, .after_db = 10.5, .kept = true, .samples = 256}};
  report.families = {{"gate", 0.75, 1, 2, true, 1.5}, {"relu", 0.5, 1, 1, false, -0.25, "gains less"}, {"norm"}};
  report.values = {{"even", "gate", 8, 2, 1.25}, {"uneven", "gate", 16, 100, 4}};
  report.notes = {"a bound is near"};
  return report;
}

TEST(Html, HasEverySection) {
  const std::string page = to_html(with_layers(small_sensitivity()));
  EXPECT_THAT(page, HasSubstr("<header id=\"summary\">"));
  for (const std::string id : {"candidates", "coverage", "sensitivity", "values", "placement"})
    EXPECT_THAT(page, AllOf(HasSubstr("<section id=\"" + id + "\">"), HasSubstr("<a href=\"#" + id + "\">")));
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
}

TEST(Html, LeavesOutWhatItWasNotGiven) {
  const std::string page = to_html(small_comparison());
  EXPECT_THAT(page, Not(HasSubstr("id=\"sensitivity\"")));
  EXPECT_THAT(page, Not(HasSubstr("\"#sensitivity\"")));
  EXPECT_THAT(page, Not(HasSubstr("Its SQNR after")));
  EXPECT_THAT(to_html(with_layers(SensitivityReport{})), Not(HasSubstr("id=\"sensitivity\"")));
}

TEST(Html, OfAnEmptyReportSaysThatNothingWasCompared) {
  const std::string page = to_html(CompareCalibratorsReport{});
  EXPECT_THAT(page, HasSubstr("No variant was compared."));
  EXPECT_THAT(page, Not(HasSubstr("<section")));
  EXPECT_THAT(page, Not(HasSubstr("<nav")));
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
}

TEST(Html, OfASensitivityStartsWithTheWorstOfLayersAndOperators) {
  SensitivityReport report = small_sensitivity();
  report.model = "folder/net.onnx";
  report.operators = {{"gate", "Mul", 13, 20}};
  report.plan = small_comparison().plan;
  report.histograms = small_comparison().values;
  report.variants = 5;
  const std::string page = to_html(report);
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("net.onnx \u2013 sensitivity of layers</title>"),
                          HasSubstr("<code>gate</code> costs most: alone in INT8 it leaves 13.00\u00A0dB")));
  EXPECT_LT(page.find("<code>gate</code> <small>Mul"), page.find("<code>conv1</code> <small>Conv"));
  EXPECT_THAT(page, Not(HasSubstr("id=\"candidates\"")));
  EXPECT_THAT(page, Not(HasSubstr("No variant")));
  for (const std::string id : {"coverage", "sensitivity", "values", "placement"})
    EXPECT_THAT(page, HasSubstr("<section id=\"" + id + "\">"));
  EXPECT_THAT(to_html(SensitivityReport{}), HasSubstr("Nothing is quantized."));
}

TEST(Html, IsSelfContained) {
  const std::string page = to_html(with_layers(small_sensitivity()));
  for (const char* fetch : {"http:", "https:", "src=", "@import", "url("}) EXPECT_THAT(page, Not(HasSubstr(fetch)));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, AllOf(HasSubstr("prefers-color-scheme: dark"), HasSubstr("@media print"), HasSubstr("aria-sort")));
}

TEST(Html, SaysWhoWonAndByHowMuch) {
  EXPECT_THAT(to_html(small_comparison()),
              HasSubstr("<strong>mse</strong> is the best of 2 candidates: top-1 76.50 %. That is 6.50 points above "
                        "the next, max, and 2.50 points below FP32."));
}

TEST(Html, DoesNotCallATieAWin) {
  CompareCalibratorsReport report = small_comparison();
  report.variants[0].metrics["top1"] = 0.765;
  report.fp32["top1"] = 0.765;
  EXPECT_THAT(to_html(report), HasSubstr("That is level with the next, max, and level with FP32."));
}

TEST(Html, DoesNotCompareAutoWithWhatItTakes) {
  CompareCalibratorsReport report = small_comparison();
  report.variants.push_back(report.variants[1]);
  report.variants[2].name = "auto", report.variants[2].takes = "mse";
  const std::string page = to_html(report);
  EXPECT_THAT(page,
              HasSubstr("<strong>mse</strong> is the best of 3 candidates: top-1 76.50 %. That is 6.50 points above "
                        "the next, max,"));
  EXPECT_THAT(page, HasSubstr("auto<small> (mse)</small>"));
  report.winner = "auto";
  EXPECT_THAT(to_html(report), HasSubstr("<strong>auto</strong> with ranges of mse is the best of 3"));
}

TEST(Html, CountsSkippedSamples) {
  CompareCalibratorsReport report = small_comparison();
  EXPECT_THAT(to_html(report), Not(HasSubstr("skipped")));
  report.skipped_samples = 2;
  EXPECT_THAT(to_html(report), HasSubstr("skipped 2 unreadable samples"));
}

TEST(Html, OfOneCandidateComparesWithFp32Only) {
  CompareCalibratorsReport report = small_comparison();
  report.variants.erase(report.variants.begin());
  EXPECT_THAT(to_html(report),
              HasSubstr("<strong>mse</strong> reaches top-1 76.50 %. That is 2.50 points below FP32."));
}

TEST(Html, WritesInfiniteMetrics) {
  CompareCalibratorsReport report = small_comparison();
  report.criterion = "sqnr_db";
  report.variants[1].metrics["sqnr_db"] = kInfinity;
  const std::string page = to_html(report);
  EXPECT_THAT(page, HasSubstr("SQNR exact. That is above the next, max."));
  EXPECT_THAT(page, Not(HasSubstr("inf\"")));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("\"nan")), Not(HasSubstr(">nan"))));
}

TEST(Html, SaysHowSureTheWinnerIs) {
  CompareCalibratorsReport report = small_comparison();
  EXPECT_THAT(to_html(report),
              AllOf(Not(HasSubstr("\u00B1 is the standard error")), Not(HasSubstr("every other one"))));
  for (auto& variant : report.variants) variant.score_error = 0.0125;
  EXPECT_THAT(to_html(report),
              AllOf(HasSubstr("70.00 % \u00B11.25"), HasSubstr("It is better than every other one beyond the noise")));
  report.ties = {"max"};
  EXPECT_THAT(to_html(report), HasSubstr("max scores the same within the noise"));
}

TEST(Html, MarksTheWinnerAndNobodyElse) {
  const std::string page = to_html(small_comparison());
  EXPECT_THAT(page, HasSubstr("<tr class=\"best\"><th scope=\"row\">mse <span class=\"badge\">best</span></th>"));
  EXPECT_THAT(page, HasSubstr("<tr><th scope=\"row\">max</th>"));
  CompareCalibratorsReport nobody = small_comparison();
  nobody.winner.clear();
  EXPECT_THAT(to_html(nobody), Not(HasSubstr("class=\"badge\"")));
}

TEST(Html, ListsOutputsOnlyWhereThereAreSeveral) {
  CompareCalibratorsReport report = small_comparison();
  for (auto& variant : report.variants) variant.outputs = {{"boxes", 20, 1}};
  EXPECT_THAT(to_html(report), Not(HasSubstr("id=\"outputs\"")));
  for (auto& variant : report.variants) variant.outputs.push_back({"scores", 25.5, 1});
  EXPECT_THAT(to_html(report), AllOf(HasSubstr("id=\"outputs\""), HasSubstr("data-key=\"25.5\"")));
  report.variants[1].outputs.push_back(
      {.name = "ids", .agreement = 0.995, .kind = OutputKind::Integers, .differing = 1});
  EXPECT_THAT(to_html(report), HasSubstr("data-key=\"0.995\">99.50 % equal"));
}

TEST(Html, SaysWhyALayerStaysFloat) {
  const std::string page = to_html(small_comparison());
  EXPECT_THAT(page, HasSubstr("1 of 2 weighted layers stays float"));
  EXPECT_THAT(page, HasSubstr("<p class=\"reason\">R12 user: excluded</p>"));
  EXPECT_THAT(page, HasSubstr("<p class=\"reason\">no rule</p>")) << "without the dash of an edge that no rule decides";
  EXPECT_THAT(page, HasSubstr("2 edges, 1 with a pair"));
}

TEST(Html, TellsWhatEqualizationTriedAndGained) {
  CompareCalibratorsReport report = small_comparison();
  report.equalized = small_equalization();
  const std::string page = to_html(report);
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("<section id=\"equalization\">"), HasSubstr("<a href=\"#equalization\">"),
                          HasSubstr("Equalized 2 values (<code>--equalize auto</code>), channels of 256 samples in "),
                          HasSubstr("9.00 \u2192 10.50\u00A0dB"), HasSubstr("<li>A bound is near.</li>")));
  const auto row = [](const std::string& alpha, const std::string& gain, const std::string& decision) {
    return ">" + alpha + "</td><td class=\"number\" data-key=\"" + gain + "\u00A0dB</td><td>" + decision + "</td>";
  };
  EXPECT_THAT(page, HasSubstr(row("0.75", "1.5\">+1.50", "kept")));
  EXPECT_THAT(page, HasSubstr(row("0.5", "-0.25\">\u22120.25", "dropped: gains less")));
  EXPECT_THAT(page, Not(HasSubstr(">norm<"))) << "it has no values";
}

TEST(Html, ListsEqualizedValuesByTheirImbalance) {
  CompareCalibratorsReport report = small_comparison();
  report.equalized = small_equalization();
  std::string page = to_html(report);
  EXPECT_LT(page.find("<code>uneven</code>"), page.find("<code>even</code>"));
  EXPECT_THAT(page,
              AllOf(HasSubstr("data-key=\"100\">100.0\u00D7</td>"), HasSubstr("data-key=\"1.25\">1.2\u00D7</td>")));
  // Logarithms up to 6 % beyond that of 100: 100 lies at 1/1.06, and an imbalance of 4 at log10(4)/2 of that.
  EXPECT_THAT(page, AllOf(HasSubstr("<circle class=\"before\" cx=\"94.34%\""),
                          HasSubstr("<circle class=\"after\" cx=\"28.4%\"")));
  report.equalized->values[1].imbalance_before = 0;
  page = to_html(report);
  EXPECT_THAT(page, Not(HasSubstr("<code>uneven</code>"))) << "0: not measured";
  EXPECT_THAT(page, HasSubstr("Equalized 2 values"));
}

TEST(Html, OfAnEqualizationFromATableHasFamiliesOnly) {
  CompareCalibratorsReport report = small_comparison();
  report.equalized.emplace();
  report.equalized->requested = "gate, by the table";
  report.equalized->families = {{.name = "gate", .values = 3, .kept = true}, {.name = "relu"}};
  const std::string page = to_html(report);
  EXPECT_THAT(page, HasSubstr("Equalized 3 values (<code>--equalize gate, by the table</code>)."));
  EXPECT_THAT(page, Not(HasSubstr("id=\"equalize-values\"")));
}

TEST(Html, LeavesOutEqualizationWhereThereWasNone) {
  CompareCalibratorsReport report = small_comparison();
  EXPECT_THAT(to_html(report), Not(HasSubstr("equalization\"")));
  report.equalized.emplace();
  report.equalized->requested = "auto";
  report.equalized->families = {{"gate"}, {"relu"}};
  EXPECT_THAT(to_html(report), Not(HasSubstr("equalization\""))) << "nothing could be equalized";
  report.equalized->families[0].values = report.equalized->families[0].groups = 1;
  EXPECT_THAT(to_html(report), HasSubstr("Equalized nothing (<code>--equalize auto</code>)."));
}

TEST(Html, OfASensitivityHasTheEqualizationToo) {
  SensitivityReport report = small_sensitivity();
  EXPECT_THAT(to_html(report), Not(HasSubstr("id=\"equalization\"")));
  report.equalized = small_equalization();
  EXPECT_THAT(to_html(report), AllOf(HasSubstr("<section id=\"equalization\">"), HasSubstr("<code>uneven</code>")));
}

TEST(Html, ListsValuesByTheirOwnErrorWhereItIsKnown) {
  CompareCalibratorsReport report = small_comparison();
  report.values.push_back(report.values[0]);
  report.values[1].name = "wide", report.values[1].ranges[0] = {"max", -9, 9};
  const auto order = [](const std::string& page) {
    return page.find("href=\"#value-2\"") < page.find("href=\"#value-1\"");
  };
  EXPECT_TRUE(order(to_html(report))) << "the wider spread first";
  SensitivityReport sensitivity = small_sensitivity();
  sensitivity.values = {{"x", 10}, {"wide", 40}};
  report.layers = sensitivity;
  EXPECT_FALSE(order(to_html(report))) << "the lower SQNR first";
}

TEST(Html, EscapesEveryNameThatComesFromTheModel) {
  CompareCalibratorsReport report = small_comparison();
  SensitivityReport sensitivity = small_sensitivity();
  report.model = report.target = kHostile;
  report.variants[1].name = report.winner = report.variants[0].takes = kHostile;
  report.variants[0].metrics[kHostile] = report.fp32[kHostile] = 1;
  report.variants[0].outputs = {{kHostile, 20, 1}, {"y", 20, 1}};
  report.plan.layers[1] = {kHostile, kHostile, Runs::Float, kHostile, kHostile, 1, 1};
  report.plan.edges[1] = {kHostile, kHostile, kHostile, 0, Reads::Float, std::nullopt, kHostile, kHostile};
  report.plan.edges[0].consumer = report.plan.edges[0].reason = report.plan.edges[0].op = kHostile;
  report.plan.notes = {kHostile};
  report.values[0].op = report.values[0].ranges[0].calibrator = kHostile;
  report.values.push_back(report.values[0]);
  report.values[1].name = kHostile;
  report.equalized = small_equalization();
  report.equalized->requested = report.equalized->families[0].name = kHostile;
  report.equalized->values[0].name = report.equalized->values[0].family = report.equalized->notes[0] = kHostile;
  sensitivity.calibrator = kHostile;
  sensitivity.layers[0].name = sensitivity.layers[0].op = kHostile;
  report.layers = sensitivity;
  const std::string page = to_html(report);
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_EQ(page.find("<script>"), page.rfind("<script>"));
  EXPECT_THAT(page, Not(HasSubstr("alert('1')")));
  EXPECT_THAT(page, HasSubstr("alert(&#39;1&#39;)"));
}

TEST(NestingFault, FindsATagThatWasLetThrough) {  // the check above is not blind
  EXPECT_NE(nesting_fault("<!doctype html><html><body><p>a < b</p><script>"), "");
  EXPECT_NE(nesting_fault("<!doctype html><html><body><p><b></p><script>"), "");
  EXPECT_EQ(nesting_fault("<!doctype html><html><body><p>a</p><script>"), "");
  EXPECT_EQ(dangling_reference("<a href=\"#there\"></a><p id=\"there\"></p><div data-search=\"gone\">"), "gone");
  EXPECT_EQ(dangling_reference("<a href=\"#gone\"></a><p id=\"there\"></p>"), "gone");
}

TEST(Html, StaysSmallForManyValues) {
  CompareCalibratorsReport report = small_comparison();
  ValueHistogram value = report.values[0];
  value.width = 2.0 / 256;
  value.bins.clear();
  for (uint64_t i = 0; i < 256; ++i) value.bins.push_back(1'000'000 - 3'000 * i + i % 7);
  const auto size = [&](size_t values) {
    report.values.assign(values, value);
    return to_html(report).size();
  };
  EXPECT_LT(size(300) - size(0), 300U * 8 * 1024) << "counts and outline of 256 bins take about 4 kB";
}

}  // namespace
}  // namespace detent
