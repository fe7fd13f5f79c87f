#include "model/graph/ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ranges>

namespace detent {
namespace {

template <class Map, class Index>
concept TakesIndex = requires(Map map, Index index) {
  map[index];
};

static_assert(TakesIndex<NodeMap<int>, NodeId> && TakesIndex<ValueMap<int>, ValueId>);
static_assert(!TakesIndex<NodeMap<int>, ValueId> && !TakesIndex<ValueMap<int>, NodeId>, "an id of another kind");
static_assert(!TakesIndex<NodeMap<int>, size_t> && !TakesIndex<NodeMap<int>, int>, "a number");
static_assert(!TakesIndex<NodeMap<int>, MaybeNode> && !TakesIndex<ValueMap<int>, MaybeValue>,
              "an id that may be absent");
static_assert(!std::convertible_to<NodeId, ValueId> && !std::convertible_to<NodeId, int>);
static_assert(!std::convertible_to<int, NodeId>);
static_assert(std::convertible_to<ValueId, MaybeValue> && !std::convertible_to<MaybeValue, ValueId>);
static_assert(!std::convertible_to<NodeId, MaybeValue> && !std::convertible_to<MaybeValue, bool>);

TEST(IdMap, HoldsOneElementForEachId) {
  NodeMap<bool> marked(3);
  marked[NodeId{1}] = true;
  EXPECT_EQ(std::vector<bool>(marked.begin(), marked.end()), (std::vector<bool>{false, true, false}));
}

TEST(IdMap, ContainsTheIdsOfItsGraph) {
  const ValueMap<int> known(3, -1);
  EXPECT_TRUE(known.contains(ValueId{2}));
  EXPECT_FALSE(known.contains(ValueId{3}));
}

TEST(Maybe, GivesTheIdThatItHolds) {
  const MaybeValue value = ValueId{0};
  EXPECT_TRUE(value);
  EXPECT_EQ(*value, ValueId{0});
  EXPECT_EQ(value, ValueId{0});
  EXPECT_NE(value, kNoValue);
}

TEST(Maybe, RefusesToGiveAnAbsentId) {
  EXPECT_FALSE(kNoNode);
  EXPECT_EQ(MaybeNode(), kNoNode);
  EXPECT_LT(kNoNode, MaybeNode(NodeId{0}));
  try {
    static_cast<void>(*kNoNode);
    FAIL() << "an absent id was given";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Internal);
  }
}

TEST(Present, GoesThroughTheOperandsThatAreThere) {
  const std::vector<MaybeValue> operands{kNoValue, ValueId{4}, kNoValue, kNoValue, ValueId{2}, kNoValue};
  std::vector<ValueId> found;
  for (const ValueId value : present(operands)) found.push_back(value);
  EXPECT_THAT(found, testing::ElementsAre(ValueId{4}, ValueId{2}));
  EXPECT_EQ(std::ranges::distance(present(operands)), 2);
  const std::vector<MaybeValue> absent(3);
  for (const ValueId value : present(absent)) ADD_FAILURE() << index_of(value);
}

}  // namespace
}  // namespace detent
