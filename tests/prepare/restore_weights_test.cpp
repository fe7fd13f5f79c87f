#include "prepare/restore_weights.h"

#include <gtest/gtest.h>

#include "exec/same_outputs.h"
#include "model/qoperators.h"

namespace detent {
namespace {

Model with_codes(const std::string& nodes) {
  return parse_model_text(R"(<ir_version: 10, opset_import: ["" : 21]>
    g (float[1,2] x, int64[2] ids) => (float[1,3] y, float[2,3] z)
    <int8[2,3] c = {1,2,3,-4,5,6}, float[3] s = {0.5,0.25,2}, float one = {0.1}, int8 zero = {0}> {)" +
                          nodes + "}");
}

std::vector<Tensor> inputs() { return {Tensor::from<float>({1, 2}, {0.5F, -3}), Tensor::from<int64_t>({2}, {1, 0})}; }

/// Expects the same outputs of a float model.
void expect_floats(const Model& before, Model& after, size_t count) {
  EXPECT_EQ(restore_weights(after), count);
  EXPECT_FALSE(is_quantized(after.graph()));
  check_same_outputs(outputs_of(before, inputs()), after, inputs(), "reading codes as floats");
}

TEST(RestoreWeights, MakesFloatsOfWeightsAndTables) {
  const Model model = with_codes("w = DequantizeLinear <axis = 1> (c, s) y = MatMul (x, w) z = Gather (w, ids)");
  Model after = model.clone();
  expect_floats(model, after, 1);
}

TEST(RestoreWeights, ReadsRowsOfCodesAsRowsOfFloats) {
  const Model model = with_codes(
      "w = DequantizeLinear <axis = 1> (c, s) y = MatMul (x, w) r = Gather (c, ids) z = DequantizeLinear <axis = -1> "
      "(r, s)");
  Model after = model.clone();
  EXPECT_EQ(restore_weights(after), 0U) << "a graph output has to keep its writer";
  const Model inner = with_codes(
      "w = DequantizeLinear <axis = 1> (c, s) y = MatMul (x, w) r = Gather (c, ids) "
      "d = DequantizeLinear <axis = -1> (r, s) z = Relu (d)");
  Model restored = inner.clone();
  expect_floats(inner, restored, 2);
}

TEST(RestoreWeights, LeavesPairsAndFloatModelsAsTheyAre) {
  for (const char* nodes :
       {"w = DequantizeLinear <axis = 1> (c, s) q = QuantizeLinear (x, one, zero) d = DequantizeLinear (q, one, zero) "
        "y = MatMul (d, w) z = Gather (w, ids)",
        "w = Cast <to = 1> (c) y = MatMul (x, w) z = Gather (w, ids)"}) {
    Model model = with_codes(nodes);
    const size_t count = model.graph().nodes().size();
    EXPECT_EQ(restore_weights(model), 0U);
    EXPECT_EQ(model.graph().nodes().size(), count);
  }
}

}  // namespace
}  // namespace detent
