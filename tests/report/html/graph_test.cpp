
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/build/sections.h"
#include "report/html/document.h"
#include "report/html/graph_view.h"

namespace detent::html {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string graph_section(const PlanReport& plan, const std::vector<LintReport::Finding>& findings) {
  return section_markup(build::graph(plan, findings));
}

/// x -> Cast -> conv<1> (INT8, behind a pair) -> head (FP32) -> y; and x -> Shape -> s.
PlanReport plan() {
  PlanReport plan;
  plan.graph.nodes = {{"cast", "Cast", NodeType::Float16, {"x"}, {"x16"}},
                      {"conv<1>", "Conv", NodeType::Codes, {"x16", ""}, {"a"}},
                      {"head", "Conv", NodeType::Float32, {"a"}, {"y"}},
                      {"shape", "Shape", NodeType::Other, {"x"}, {"s"}}};
  plan.graph.outputs = {"y", "s"};
  plan.edges = {{"x16", "conv<1>", "Conv", 0, Reads::Pair, std::nullopt, "R1 weighted op", "data of a kernel"},
                {"a", "head", "Conv", 0, Reads::Float, std::nullopt, "-", "it was excluded"}};
  plan.layers = {{"conv<1>", "Conv", Runs::Int8, "R1 weighted op", "quantized", 1, 1},
                 {"head", "Conv", Runs::Float, "R12 user", "excluded", 1, 1}};
  return plan;
}

TEST(GraphView, InputsAndOutputsAreNodesAndACastIsAMark) {
  const PlanReport report = plan();
  const GraphView view = view_graph(report, {});
  std::vector<std::string> names;
  for (const auto& node : view.nodes) names.push_back(node.op + " " + node.name);
  EXPECT_THAT(names,
              testing::ElementsAre("Input x", "Conv conv<1>", "Conv head", "Shape shape", "Output y", "Output s"));
  ASSERT_EQ(view.arcs.size(), 5);
  EXPECT_EQ(view.arcs[0].value, "x");
  EXPECT_EQ(view.arcs[0].cast, NodeType::Float16);
  ASSERT_NE(view.arcs[0].edge, nullptr);
  EXPECT_EQ(view.arcs[0].edge->reads, Reads::Pair);
  EXPECT_FALSE(view.arcs[2].cast);
  for (const auto& arc : view.arcs) EXPECT_LT(arc.from, arc.to);
}

TEST(GraphView, ACastBehindAPairOrToIntegersIsANode) {
  PlanReport report = plan();
  report.edges.push_back({"x", "cast", "Cast", 0, Reads::Pair, std::nullopt, "R1", "a pair in front of the cast"});
  EXPECT_EQ(view_graph(report, {}).nodes[1].op, "Cast");
  report = plan();
  report.graph.nodes[0].type = NodeType::Other;
  EXPECT_EQ(view_graph(report, {}).nodes[1].op, "Cast");
}

TEST(GraphSection, SaysTypesByColourAndWordMarksPairsAndEscapesNames) {
  const std::string html = graph_section(plan(), {});
  EXPECT_THAT(html, AllOf(HasSubstr("class=\"int8\""), HasSubstr(">INT8</text>"), HasSubstr("class=\"fp32\""),
                          HasSubstr(">FP32</text>"), HasSubstr("<g class=\"mark pair\">"),
                          HasSubstr("<g class=\"mark cast\">"), HasSubstr("Pair on x: data of a kernel")));
  EXPECT_THAT(html, AllOf(HasSubstr("conv&lt;1&gt;"), Not(HasSubstr("conv<1>"))));
}

TEST(GraphSection, TheListHoldsTheReasonsOfLayersEdgesAndFindings) {
  const LintReport::Finding finding{"layer-left-float", "warning", "head", "runs in float <b>", "cure", 0.1};
  const std::string html = graph_section(plan(), {finding});
  EXPECT_THAT(html, AllOf(HasSubstr("R1 weighted op: quantized"), HasSubstr("R12 user: excluded"),
                          HasSubstr("<p class=\"reason\">it was excluded</p>"), HasSubstr("cast to FP16")));
  EXPECT_THAT(html, AllOf(HasSubstr("layer-left-float: runs in float &lt;b&gt;"), HasSubstr("fp32 doubtful"),
                          HasSubstr("Conv head, FP32, warning")));
}

TEST(GraphSection, IsAbsentWithoutAGraphAndAListAloneForVeryManyNodes) {
  EXPECT_THAT(graph_section(PlanReport{}, {}), IsEmpty());
  PlanReport large;
  for (int i = 0; i < 5001; ++i) {
    const std::string before = i == 0 ? "x" : "v" + std::to_string(i - 1);
    large.graph.nodes.push_back(
        {"n" + std::to_string(i), "Relu", NodeType::Float32, {before}, {"v" + std::to_string(i)}});
  }
  EXPECT_THAT(graph_section(large, {}),
              AllOf(HasSubstr("Too large to draw"), HasSubstr("n5000"), Not(HasSubstr("<svg"))));
}

}  // namespace
}  // namespace detent::html
