#include "model/qoperators.h"

#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "model/model.h"

namespace detent {
namespace {

TEST(IntegerOperators, AreCountedByName) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (uint8[2,2] x) => (int32[2,2] y, int32[2,2] z) { y = MatMulInteger (x, x)  z = MatMulInteger (x, x) })");
  EXPECT_EQ(integer_operators_text(model.graph()), "integer operators (2 MatMulInteger)");
  EXPECT_THROW(refuse_integer_operators(model.graph(), "f.onnx", "this wants floats"), Error);
}

TEST(IntegerOperators, ArePairsNot) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[2] x) => (float[2] y) <float s = {1}>
{ q = QuantizeLinear (x, s)  y = DequantizeLinear (q, s) })");
  EXPECT_EQ(integer_operators_text(model.graph()), "");
  EXPECT_NO_THROW(refuse_integer_operators(model.graph(), "f.onnx", "this wants floats"));
}

}  // namespace
}  // namespace detent
