#include "exec/shape_needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "exec/find_shapes.h"
#include "model/model.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns the names of the values whose elements may decide a shape, in the order of the graph.
std::vector<std::string> deciding(const std::string& text) {
  const Model model = parse_model_text(text);
  const ValueMap<bool> decides = values_that_decide_shapes(model.graph());
  std::vector<std::string> names;
  for (const Value& value : model.graph().values())
    if (decides[value.id]) names.push_back(value.name);
  return names;
}

constexpr const char* kHead = "<ir_version: 8, opset_import: [\"\" : 17]> ";

TEST(ShapeNeeds, ProductsAndElementwiseOperatorsDecideNothing) {
  EXPECT_THAT(
      deciding(std::string(kHead) +
               "g (float[2,3] x, float[3,4] w) => (float y) { p = MatMul (x, w)  r = Relu (p)  y = Add (r, p) }"),
      IsEmpty());
}

TEST(ShapeNeeds, TheSecondInputOfAReshapeDecidesWithAllThatMakesIt) {
  EXPECT_THAT(deciding(std::string(kHead) +
                       "g (float[2,3] x, int64[2] a, int64[2] b) => (float y) { s = Mul (a, b)  y = Reshape (x, s) }"),
              ElementsAre("a", "b", "s"));
}

/// Only the extents of x go into the shape, none of its elements.
TEST(ShapeNeeds, AShapeNodeEndsTheWayBack) {
  EXPECT_THAT(deciding(std::string(kHead) +
                       "g (float[2,3] x) => (float y) { p = Relu (x)  s = Shape (p)  y = Reshape (p, s) }"),
              ElementsAre("s"));
}

TEST(ShapeNeeds, AnOperatorThatCountsElementsDecidesWithItsInput) {
  EXPECT_THAT(deciding(std::string(kHead) + "g (float[2,3] x) => (int64 y) { p = Relu (x)  y = NonZero (p) }"),
              ElementsAre("x", "p"));
}

TEST(ShapeNeeds, WhatABranchReadsDecides) {
  EXPECT_THAT(deciding(std::string(kHead) + R"(g (float[2,3] x, bool c) => (float y) {
                p = Relu (x)
                y = If (c) <then_branch = t () => (float[2,3] u) { u = Relu (p) },
                            else_branch = e () => (float[2,3] v) { v = Neg (p) }> })"),
              ElementsAre("x", "c", "p"));
}

/// A product in front of a NonZero is computed after all: two elements are not zero, where skipping it would leave
/// none.
TEST(FindShapes, ComputesTheProductsThatDecideAShape) {
  const Model model = parse_model_text(std::string(kHead) +
                                       "g (float[1,2] x) => (int64 y) <float[2,3] w = {1, 0, 2, 0, 0, 3}> "
                                       "{ p = MatMul (x, w)  q = MatMul (x, w)  r = Relu (q)  y = NonZero (p) }");
  const Tensor x = Tensor::from<float>({1, 2}, {1.0F, 0.0F});
  const ValueShapes shapes = find_shapes(model.graph(), std::span(&x, 1));
  EXPECT_EQ(shapes.at(*model.graph().find_value("y")), Shape({2, 2}));
  EXPECT_EQ(shapes.at(*model.graph().find_value("r")), Shape({1, 3}));
}

/// 45 values, each joined with itself: 2^45 columns, none of which is computed; the values that a Reshape reads are.
TEST(FindShapes, ComputesNothingOfAJoinThatDecidesNoShape) {
  std::string nodes;
  for (int i = 0; i < 45; ++i) {
    const std::string before = i == 0 ? "x" : "v" + std::to_string(i - 1);
    nodes += "v" + std::to_string(i) + " = Concat <axis = 1> (" + before + ", " + before + ") ";
  }
  const Model model =
      parse_model_text(std::string(kHead) + "g (float[1,1] x, int64[1] n) => (float[A,B] y, float[C,D] z) { " + nodes +
                       "y = Relu (v44)  s = Concat <axis = 0> (n, n)  z = Reshape (v2, s) }");
  const std::vector<Tensor> inputs{Tensor::from<float>({1, 1}, {1.0F}), Tensor::from<int64_t>({1}, {-1})};
  EXPECT_THROW(static_cast<void>(find_shapes(model.graph(), inputs)), Error)
      << "{-1, -1} is no shape: it was looked at";
  const Model whole =
      parse_model_text(std::string(kHead) + "g (float[1,1] x) => (float[A,B] y) { " + nodes + "y = Relu (v44) }");
  EXPECT_EQ(find_shapes(whole.graph(), std::span(&inputs[0], 1)).at(*whole.graph().find_value("y")),
            Shape({1, int64_t{1} << 45}));
}

}  // namespace
}  // namespace detent
