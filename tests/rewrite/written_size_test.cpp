#include "rewrite/written_size.h"

#include <gtest/gtest.h>

#include "place/engines/target.h"
#include "place/make_plan.h"

namespace detent {
namespace {

constexpr uint64_t kWeights = 64 * 64;

/// A network of two products that read w; `also` is another node.
Model sized_network(const std::string& also = "", const std::string& output = "") {
  std::string zeros = "0";
  for (uint64_t i = 1; i < kWeights; ++i) zeros += ",0";
  return parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g (float[64,64] x) => (float[64,64] y" + output +
                          ") <float[64,64] w = {" + zeros + "}> { a = MatMul (x, w) y = MatMul (a, w) " + also + "}");
}

/// Returns the bytes that the plan saves of the model's size when w is the weight of both products.
uint64_t saved(const Model& model, RewriteOptions options = {}, bool half = false) {
  PlacementPlan plan;
  for (const NodeId node : {NodeId{0}, NodeId{1}}) plan.weights.push_back({node, 1, *model.graph().find_value("w"), 1});
  return model.byte_size() - least_written_bytes(model, plan, options, half);
}

TEST(LeastWrittenBytes, AnInt8WeightTakesAByteAnElementHoweverOftenItIsRead) {
  EXPECT_EQ(saved(sized_network()), kWeights * 3);
}

TEST(LeastWrittenBytes, AWeightThatIsReadAsItIsStaysToo) {
  EXPECT_EQ(saved(sized_network("b = Relu (w)")), 0U);
  EXPECT_EQ(saved(sized_network("", ", float[64,64] w")), 0U);
}

TEST(LeastWrittenBytes, AFloatWeightBehindAPairKeepsItsSize) {
  EXPECT_EQ(saved(sized_network(), {.int8_weights = false}), 0U);
}

TEST(LeastWrittenBytes, HalvesTakeTwoBytes) {
  EXPECT_EQ(saved(sized_network(), {.int8_weights = false}, true), kWeights * 2);
  EXPECT_EQ(saved(sized_network(), {}, true), kWeights * 3);
}

TEST(LeastWrittenBytes, WithoutAPlanNothingIsSaved) {
  const Model model = sized_network();
  EXPECT_EQ(least_written_bytes(model, {}, {}), model.byte_size());
}

}  // namespace
}  // namespace detent
