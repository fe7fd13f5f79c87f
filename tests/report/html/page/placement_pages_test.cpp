// The pages of plan and lint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html/dangling_reference.h"
#include "report/html/nesting_fault.h"
#include "report/html/page.h"

namespace detent {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

PlanReport plan_of_page() {
  PlanReport plan;
  plan.model = "folder/net.onnx", plan.target = "tensorrt:10.13";
  plan.opset = 13, plan.nodes = 4;
  plan.layers = {{"conv1", "Conv", Runs::Int8, "R1 weighted op", "constant weight", 10, 5},
                 {"head", "Conv", Runs::Float, "R12 user", "excluded", 30, 5}};
  plan.edges = {{"x", "conv1", "Conv", 0, Reads::Pair, 3, "R1 weighted op", "data input"},
                {"a", "relu", "Relu", 0, Reads::Float, std::nullopt, "-", "no rule"}};
  plan.notes = {"a note of the plan"};
  plan.coverage = {2, 1, 40, 10, 10, 5, 100, 50, 1};
  plan.quantized_values = 1;
  plan.equalizable = {{"gate", {"a", "b"}}, {"linear", {"c"}}};
  return plan;
}

LintReport small_lint() {
  LintReport report;
  report.plan = plan_of_page();
  report.plan.edges.clear();
  report.plan.equalizable.reset();
  report.origin = "qdq", report.codes = "UINT8 with zero points", report.built_for = "onnxruntime",
  report.following = 2;
  report.findings = {{"uint8-codes", "error", "q1", "holds UINT8 codes", "quantize to INT8", 0.25},
                     {"uint8-codes", "error", "q2", "holds UINT8 codes", "quantize to INT8", 0},
                     {"float-island", "warning", "relu", "an op in float", "quantize it", 0}};
  return report;
}

TEST(PlanPage, HoldsEveryLayerEdgeAndNoteAndWhatCouldBeEqualized) {
  const std::string page = to_html(plan_of_page());
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("<strong>1 pair</strong> on 1 value: 1 of 2 weighted layers would run in INT8."),
                          HasSubstr("id=\"coverage\""), HasSubstr("<table id=\"layers\""), HasSubstr("id=\"edges\""),
                          HasSubstr("a note of the plan"),
                          HasSubstr("Equalizable: 2 values at gates, 1 linear (<code>--equalize gate,linear</code>)")));
  EXPECT_THAT(page, Not(HasSubstr("id=\"values\""))) << "there was no data";
}

TEST(PlanPage, ListsNodesWith16BitActivationsAndNamesTheTypeOfTheirLayersAndEdgesAlike) {
  PlanReport plan = plan_of_page();
  EXPECT_THAT(to_html(plan), AllOf(Not(HasSubstr("id=\"wide-nodes\"")), Not(HasSubstr(">A16W8<"))));
  plan.wide_nodes = {{"conv1", "Conv", "H6 island", "8 bits cost too much"}};
  plan.layers[0].runs = Runs::A16W8;
  plan.edges[0].codes = CodeType::A16W8;
  const std::string page = to_html(plan);
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("id=\"wide-nodes\""), HasSubstr("16-bit activations: 1 node"),
                          HasSubstr("8 bits cost too much")));
  const auto layers = page.find("<table id=\"layers\""), edges = page.find("<table id=\"edges\"");
  ASSERT_LT(layers, edges);
  EXPECT_LT(page.find(">A16W8<", layers), edges) << "the layer";
  EXPECT_NE(page.find(">A16W8<", edges), std::string::npos) << "the codes that it reads";
}

TEST(PlanPage, OfNothingStands) {
  const std::string page = to_html(PlanReport{});
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("Nothing would be quantized."), Not(HasSubstr("id=\"equalizable\""))));
}

TEST(LintPage, CountsTheFindingsAndListsKindsWithTheirCureAndEachFinding) {
  const std::string page = to_html(small_lint());
  EXPECT_EQ(nesting_fault(page), "");
  EXPECT_EQ(dangling_reference(page), "");
  EXPECT_THAT(
      page,
      AllOf(
          HasSubstr("<strong class=\"broken\">2 errors, 1 warning, 0 notes</strong> for tensorrt:10.13."),
          HasSubstr(
              "<li>Built for onnxruntime: UINT8 with zero points; 2 of 3 findings for tensorrt follow from that.</li>"),
          HasSubstr("<code>uint8-codes</code><p class=\"reason\">quantize to INT8</p></th><td "
                    "class=\"number\" data-key=\"2\">2</td>"),
          HasSubstr("<code>q2</code>"), HasSubstr("data-search=\"finding-table\""), HasSubstr(">25.0 %<")));
}

TEST(LintPage, WithoutFindingsSaysSo) {
  LintReport report = small_lint();
  report.findings.clear(), report.built_for.clear();
  EXPECT_THAT(to_html(report), AllOf(HasSubstr("<strong class=\"good\">No finding</strong> for tensorrt:10.13."),
                                     Not(HasSubstr("id=\"findings\"")), Not(HasSubstr("Built for"))));
  report.origin = "float";
  EXPECT_THAT(to_html(report), HasSubstr("there is nothing to check"));
}

TEST(PlanAndLintPages, EscapeEveryNameThatComesFromOutside) {
  LintReport report = small_lint();
  PlanReport plan = plan_of_page();
  plan.model = plan.target = plan.layers[0].name = plan.layers[1].reason = plan.edges[0].value = plan.notes[0] =
      (*plan.equalizable)[0].values[0] = (*plan.equalizable)[0].family = kHostile;
  report.plan = plan;
  report.codes = report.built_for = kHostile;
  report.findings[0] = {kHostile, kHostile, kHostile, kHostile, kHostile, 0};
  for (const std::string& page : {to_html(plan), to_html(report)}) {
    EXPECT_EQ(nesting_fault(page), "");
    EXPECT_EQ(dangling_reference(page), "");
    EXPECT_EQ(page.find("<script>"), page.rfind("<script>"));
    EXPECT_THAT(page, Not(HasSubstr("alert('1')")));
  }
}

}  // namespace
}  // namespace detent
