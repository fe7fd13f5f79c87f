// Tests that text, JSON and pages report 16-bit floats, and only where there are some.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/html/nesting_fault.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Document = nlohmann::json;

const std::string kHostileName = "<script>alert('1')</script>";

FloatReport some_floats() {
  FloatReport floats{.type = "float16", .half_nodes = 90, .float32_nodes = 4, .casts = 6};
  floats.exceptions = {{"pow", "Pow", "overflow", "u", 71234, "'u' reaches 71234"},
                       {"mul", "Mul", "overflow", "u", 71234, "'u' reaches 71234"},
                       {"mean", "ReduceMean", "normalization", "", 0, "it is part of the normalization of 'pow'"},
                       {"stft", "STFT", "operator", "", 0, "spectra are computed in FP32"}};
  return floats;
}

PlanReport some_plan() {
  PlanReport plan;
  plan.model = "folder/net.onnx", plan.target = "tensorrt:11.0";
  plan.layers = {{"conv1", "Conv", Runs::Int8, "R1 weighted op", "constant weight", 75, 5}};
  plan.coverage = {.layers = 1, .int8_layers = 1, .macs = 100, .int8_macs = 75, .pairs = 1};
  plan.coverage.types = {.int8 = {75, 10}, .half = {20, 50}, .float32 = {5, 40}};
  plan.coverage.casts = 6;
  plan.floats = some_floats();
  return plan;
}

/// Returns the same for a target that keeps FP32.
PlanReport plan_without_halves() {
  PlanReport plan = some_plan();
  plan.floats.reset();
  plan.coverage.types = {.int8 = {75, 10}, .float32 = {25, 80}};
  plan.coverage.casts = 0;
  return plan;
}

QuantizeReport some_quantization(const PlanReport& plan) {
  QuantizeReport report;
  report.plan = plan;
  report.floats = plan.floats;
  report.plan.floats.reset();
  report.provenance.producer = "detent 0.1.0";
  return report;
}

TEST(FloatsText, HasTheSharesAndNamesNodesThatStayByReason) {
  for (const std::string& text : {to_text(some_plan()), to_text(some_quantization(some_plan()))})
    EXPECT_THAT(text, AllOf(HasSubstr("90 nodes in float16, 4 in float32, 6 casts added\n"),
                            HasSubstr("  float32: pow (Pow), mul (Mul)  overflow: 'u' reaches 71234\n"),
                            HasSubstr("  float32: stft (STFT)  operator: spectra are computed in FP32\n"),
                            HasSubstr("  share of             INT8     half     FP32\n"),
                            HasSubstr("  MACs               75.0 %   20.0 %    5.0 %\n"),
                            HasSubstr("  activation bytes   10.0 %   50.0 %   40.0 %\n"),
                            Not(HasSubstr("o value was measured"))));
}

TEST(FloatsText, OfFloat32AloneSaysNothing) {
  const PlanReport plan = plan_without_halves();
  for (const std::string& text : {to_text(plan), to_text(some_quantization(plan))})
    EXPECT_THAT(text, AllOf(Not(HasSubstr("half")), Not(HasSubstr("float32")), Not(HasSubstr("cast"))));
}

TEST(FloatsText, LeavesOutSharesWhoseSizesAreOpen) {
  PlanReport plan = some_plan();
  plan.coverage.types.int8.macs = plan.coverage.types.half.macs = plan.coverage.types.float32.macs = 0;
  EXPECT_THAT(to_text(plan), AllOf(Not(HasSubstr("  MACs ")), HasSubstr("  activation bytes   10.0 %")));
}

CastReport some_cast() {
  CastReport report;
  report.floats = *some_plan().floats;
  report.output = "out.onnx";
  report.pairs = KeptPairs{.quantizers = 3,
                           .dequantizers = 5,
                           .code_constants = 2,
                           .stored_codes = 1,
                           .scale_type = "float16",
                           .scales = 40,
                           .rounded_scales = 30,
                           .largest_change = 0.00048,
                           .small_scales = 2,
                           .float32_scales = 1};
  return report;
}

TEST(FloatsText, OfACastModelCountsPairsAndRoundedScales) {
  EXPECT_THAT(to_text(some_cast()),
              AllOf(HasSubstr("kept 3 QuantizeLinear and 5 DequantizeLinear with every code and zero point\n"),
                    HasSubstr("  1 constant stored as the codes that QuantizeLinear made\n"),
                    HasSubstr("  30 of 40 scales rounded to float16, by 0.048 % at most\n"),
                    HasSubstr("  2 scales near 0 changed by more"), HasSubstr("  1 scale stayed float32")));
}

TEST(FloatsText, OfACastModelWithFloat32ScalesSaysThatTheyAreUnchanged) {
  CastReport report = some_cast();
  report.pairs->scale_type = "float32";
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("  40 scales unchanged, in float32\n"), Not(HasSubstr("rounded"))));
}

TEST(FloatsText, OfACastFloatModelSaysNothingOfPairs) {
  CastReport report = some_cast();
  report.pairs.reset();
  EXPECT_THAT(to_text(report), AllOf(Not(HasSubstr("kept")), Not(HasSubstr("scale"))));
}

TEST(FloatsText, SaysThatPairsBoundTheValuesWithoutSamples) {
  CastReport report = some_cast();
  report.floats.values_measured = false;
  report.floats.values_bounded = true;
  EXPECT_THAT(to_text(report),
              AllOf(HasSubstr("no sample was run: the scales of pairs and the weights bound the values"),
                    Not(HasSubstr("measured 0"))));
}

TEST(FloatsText, SaysOnceThatNoValueWasMeasured) {
  PlanReport plan = some_plan();
  plan.floats->values_measured = false;
  const std::string text = to_text(plan);
  EXPECT_THAT(text, HasSubstr("no value was measured: with --data"));
  EXPECT_EQ(text.find("no value was measured"), text.rfind("no value was measured"));
}

TEST(FloatsText, CapsReasonsUnlessAllAreAskedFor) {
  PlanReport plan = some_plan();
  plan.floats->exceptions.clear();
  for (int i = 0; i < 30; ++i)
    plan.floats->exceptions.push_back({"n" + std::to_string(i), "Mul", "overflow", "v" + std::to_string(i), 7e4,
                                       "'v" + std::to_string(i) + "' reaches 70000"});
  EXPECT_THAT(to_text(plan),
              AllOf(HasSubstr("n19 (Mul)"), Not(HasSubstr("n20 (Mul)")),
                    HasSubstr("  float32: 10 more nodes for 10 other reasons\n"), HasSubstr("--all lists everything")));
  EXPECT_THAT(to_text(plan, Lists::All), AllOf(HasSubstr("n29 (Mul)"), Not(HasSubstr("more nodes"))));
}

TEST(FloatsText, OfCastHasSharesToo) {
  CastReport report{.floats = some_floats()};
  report.coverage.types = {.half = {99, 98}, .float32 = {1, 2}};
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("  MACs                0.0 %   99.0 %    1.0 %\n"),
                                     HasSubstr("  activation bytes    0.0 %   98.0 %    2.0 %\n")));
}

TEST(FloatsJson, AlwaysHasTheFieldsOfCoverage) {
  for (const PlanReport& plan : {some_plan(), plan_without_halves(), PlanReport{}}) {
    const Document coverage = Document::parse(to_json(plan)).at("coverage");
    for (const char* type : {"int8", "half", "float32"}) {
      EXPECT_EQ(coverage.at("types").at(type).size(), 2U);
      EXPECT_TRUE(coverage["types"][type].contains("macs") && coverage["types"][type].contains("activation_bytes"));
    }
    EXPECT_EQ(coverage.at("casts"), plan.coverage.casts);
  }
  EXPECT_EQ(Document::parse(to_json(some_plan()))["coverage"]["types"]["half"]["activation_bytes"], 50);
  EXPECT_EQ(Document::parse(to_json(CastReport{}))["coverage"]["casts"], 0);
}

TEST(FloatsJson, OfAPlanListsEveryException) {
  const Document floats = Document::parse(to_json(some_plan())).at("float_types");
  EXPECT_EQ(floats["values_measured"], true);
  ASSERT_EQ(floats["exceptions"].size(), 4U);
  EXPECT_EQ(floats["exceptions"][0]["measured"], 71234.0);
  EXPECT_TRUE(floats["exceptions"][2]["measured"].is_null()) << "nothing was";
  EXPECT_TRUE(Document::parse(to_json(plan_without_halves())).at("float_types").is_null());
}

TEST(FloatsJson, OfAModelCountsNodesByType) {
  ModelReport report;
  EXPECT_EQ(Document::parse(to_json(report)).at("float_nodes"), Document::object());
  EXPECT_THAT(to_text(report), Not(HasSubstr("floats")));
  report.float_nodes = {{"float", 7}};
  EXPECT_THAT(to_text(report), Not(HasSubstr("floats"))) << "one type needs no word";
  report.float_nodes["float16"] = 34;
  report.float_casts = 1;
  EXPECT_EQ(Document::parse(to_json(report))["float_nodes"], Document({{"float", 7}, {"float16", 34}}));
  EXPECT_THAT(to_text(report), HasSubstr("  floats      7 nodes in float, 34 in float16, 1 cast\n"));
}

TEST(FloatsPage, HasTheSectionOnPagesOfQuantizePlanAndCompare) {
  CompareCalibratorsReport comparison;
  comparison.plan = some_plan();
  comparison.provenance.producer = "detent 0.1.0";
  for (const std::string& page : {to_html(some_plan()), to_html(some_quantization(some_plan())), to_html(comparison)}) {
    EXPECT_EQ(nesting_fault(page), "");
    EXPECT_THAT(page, AllOf(HasSubstr("<a href=\"#floats\">16-bit floats</a>"),
                            HasSubstr("<dt>nodes in float16</dt><dd class=\"number\">90</dd>"),
                            HasSubstr("<dt>casts added</dt><dd class=\"number\">6</dd>"),
                            HasSubstr("<table id=\"type-shares\">"), HasSubstr(">20.0 %</td>"),
                            HasSubstr("and 1 other node<p class=\"reason\">&#39;u&#39; reaches 71234</p>"),
                            HasSubstr("data-key=\"71234\">"), HasSubstr("Every node in FP32: 4")));
    EXPECT_THAT(page, Not(HasSubstr("o value was measured")));
  }
  EXPECT_THAT(to_html(some_quantization(some_plan())), HasSubstr("float16 where values allow it"));
}

TEST(FloatsPage, OfFloat32AloneHasNoSectionAndNoShares) {
  const PlanReport plan = plan_without_halves();
  for (const std::string& page : {to_html(plan), to_html(some_quantization(plan))})
    EXPECT_THAT(page, AllOf(Not(HasSubstr("id=\"floats\"")), Not(HasSubstr("type-shares")),
                            Not(HasSubstr("where values allow it"))));
}

TEST(FloatsPage, WithoutExceptionsHasNoEmptyTable) {
  PlanReport plan = some_plan();
  plan.floats->exceptions.clear();
  EXPECT_THAT(to_html(plan),
              AllOf(HasSubstr("id=\"floats\""), Not(HasSubstr("float-reasons")), Not(HasSubstr("float-nodes"))));
}

TEST(FloatsPage, EscapesNames) {
  PlanReport plan = some_plan();
  plan.floats->type = kHostileName;
  plan.floats->exceptions = {{kHostileName, kHostileName, kHostileName, kHostileName, 1, kHostileName}};
  plan.floats->values_measured = false;
  const std::string page = to_html(plan);
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_THAT(page, AllOf(Not(HasSubstr("alert('1')")), HasSubstr("o value was measured")));
}

}  // namespace
}  // namespace detent
