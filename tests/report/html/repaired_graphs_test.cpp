#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "report/html/document.h"

namespace detent::html {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// x -> a -> b -> add with x, with pairs in front of the given inputs.
PlanReport plan(const std::vector<std::pair<std::string, int>>& paired) {
  PlanReport plan;
  plan.graph.nodes = {{"a", "Conv", NodeType::Codes, {"x", ""}, {"v"}},
                      {"b", "Relu", NodeType::Float32, {"v"}, {"w"}},
                      {"add", "Add", NodeType::Float32, {"w", "x"}, {"y"}}};
  plan.graph.outputs = {"y"};
  for (const auto& node : plan.graph.nodes)
    for (int slot = 0; slot < std::ssize(node.inputs); ++slot)
      if (std::ranges::count(paired, std::pair(node.name, slot)) > 0)
        plan.edges.push_back(
            {node.inputs[static_cast<size_t>(slot)], node.name, node.op, slot, Reads::Pair, {}, "-", "r"});
  return plan;
}

RepairReport report() {
  RepairReport report;
  report.before.plan = plan({{"a", 0}, {"b", 0}});
  report.lint.plan = plan({{"a", 0}, {"add", 0}, {"add", 1}});
  report.pairs = {{"x", "kept", "-", "r", ""}, {"w", "moved", "-", "r", "v"}};
  return report;
}

size_t count(const std::string& html, const std::string& text) {
  size_t found = 0;
  for (size_t at = html.find(text); at != std::string::npos; at = html.find(text, at + 1)) ++found;
  return found;
}

std::string graphs_of(const RepairReport& report) { return drawing_markup(document::RepairedGraphs{&report}); }

TEST(RepairedGraphsSection, MarksPairsByWhatBecomesOfThem) {
  const std::string html = graphs_of(report());
  const size_t after = html.find("<figcaption>After");
  ASSERT_NE(after, std::string::npos);
  const std::string first = html.substr(0, after), second = html.substr(after);
  EXPECT_THAT(first, HasSubstr("Pair on x, kept"));
  EXPECT_THAT(first, HasSubstr("Pair on v, moved"));
  EXPECT_THAT(second, HasSubstr("Pair on x, kept"));
  EXPECT_THAT(second, HasSubstr("Pair on w, moved"));
  EXPECT_THAT(second, HasSubstr("Pair on x, added"));  // the Add did not read the pair in the file
}

TEST(RepairedGraphsSection, MarksPairsThatGoInTheFirstDrawing) {
  RepairReport gone = report();
  gone.pairs = {{"x", "kept", "-", "r", ""}, {"v", "removed", "-", "r", ""}, {"w", "added", "-", "r", ""}};
  const std::string html = graphs_of(gone);
  EXPECT_THAT(html, HasSubstr("Pair on v, removed"));
  EXPECT_THAT(html, HasSubstr("Pair on w, added"));
  EXPECT_THAT(html, Not(HasSubstr("Pair on v, moved")));
}

TEST(RepairedGraphsSection, NumbersBoxesOfBothDrawingsOnce) {
  const std::string html = graphs_of(report());
  for (int box = 0; box < 10; ++box) EXPECT_EQ(count(html, "id=\"box-" + std::to_string(box) + "\""), 1U) << box;
  EXPECT_EQ(count(html, "id=\"box-10\""), 0U);
}

TEST(RepairedGraphsSection, IsEmptyWithoutGraphs) { EXPECT_THAT(graphs_of(RepairReport{}), IsEmpty()); }

}  // namespace
}  // namespace detent::html
