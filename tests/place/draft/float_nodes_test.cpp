#include "place/draft/float_nodes.h"

#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

using ByType = std::map<DataType, size_t>;

FloatNodes count(const std::string& body) {
  const Model model = parse_model_text("<ir_version: 10, opset_import: [\"\" : 22]> g " + body);
  return count_float_nodes(model.graph());
}

TEST(FloatNodes, AreCountedByTheTypeOfWhatTheyMake) {
  const FloatNodes nodes = count(
      "(float[4] x) => (float[4] y) { h = Cast <to: int = 10> (x)  a = Relu (h)  b = Neg (a)  w = Cast <to: int = 1> "
      "(b) "
      "y = Exp (w) }");
  EXPECT_EQ(nodes.by_type, (ByType{{DataType::Float16, 2}, {DataType::Float32, 1}}));
  EXPECT_EQ(nodes.casts, 2U);
}

TEST(FloatNodes, PairsConstantsIntegersAndTheirCastsAreNone) {
  const FloatNodes nodes = count(
      "(float[4] x, int64[4] i) => (float[4] y) <float s = {0.1}, int8 z = {0}> "
      "{ q = QuantizeLinear (x, s, z)  d = DequantizeLinear (q, s, z)  n = Shape (x)  f = Cast <to: int = 1> (i) "
      "k = Constant <value_float: float = 2.0> ()  m = Mul (d, k)  y = Add (m, f) }");
  EXPECT_EQ(nodes.by_type, (ByType{{DataType::Float32, 2}}));  // Mul and Add
  EXPECT_EQ(nodes.casts, 0U);
}

TEST(FloatNodes, OfIntegersAloneAreNone) {
  const FloatNodes nodes = count("(int64[4] x) => (int64[4] y) { y = Neg (x) }");
  EXPECT_TRUE(nodes.by_type.empty());
}

}  // namespace
}  // namespace detent
