#include "model/patch_union.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace detent {
namespace {

using ::testing::SizeIs;

const char* const kUnionChain = R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] x) => (float[N, 3] y) { a = Relu (x)  y = Abs (a) })";

/// Passes `a` through a Mul by `factor`, read by the Abs.
GraphPatch scaled(float factor) {
  GraphPatch patch;
  patch.reason = "scale a";
  patch.add_initializers = {{"factor", Tensor::scalar(factor)}};
  patch.add_nodes = {{"Mul", "scale", {"a", "factor"}, {"scaled"}, {}, ""}};
  patch.rewire = {{"Abs_1", 0, "scaled"}};
  return patch;
}

TEST(PatchUnion, HoldsEqualConstantsAndNodesOnce) {
  const Model model = parse_model_text(kUnionChain);
  PatchUnion both(model.graph());
  const auto first = both.add(scaled(2));
  const auto second = both.add(scaled(2));
  EXPECT_THAT(both.patch().add_nodes, SizeIs(1));
  EXPECT_THAT(both.patch().add_initializers, SizeIs(1));
  EXPECT_EQ(first.rewire.front().value, second.rewire.front().value);
}

TEST(PatchUnion, KeepsOtherContentOfTheSameNameApart) {
  const Model model = parse_model_text(kUnionChain);
  PatchUnion both(model.graph());
  const auto first = both.add(scaled(2));
  const auto second = both.add(scaled(3));
  EXPECT_THAT(both.patch().add_nodes, SizeIs(2));
  EXPECT_NE(first.rewire.front().value, second.rewire.front().value);
  Model united = model.clone();
  apply_patch(united, both.patch());  // a valid graph
  EXPECT_NE(united.graph().find_value(first.rewire.front().value), kNoValue);
  EXPECT_NE(united.graph().find_value(second.rewire.front().value), kNoValue);
}

TEST(PatchUnion, SaysWhatARenamedOutputIsCalledHere) {
  const Model model = parse_model_text(kUnionChain);
  GraphPatch patch;
  patch.reason = "a pair on the output";
  patch.rename_outputs = {{"Abs_1", 0, "y_float"}};
  patch.add_nodes = {{"Identity", "pair", {"y_float"}, {"y"}, {}, ""}};
  PatchUnion one(model.graph());
  const auto variant = one.add(patch);
  EXPECT_EQ(variant.value("y_float"), "y");
  EXPECT_NE(variant.value("y"), "y");
  EXPECT_EQ(one.patch().add_nodes.front().inputs.front(), "y");
  EXPECT_EQ(variant.value("a"), "a");
}

// A reader of the old name would read the node without the pair.
TEST(PatchUnion, RefusesARenamedOutputThatLeavesAReader) {
  const Model model = parse_model_text(kUnionChain);
  GraphPatch patch;
  patch.reason = "a pair inside";
  patch.rename_outputs = {{"Relu_0", 0, "a_float"}};
  patch.add_nodes = {{"Identity", "pair", {"a_float"}, {"a"}, {}, ""}};
  EXPECT_THROW((void)PatchUnion(model.graph()).add(patch), Error);
  patch.rewire = {{"Abs_1", 0, "a"}};
  EXPECT_EQ(PatchUnion(model.graph()).add(patch).value("a_float"), "a");
}

TEST(PatchUnion, RefusesAPatchThatRemoves) {
  const Model model = parse_model_text(kUnionChain);
  GraphPatch patch;
  patch.remove_nodes = {"Abs_1"};
  PatchUnion one(model.graph());
  EXPECT_THROW(static_cast<void>(one.add(patch)), Error);
}

}  // namespace
}  // namespace detent
