#include "repair/signs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

/// True when "v" is never negative. x and z are inputs.
bool is_positive(const std::string& nodes) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 17]> g (float[1,4,4,4] x, float[1,4,4,4] z) => (float[N] y) "
      "<float zero = {0}, float low = {-3}, float below = {-1}, int64[8] pads = {0, 0, 1, 1, 0, 0, 1, 1}, "
      "float[4] twice = {1, 1, 2, 2}> { " +
      nodes + "  y = Neg (v) }");
  return never_negative(model.graph())[*model.graph().find_value("v")];
}

TEST(NeverNegative, AreReluAndWhatKeepsItsSign) {
  EXPECT_TRUE(is_positive("v = Relu (x)"));
  EXPECT_TRUE(is_positive("v = Sigmoid (x)"));
  EXPECT_TRUE(is_positive("v = Clip (x, zero)"));
  EXPECT_TRUE(is_positive("r = Relu (x)  t = Transpose (r)  v = GlobalAveragePool (t)"));
  EXPECT_FALSE(is_positive("v = GlobalAveragePool (x)"));
  EXPECT_FALSE(is_positive("r = Relu (x)  v = Neg (r)"));
}

TEST(NeverNegative, AConcatOrAddIsWhereAllItsInputsAre) {
  for (const std::string op : {"Concat <axis = 1>", "Add", "Mul"}) {
    EXPECT_TRUE(is_positive("a = Relu (x)  b = Relu (z)  v = " + op + " (a, b)")) << op;
    EXPECT_FALSE(is_positive("a = Relu (x)  v = " + op + " (a, z)")) << op;
  }
}

TEST(NeverNegative, APadIsWhereWhatItBringsInIsNot) {
  EXPECT_TRUE(is_positive("r = Relu (x)  v = Pad (r, pads)"));
  EXPECT_TRUE(is_positive("r = Relu (x)  v = Pad (r, pads, zero)"));
  EXPECT_FALSE(is_positive("r = Relu (x)  v = Pad (r, pads, below)"));
  EXPECT_FALSE(is_positive("r = Relu (x)  n = ReduceMin <keepdims = 0> (x)  v = Pad (r, pads, n)"))
      << "a number that is only known when the network runs";
  for (const char* mode : {"reflect", "edge"})
    EXPECT_TRUE(is_positive("r = Relu (x)  v = Pad <mode = \"" + std::string(mode) + "\"> (r, pads, below)")) << mode;
}

TEST(NeverNegative, AClipIsNotWhereItsUpperBoundIsBelow0) {
  EXPECT_TRUE(is_positive("r = Relu (x)  v = Clip (r, low)"));
  EXPECT_FALSE(is_positive("r = Relu (x)  v = Clip (r, low, below)"));
  EXPECT_FALSE(is_positive("r = Relu (x)  n = ReduceMin <keepdims = 0> (x)  v = Clip (r, , n)"));
}

TEST(NeverNegative, ACubicResizeGoesBelowItsInput) {
  const std::string resize = "r = Relu (x)  v = Resize <mode = \"";
  EXPECT_TRUE(is_positive(resize + "linear\"> (r, , twice)"));
  EXPECT_FALSE(is_positive(resize + "cubic\"> (r, , twice)"));
}

}  // namespace
}  // namespace detent
