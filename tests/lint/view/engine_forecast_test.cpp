#include "lint/view/engine_forecast.h"

#include <gmock/gmock.h>

#include "lint/exported_networks.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A network of `nodes` that reads x [1,channels,8,8] as xd, with weights wd of `channels` and vd of 4 channels.
Model network(const std::string& nodes, int channels = 4) {
  const std::string c = std::to_string(channels);
  return parse_model_text(test::fill_tensors(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,)" + c + R"(,8,8] x) => (float[a,b,c,d] y)
<float s = {0.1}, int8 z = {0}, float[4] scales = {1, 1, 2, 2}, int8[4,)" +
                                             c + R"(,1,1] w = {...}, int8[4,4,1,1] v = {...}> {
  xq = QuantizeLinear (x, s, z)  xd = DequantizeLinear (xq, s, z)
  wd = DequantizeLinear (w, s, z)  vd = DequantizeLinear (v, s, z)
)" + nodes + " }"));
}

std::vector<std::string> fused(const Model& model) {
  std::vector<std::string> found;
  for (const NodeFusion& fusion : node_fusions(model.graph()))
    found.push_back(fusion.node + (fusion.fused ? " in " : " not in ") + fusion.conv);
  return found;
}

std::string pair(const std::string& value) {
  return " " + value + "q = QuantizeLinear (" + value + ", s, z) " + value + "d = DequantizeLinear (" + value +
         "q, s, z) ";
}

TEST(NodeFusions, AnActivationIsPartOfItsConv) {
  EXPECT_THAT(fused(network("a = Conv (xd, wd) y = Relu (a)")), ElementsAre("Relu_5 in Conv_4"));
}

TEST(NodeFusions, AConvThatOthersReadTakesNothingIn) {
  EXPECT_THAT(fused(network("a = Conv (xd, wd) b = Relu (a) y = Sum (a, b)")), IsEmpty());
}

TEST(NodeFusions, TheLastConvTakesTheAddIn) {
  EXPECT_THAT(fused(network("a = Conv (xd, wd) b = Conv (xd, wd) c = Add (a, b) y = Relu (c)")),
              ElementsAre("Add_6 in Conv_5", "Relu_7 in Conv_5"));
}

TEST(NodeFusions, AnActivationInFrontOfTheAddKeepsItOut) {
  EXPECT_THAT(fused(network("a = Conv (xd, wd) b = Relu (a) y = Add (b, xd)")), ElementsAre("Relu_5 in Conv_4"));
}

TEST(NodeFusions, APairOnTheOutputOfTheConvKeepsTheAddOut) {
  EXPECT_THAT(fused(network("a = Conv (xd, wd)" + pair("a") + "y = Add (ad, xd)")), ElementsAre("Add_7 not in Conv_4"));
  EXPECT_THAT(fused(network("a = Conv (xd, wd)" + pair("a") + "b = Conv (xd, wd) y = Add (ad, b)")),
              ElementsAre("Add_8 in Conv_7"));
}

TEST(NodeFusions, APoolIsPartOfTheStemWhereItsReadersAreQuantizers) {
  const std::string stem = "a = Conv (xd, wd) b = Relu (a) p = MaxPool <kernel_shape = [2,2]> (b)";
  EXPECT_THAT(fused(network(stem + pair("p") + "y = Conv (pd, vd)")), Contains("MaxPool_6 in Conv_4"));
  EXPECT_THAT(fused(network(stem + pair("p") + "c = Conv (pd, vd) y = Add (c, p)")),
              Contains("MaxPool_6 not in Conv_4"));
  EXPECT_THAT(fused(network(stem + " y = Relu (p)")), Contains("MaxPool_6 not in Conv_4"));
}

TEST(NodeFusions, APoolBehindMoreChannelsIsNotPredicted) {
  const std::string nodes =
      "a = Conv (xd, wd) p = MaxPool <kernel_shape = [2,2]> (a)" + pair("p") + "y = Conv (pd, vd)";
  EXPECT_THAT(fused(network(nodes, 5)), Not(Contains(HasSubstr("MaxPool"))));
}

std::vector<std::string> places(const Model& model) {
  std::vector<std::string> found;
  for (const ReformatPlace& place : reformat_places(model.graph())) found.push_back(place.nodes.front());
  return found;
}

TEST(ReformatPlaces, AreFloatLayersBetweenInt8Layers) {
  EXPECT_THAT(places(test::ResNet18Pairs({}).model()), ElementsAre("MaxPool_12", "GlobalAveragePool_246"));
  EXPECT_THAT(places(test::ResNet18Pairs({.shortcuts = true}).model()), ElementsAre("GlobalAveragePool_294"));
  EXPECT_THAT(places(test::ResNet18Pairs({.shortcuts = true, .pool = true}).model()), IsEmpty());
}

TEST(ReformatPlaces, OfAFloatConvBetweenInt8ConvsNameItsReader) {
  const Model model = network("f = DequantizeLinear (v, s, z) a = Conv (xd, wd) b = Conv (a, f)" + pair("b") +
                              "c = Conv (bd, vd) y = Relu (c)");
  const auto found = reformat_places(model.graph());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found.front().nodes, ElementsAre("Conv_6", "Conv_9"));
  EXPECT_THAT(found.front().reason, HasSubstr("between INT8 layers"));
}

TEST(ReformatPlaces, OfAFloatNetworkAreItsInputAndOutput) {
  EXPECT_THAT(places(test::ResNet18Pairs({.none = true}).model()), ElementsAre("Conv_0", "Gemm_48"));
}

TEST(ReformatPlaces, AnInt8LayerWritesTheOutputAsItIs) {
  EXPECT_THAT(places(network("a = Conv (xd, wd) y = Relu (a)")), IsEmpty());
  EXPECT_THAT(places(network("a = Conv (xd, wd) y = Softmax (a)")), ElementsAre("Softmax_5"));
}

std::vector<std::string> copied(const Model& model) {
  std::vector<std::string> found;
  for (const ConcatCopy& copy : concat_copies(model.graph())) found.push_back(copy.value + ": " + copy.reason);
  return found;
}

TEST(ConcatCopies, AResizeCannotWriteIntoTheJointTensor) {
  EXPECT_THAT(copied(network("a = Conv (xd, wd) b = Resize (a, , scales) c = Conv (xd, wd)"
                             " j = Concat <axis = 1> (b, c)" +
                             pair("j") + "y = Conv (jd, vd)")),
              ElementsAre("b: 'Resize_5' (Resize) cannot write into the joint tensor"));
}

TEST(ConcatCopies, CodesThatAnotherLayerReadsAreCopied) {
  EXPECT_THAT(copied(network("a = Conv (xd, wd)" + pair("a") + "b = Conv (ad, vd) j = Concat <axis = 1> (ad, b)" +
                             pair("j") + "y = Conv (jd, vd)")),
              ElementsAre(HasSubstr("another layer reads its codes too")));
}

TEST(ConcatCopies, ConvsWriteThereAndFloatsHaveNone) {
  const std::string convs = "a = Conv (xd, wd) b = Conv (xd, wd) j = Concat <axis = 1> (a, b)";
  EXPECT_THAT(copied(network(convs + pair("j") + "y = Conv (jd, vd)")), IsEmpty());
  EXPECT_THAT(copied(network("a = Conv (xd, wd) b = Resize (a, , scales) j = Concat <axis = 1> (b, xd) y = Relu (j)")),
              IsEmpty());
}

}  // namespace
}  // namespace detent
