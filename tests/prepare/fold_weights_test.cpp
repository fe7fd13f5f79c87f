#include "prepare/fold_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/same_outputs.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

/// A Conv or MatMul whose weight 'w' comes from the constant 'k', [2, 3] with two scales, or three along axis 1.
Model with_weight(const std::string& nodes, const std::string& scales = "float[2] s = {0.1, 0.2}, int8[2] z = {0, 0}") {
  return parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,3,4,4] x) => (float[1,N,4,4] y)
<float[2,3] k = {1, 2, 3, 4, 5, 6}, )" +
                          scales +
                          R"(, int64[2] ends = {2, 3}, int64[4] shape = {2, 3, 1, 1}, int64[4] flat = {1, 6, 1, 1}>
{ )" + nodes + " y = Conv (x, w) }");
}

std::vector<std::string> ops_of(const Model& model) {
  std::vector<std::string> ops;
  for (const Node& node : model.graph().nodes()) ops.push_back(node.op_type);
  return ops;
}

std::vector<Tensor> sample() {
  std::vector<float> numbers(48);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7) - 3;
  return {Tensor::from<float>({1, 3, 4, 4}, numbers)};
}

TEST(FoldWeights, ComputesCopiesInsideAndBehindPairsAndTheScalesFollow) {
  for (const char* nodes : {
           "q = QuantizeLinear <axis = 0> (k, s, z) d = DequantizeLinear <axis = 0> (q, s, z) w = Reshape (d, shape)",
           "q = QuantizeLinear <axis = 0> (k, s, z) r = Reshape (q, shape) w = DequantizeLinear <axis = 0> (r, s, z)",
           "q = QuantizeLinear <axis = 0> (k, s, z) t = Transpose (q) d = DequantizeLinear <axis = -1> (t, s, z)"
           " i = Identity (d) u = Transpose (i) w = Reshape (u, shape)",
       }) {
    const Model before = with_weight(nodes);
    Model model = before.clone();
    EXPECT_GT(fold_weights(model), 0U) << nodes;
    EXPECT_THAT(ops_of(model), ElementsAre("QuantizeLinear", "DequantizeLinear", "Conv")) << nodes;
    for (const int pair : {0, 1}) EXPECT_EQ(model.graph().node(NodeId(pair)).int_or("axis", 1), 0) << nodes;
    check_same_outputs(outputs_of(before, sample()), model, sample(), "moving");
  }
}

TEST(FoldWeights, LeavesCopiesThatMixTheAxisOfTheScales) {
  Model model = with_weight(
      "q = QuantizeLinear <axis = 0> (k, s, z) d = DequantizeLinear <axis = 0> (q, s, z) e = Reshape (d, flat)"
      " w = Reshape (e, shape)");
  EXPECT_EQ(fold_weights(model), 0U);
  Model one = with_weight(
      "q = QuantizeLinear (k, s, z) d = DequantizeLinear (q, s, z) e = Reshape (d, flat)"
      " w = Reshape (e, shape)",
      "float s = {0.1}, int8 z = {0}");
  EXPECT_EQ(fold_weights(one), 2U);
}

TEST(FoldWeights, LeavesCopiesOfWhatOtherNodesReadAndOfActivations) {
  Model shared = with_weight(
      "q = QuantizeLinear <axis = 0> (k, s, z) d = DequantizeLinear <axis = 0> (q, s, z) f = Abs (d)"
      " g = Reshape (f, shape) h = Reshape (d, shape) w = Add (g, h)");
  EXPECT_EQ(fold_weights(shared), 0U);
  Model activation = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[3,2] y) <float s = {0.1}, int8 z = {0}>
{ q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) y = Transpose (d) })");
  EXPECT_EQ(fold_weights(activation), 0U);
}

}  // namespace
}  // namespace detent
