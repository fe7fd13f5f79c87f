#include "explain/layer_nodes.h"

#include <gmock/gmock.h>

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> of_name(const std::string& name) {
  return nodes_of({.name = name, .type = "CaskConvolution"});
}

TEST(LayerNodes, OfMetadataAreSplitAtBothJointsAndListedOnce) {
  EngineLayer layer{.name = "__myl_Add_myl0_1", .type = "kgen"};
  layer.metadata =
      "[ONNX Layer: a/Reshape_2]\x1e[ONNX Layer: a.b/Transpose_1]\x1f[ONNX Layer: c[0]]\x1f[ONNX Layer: a/Reshape_2]";
  EXPECT_THAT(nodes_of(layer), ElementsAre("a/Reshape_2", "a.b/Transpose_1", "c[0]"));
}

TEST(LayerNodes, OfNamesAreNodesWithoutTensorsAndWithoutWhatTheBuilderMade) {
  EXPECT_THAT(of_name("layer1.0.conv1.weight + QuantizeLinear_20 + Conv_22"),
              ElementsAre("QuantizeLinear_20", "Conv_22"));
  EXPECT_THAT(of_name("fc.weight + Gemm_7 + fc.bias + (Unnamed Layer* 306) [Shuffle] + unsqueeze_node_after_fc.bias"),
              ElementsAre("Gemm_7"));
  EXPECT_THAT(of_name("(Unnamed Layer* 306) [Shuffle]"), IsEmpty());
}

TEST(LayerNodes, OfNestedAndParallelFusionsAreTheirParts) {
  EXPECT_THAT(of_name("Conv_1 + PWN(PWN(Sigmoid_2), Mul_3)"), ElementsAre("Conv_1", "Sigmoid_2", "Mul_3"));
  EXPECT_THAT(of_name("Conv_1 + Relu_2 || Conv_3 + Relu_4"), ElementsAre("Conv_1", "Relu_2", "Conv_3", "Relu_4"));
}

TEST(LayerNodes, OfAbsurdlyNestedFusionsAreNone) {
  std::string name = "Relu_1";
  for (int i = 0; i < 2000; ++i) name = "PWN(" + name + ")";
  EXPECT_THAT(of_name(name), IsEmpty());
}

TEST(LayerNodes, CodesOfWeightsAreNone) {
  EXPECT_THAT(of_name("conv.weight_quantized + /conv/Conv + /relu/Relu"), ElementsAre("/conv/Conv", "/relu/Relu"));
  EXPECT_TRUE(holds_codes_of_weights("conv.weight_quantized + /conv/Conv"));
  EXPECT_FALSE(holds_codes_of_weights("conv.weight + /conv/Conv"));
}

TEST(LayerNodes, OfBlocksAreTheFirstAndTheLast) {
  EXPECT_TRUE(is_block("{ForeignNode[/a/MatMul.../b/Add]}"));
  EXPECT_FALSE(is_block("Reformatting CopyNode for Input Tensor 0 to {ForeignNode[/a/MatMul.../b/Add]}"));
  EXPECT_THAT(of_name("{ForeignNode[fc.weight + (Unnamed Layer* 9) [Shuffle].../head/Reshape_3]}"),
              ElementsAre("/head/Reshape_3"));
  EXPECT_THAT(of_name("{ForeignNode[/a/MatMul.../b/Add]}"), ElementsAre("/a/MatMul", "/b/Add"));
}

TEST(LayerNodes, OfTorchAreTheLastPart) {
  EXPECT_THAT(
      of_name(
          "[CONVOLUTION]-[aten_ops.convolution.default]-[/conv1/convolution] + [RELU]-[aten_ops.relu.default]-[/relu]"),
      ElementsAre("/conv1/convolution", "/relu"));
}

TEST(LayerNodes, OfMyelinWithoutMetadataLoseTheRegion) {
  EXPECT_THAT(of_name("/layer1/conv1/Conv_myl2_16"), ElementsAre("/layer1/conv1/Conv"));
  EXPECT_THAT(of_name("__myl_Move_myl2_16"), IsEmpty());
}

TEST(LayerNodes, ReformatsHaveNone) {
  EXPECT_THAT(of_name("Reformatting CopyNode for Input Tensor 0 to Conv_15 + Relu_16"), IsEmpty());
}

TEST(LayerNodes, OperatorIsTheEndOfTheNameWithoutNumbers) {
  EXPECT_EQ(op_of("/layer1/conv1/Conv_2"), "Conv");
  EXPECT_EQ(op_of("QuantizeLinear_3_clone_0"), "QuantizeLinear");
  EXPECT_EQ(op_of("12"), "12");
  EXPECT_TRUE(is_quantizer("img_QuantizeLinear"));
  EXPECT_FALSE(is_quantizer("DequantizeLinear_4"));
  EXPECT_TRUE(is_dequantizer("DequantizeLinear_4"));
}

}  // namespace
}  // namespace detent
