#include "report/html/graph_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace detent::html {
namespace {

std::vector<GraphArc> chain(size_t nodes) {
  std::vector<GraphArc> arcs;
  for (size_t i = 1; i < nodes; ++i) arcs.push_back({i - 1, i});
  return arcs;
}

TEST(GraphLayout, NothingGivesAnEmptyDrawing) {
  const GraphLayout layout = lay_out(0, {});
  EXPECT_TRUE(layout.boxes.empty());
  EXPECT_EQ(layout.height, 0);
}

TEST(GraphLayout, ReadersStandBelowMakersAndInputsJustAboveTheirFirstReader) {
  // 0 -> 1 -> 2 -> 4, and 3 -> 4: node 3 reads nothing, so it stands beside 2 and not at the top.
  const std::vector<GraphArc> arcs{{0, 1}, {1, 2}, {2, 4}, {3, 4}};
  const GraphLayout layout = lay_out(5, arcs);
  for (const GraphArc& arc : arcs) EXPECT_LT(layout.boxes[arc.from].y, layout.boxes[arc.to].y);
  EXPECT_EQ(layout.boxes[3].layer, 2);
  EXPECT_EQ(layout.boxes[4].layer, 3);
}

TEST(GraphLayout, AChainIsOneStraightColumn) {
  const auto arcs = chain(30);
  for (const auto& box : lay_out(30, arcs).boxes) EXPECT_NEAR(box.x, lay_out(30, arcs).boxes[0].x, 1e-9);
}

TEST(GraphLayout, BoxesAndTheLinesBetweenThemDoNotOverlap) {
  // Blocks with a long skip each, and four branches in the middle.
  std::vector<GraphArc> arcs = chain(40);
  for (size_t i = 0; i + 5 < 40; i += 5) arcs.push_back({i, i + 5});
  for (size_t i = 12; i < 16; ++i) arcs.push_back({10, i});
  const GraphLayout layout = lay_out(40, arcs);
  std::map<size_t, std::vector<double>> rows;
  for (const auto& box : layout.boxes) rows[box.layer].push_back(box.x);
  for (auto& [layer, lefts] : rows) {
    std::ranges::sort(lefts);
    for (size_t i = 1; i < lefts.size(); ++i) EXPECT_GE(lefts[i] - lefts[i - 1], GraphLayout::kBoxWidth);
  }
  EXPECT_FALSE(layout.trunks.empty());
  for (const auto& trunk : layout.trunks)
    for (const auto& box : layout.boxes)
      EXPECT_TRUE(box.y != trunk.to_y || trunk.to_x < box.x || trunk.to_x > box.x + GraphLayout::kBoxWidth);
  for (const auto& box : layout.boxes) {
    EXPECT_GE(box.x, 0);
    EXPECT_LE(box.x + GraphLayout::kBoxWidth, layout.width);
  }
}

TEST(GraphLayout, BranchesThatNeedNotCrossDoNot) {
  // 0 has readers 1 and 2; 3 reads 2, 4 reads 1. By index 3 would stand left of 4, and the arcs would cross.
  const std::vector<GraphArc> arcs{{0, 1}, {0, 2}, {2, 3}, {1, 4}};
  const GraphLayout layout = lay_out(5, arcs);
  EXPECT_EQ(layout.boxes[1].x < layout.boxes[2].x, layout.boxes[4].x < layout.boxes[3].x);
}

TEST(GraphLayout, AValueThatAllOfALongChainReadsSharesOneTrunkAndVeryManyAreCut) {
  auto arcs = chain(300);
  for (size_t i = 2; i < 300; ++i) arcs.push_back({0, i});
  const GraphLayout shared = lay_out(300, arcs);
  EXPECT_EQ(shared.trunks.size(), 298);  // layers 1 to 298
  for (const auto& arc : shared.arcs) EXPECT_FALSE(arc.cut);

  for (size_t from = 1; from < 150; ++from) arcs.push_back({from, 299});  // 149 trunks of 150 to 298 layers
  const GraphLayout cut = lay_out(300, arcs);
  EXPECT_LE(cut.trunks.size(), 40 * 300 + 1000);
  EXPECT_TRUE(std::ranges::any_of(cut.arcs, [](const auto& arc) { return arc.cut; }));
}

}  // namespace
}  // namespace detent::html
