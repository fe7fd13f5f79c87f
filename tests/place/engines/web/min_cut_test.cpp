#include "place/engines/web/min_cut.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

// A chain of three layers whose middle one is cheap on the sink's side only if the conversions around it are cheap.
std::vector<bool> chain(int64_t conversion) {
  MinCut cut;
  const size_t first = cut.add_node(), middle = cut.add_node(), last = cut.add_node();
  for (const size_t node : {first, last}) cut.add_pipe(MinCut::kSource, node, 10), cut.add_pipe(node, MinCut::kSink, 1);
  cut.add_pipe(MinCut::kSource, middle, 1);
  cut.add_pipe(middle, MinCut::kSink, 5);
  cut.add_pipe(first, middle, conversion);
  cut.add_pipe(last, middle, conversion);
  const std::vector<bool> side = cut.sink_side();
  return {side[first], side[middle], side[last]};
}

TEST(MinCutTest, TakesTheCheaperSideOfEachNode) {
  EXPECT_EQ(chain(1), (std::vector<bool>{false, true, false})) << "1 + 2 conversions for 5";
  EXPECT_EQ(chain(3), (std::vector<bool>{false, false, false})) << "1 + 6 for 5";
}

TEST(MinCutTest, LeavesATieOnTheSourcesSide) {
  EXPECT_EQ(chain(2), (std::vector<bool>{false, false, false}));
  MinCut alone;
  const size_t node = alone.add_node();
  EXPECT_FALSE(alone.sink_side()[node]) << "nothing holds it";
}

TEST(MinCutTest, NeverCutsWhatIsUncuttable) {
  MinCut cut;
  const size_t node = cut.add_node();
  cut.add_pipe(MinCut::kSource, node, 7);
  cut.add_pipe(node, MinCut::kSink, MinCut::kUncuttable);
  EXPECT_TRUE(cut.sink_side()[node]);
}

TEST(MinCutTest, BacksOutOfDeadEnds) {
  MinCut cut;
  const size_t a = cut.add_node(), dead = cut.add_node(), b = cut.add_node();
  cut.add_pipe(MinCut::kSource, a, 4);
  cut.add_pipe(a, dead, 4);
  cut.add_pipe(a, b, 2);
  cut.add_pipe(b, MinCut::kSink, 9);
  const std::vector<bool> side = cut.sink_side();
  EXPECT_FALSE(side[a]);
  EXPECT_FALSE(side[dead]);
  EXPECT_TRUE(side[b]);
}

}  // namespace
}  // namespace detent
