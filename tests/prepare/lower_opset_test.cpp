#include "prepare/lower_opset.h"

#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

Model model_at(int opset, const std::string& graph) {
  return parse_model_text("<ir_version: 10, opset_import: [\"\" : " + std::to_string(opset) + "]>\n" + graph);
}

TEST(LowerOpset, OperatorsThatOnlyGotNewTypesAreLowered) {
  for (const int opset : {21, 22, 24}) {
    Model model = model_at(opset, R"(g (float[1,4,8] x) => (float[1,8,4] y)
      { a = Relu (x)  y = Transpose <perm = [0,2,1]> (a) })");
    EXPECT_TRUE(lower_opset(model, 20)) << opset;
    EXPECT_EQ(model.graph().opset(), 20);
  }
}

TEST(LowerOpset, NewerOperatorsAttributesMeaningsAndTypesStay) {
  const auto stays = [](int opset, const char* graph) {
    Model model = model_at(opset, graph);
    return !lower_opset(model, 20) && model.graph().opset() == opset;
  };
  EXPECT_TRUE(stays(24, "g (float[1,4,8] x) => (float[1,4,8] y) { y = Swish (x) }")) << "an operator";
  EXPECT_TRUE(stays(21, R"(g (float[1,4,8] x) => (float[1,4,8] y) <float[4] s = {1,2,3,4}, float[4] b = {1,2,3,4}>
    { y = GroupNormalization <num_groups = 2> (x, s, b) })"))
      << "a meaning: scales of groups became scales of channels";
  EXPECT_TRUE(stays(24, "g (float[4] x) => (float16[4] y) { y = Cast <to = 10, round_mode = \"up\"> (x) }"))
      << "an attribute";
  EXPECT_TRUE(stays(22, R"(g (bfloat16[1,2,4,4] x) => (bfloat16[1,2,2,2] y)
    { y = MaxPool <kernel_shape = [2,2], strides = [2,2]> (x) })"))
      << "a type";
}

TEST(LowerOpset, SubgraphsCount) {
  const auto lowered = [](const char* branch) {
    Model model = model_at(24, std::string(R"(g (bool c, float[4] x) => (float[4] y)
      { y = If (c) <then_branch = t () => (float[4] a) { a = )") +
                                   branch + R"( (x) }, else_branch = e () => (float[4] b) { b = Neg (x) }> })");
    return lower_opset(model, 20);
  };
  EXPECT_TRUE(lowered("Relu"));
  EXPECT_FALSE(lowered("Swish"));
}

TEST(LowerOpset, LowOpsetsStay) {
  Model model = model_at(17, "g (float[4] x) => (float[4] y) { y = Relu (x) }");
  EXPECT_FALSE(lower_opset(model, 20));
  EXPECT_EQ(model.graph().opset(), 17);
}

}  // namespace
}  // namespace detent
