#include "model/graph/ids.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

template <class Map, class Index>
concept TakesIndex = requires(Map map, Index index) {
  map[index];
};

static_assert(TakesIndex<NodeMap<int>, NodeId> && TakesIndex<ValueMap<int>, ValueId>);
static_assert(!TakesIndex<NodeMap<int>, ValueId> && !TakesIndex<ValueMap<int>, NodeId>, "an id of another kind");
static_assert(!TakesIndex<NodeMap<int>, size_t> && !TakesIndex<NodeMap<int>, int>, "a number");
static_assert(!std::convertible_to<NodeId, ValueId> && !std::convertible_to<NodeId, int>);
static_assert(!std::convertible_to<int, NodeId>);

TEST(IdMap, HoldsOneElementForEachId) {
  NodeMap<bool> marked(3);
  marked[NodeId{1}] = true;
  EXPECT_EQ(std::vector<bool>(marked.begin(), marked.end()), (std::vector<bool>{false, true, false}));
}

TEST(IdMap, ContainsTheIdsOfItsGraph) {
  const ValueMap<int> known(3, -1);
  EXPECT_TRUE(known.contains(ValueId{2}));
  EXPECT_FALSE(known.contains(ValueId{3}));
  EXPECT_FALSE(known.contains(kNoValue));
}

}  // namespace
}  // namespace detent
