#include "repair/trained_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;

/// A Conv between pairs, and a MatMul whose weight has the given axis and blocks.
std::string conv_and_product(const std::string& weight_attributes, const std::string& scales) {
  return R"(<ir_version: 10, opset_import: ["" : 21]>
g (float[1,1,4,4] x) => (float[1,1,4,4] y)
<float sx = {0.1}, int8 z = {0}, int8[1,1,1,1] k = {3}, float ks = {0.5},
 int8[4,4] w = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}, float)" +
         scales + R"(>
{
  q = QuantizeLinear (x, sx, z)  d = DequantizeLinear (q, sx, z)
  kd = DequantizeLinear (k, ks)
  c = Conv (d, kd)
  wd = DequantizeLinear )" +
         weight_attributes + R"( (w, ws)
  y = MatMul (c, wd)
})";
}

size_t count(const Model& model, const std::string& op) {
  return static_cast<size_t>(std::ranges::count(model.graph().nodes(), op, &Node::op_type));
}

TEST(TrainedPairs, LeaveWeightsInBlocksAsTheyAre) {
  const Model written =
      parse_model_text(conv_and_product("<axis = 0, block_size = 2>", "[2,4] ws = {1,2,3,4,5,6,7,8}"));
  const TrainedPairs trained(written, read_qdq(written.graph()));
  EXPECT_EQ(count(trained.model, "QuantizeLinear"), 0U);
  EXPECT_EQ(count(trained.model, "DequantizeLinear"), 1U);
  EXPECT_NE(trained.model.graph().find_value("wd"), kNoValue);
  EXPECT_THAT(trained.weights, Not(Contains(Key(Slot{"MatMul_4", 1}))));
}

TEST(TrainedPairs, TakeOtherWeightsOut) {
  const Model written = parse_model_text(conv_and_product("<axis = 1>", "[4] ws = {1,2,3,4}"));
  const TrainedPairs trained(written, read_qdq(written.graph()));
  EXPECT_EQ(count(trained.model, "DequantizeLinear"), 0U);
}

}  // namespace
}  // namespace detent
