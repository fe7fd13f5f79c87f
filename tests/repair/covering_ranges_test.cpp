#include "repair/covering_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

/// x and z are inputs; pairs stand on the named values, with a scale of 1 for codes of -128 to 127 around a zero point.
class CoveringRanges : public ::testing::Test {
 protected:
  /// Returns the range of "v".
  std::optional<CoveringRange> cover(const std::string& nodes,
                                     const std::map<std::string, std::pair<float, int>>& pairs,
                                     RangeKind kind = RangeKind::Symmetric) {
    const Model model = parse_model_text(
        "<ir_version: 8, opset_import: [\"\" : 17]> g (float[1,4,4,4] x, float[1,4,4,4] z) => (float[N] y, float[N] u) "
        "<int64[1] zero = {0}, int64[1] two = {2}, int64[1] four = {4}, int64[1] axis = {1}, int64[2] flat = {1, -1}> "
        "{ " +
        nodes + " }");
    std::map<std::string, QdqNode> grids;
    std::map<std::string, const QdqNode*> named;
    for (const auto& [name, grid] : pairs) {
      grids[name].codes = kind == RangeKind::Symmetric ? DataType::Int8 : DataType::UInt8;
      grids[name].scales = {grid.first}, grids[name].zero_points = {grid.second};
      named[name] = &grids[name];
    }
    return covering_ranges(model.graph(), named, kind)[*model.graph().find_value("v")];
  }
};

TEST_F(CoveringRanges, AreThoseOfTheOwnPairFirst) {
  const auto own = cover("v = Reshape (x, flat)  y = Neg (v)  u = Neg (z)", {{"v", {1, 0}}, {"x", {2, 0}}});
  EXPECT_EQ(own->steps, 0U);
  EXPECT_EQ(own->range.max, 127);
}

TEST_F(CoveringRanges, OfAnInputCoverAPadWith0Alone) {
  const std::string pad =
      "p = Constant <value = int64[8] {0, 0, 1, 1, 0, 0, 1, 1}> ()  "
      "n = Constant <value = float {-1}> ()  y = Neg (v)  u = Neg (x)  v = Pad ";
  EXPECT_TRUE(cover(pad + "(x, p)", {{"x", {1, 0}}}));
  EXPECT_FALSE(cover(pad + "(x, p, n)", {{"x", {1, 0}}}));
}

TEST_F(CoveringRanges, AConcatHasTheWidestOfAllItsInputs) {
  const std::string concat = "v = Concat <axis = 1> (x, z)  y = Neg (v)  u = Neg (x)";
  const auto both = cover(concat, {{"x", {1, 0}}, {"z", {8, 0}}});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->range.given_scale, 8);
  EXPECT_EQ(both->from, "z");
  EXPECT_FALSE(cover(concat, {{"x", {1, 0}}})) << "nothing is known of the other input";
}

TEST_F(CoveringRanges, AnInputOfAConcatHasTheRangeBehindItWhateverItsSlot) {
  for (const char* order : {"(v, z)", "(z, v)"}) {
    const auto behind = cover("v = Neg (x)  c = Concat <axis = 1> " + std::string(order) + "  y = Neg (c)  u = Exp (v)",
                              {{"c", {8, 0}}, {"z", {1, 0}}});
    ASSERT_TRUE(behind) << order;
    EXPECT_EQ(behind->range.given_scale, 8) << order;
    EXPECT_EQ(behind->from, "c");
  }
}

TEST_F(CoveringRanges, APartSaysNothingOfWhatAnotherReaderTakes) {
  const std::string part = "v = Neg (x)  s = Slice (v, zero, two, axis)  y = Neg (s)  ";
  EXPECT_FALSE(cover(part + "u = Exp (v)", {{"s", {1, 0}}}));
  EXPECT_TRUE(cover(part + "u = Exp (z)", {{"s", {1, 0}}})) << "the rest has no reader";
  const std::string rest = part + "t = Slice (v, two, four, axis)  u = Neg (t)";
  EXPECT_FALSE(cover(rest, {{"s", {1, 0}}}));
  const auto both = cover(rest, {{"s", {1, 0}}, {"t", {8, 0}}});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->range.given_scale, 8);
}

TEST_F(CoveringRanges, ARangeBehindAReluSaysNothingOfNegativeNumbersThatAnotherReaderTakes) {
  const std::string behind = "v = Neg (x)  s = Reshape (v, flat)  r = Relu (s)  y = Neg (r)  ";
  EXPECT_TRUE(cover(behind + "u = Exp (z)", {{"r", {1, 0}}}, RangeKind::Asymmetric));
  EXPECT_FALSE(cover(behind + "u = Exp (v)", {{"r", {1, 0}}}, RangeKind::Asymmetric));
  EXPECT_TRUE(cover(behind + "u = Exp (v)", {{"s", {1, 0}}}, RangeKind::Asymmetric)) << "in front of the Relu";
}

TEST_F(CoveringRanges, AMaxPoolKeepsTheLargestNumbersOfAReluAlone) {
  const std::string pool = "p = MaxPool <kernel_shape = [2, 2]> (v)  y = Neg (p)  u = Exp (v)";
  EXPECT_TRUE(cover("v = Relu (x)  " + pool, {{"p", {1, 0}}}));
  EXPECT_FALSE(cover("v = Neg (x)  " + pool, {{"p", {1, 0}}}));
}

TEST_F(CoveringRanges, IntervalsOfWhichNeitherCoversTheOtherAreJoined) {
  const std::string concat = "v = Concat <axis = 1> (x, z)  y = Neg (v)  u = Neg (x)";
  const auto joined = cover(concat, {{"x", {1, 0}}, {"z", {1, 255}}}, RangeKind::Asymmetric);
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->range, (Range{-255, 255}));
  const auto one = cover(concat, {{"x", {1, 128}}, {"z", {4, 128}}}, RangeKind::Asymmetric);
  EXPECT_EQ(one->range.given_scale, 4);
  EXPECT_EQ(one->range.given_zero_point, 128);
}

TEST_F(CoveringRanges, AReluTakesCodesFromZeroUpWithTheScaleOfAnyZeroPoint) {
  const std::string nodes = "v = Relu (x)  y = Neg (v)  u = Neg (z)";
  for (const int point : {128, 124, 3, 0}) {
    const auto found = cover(nodes, {{"v", {2, point}}}, RangeKind::Asymmetric);
    EXPECT_EQ(found->range, (Range{0, 510, 2, 0})) << point;
    EXPECT_EQ(found->written.min, -2.0F * static_cast<float>(point));
  }
  EXPECT_EQ(cover("v = Neg (x)  y = Neg (v)  u = Neg (z)", {{"v", {2, 124}}}, RangeKind::Asymmetric)->range.min, -248);
}

TEST_F(CoveringRanges, ThePositiveNumbersOfAllInputsMakeAConcatPositive) {
  const std::string concat = "a = Relu (x)  v = Concat <axis = 1> (a, b)  y = Neg (v)  u = Neg (x)";
  const std::map<std::string, std::pair<float, int>> pair{{"v", {1, 128}}};
  EXPECT_EQ(cover("b = Relu (z)  " + concat, pair, RangeKind::Asymmetric)->range.min, 0);
  EXPECT_EQ(cover("b = Neg (z)  " + concat, pair, RangeKind::Asymmetric)->range.min, -128);
}

}  // namespace
}  // namespace detent
