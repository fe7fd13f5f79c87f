#include "explain/causes.h"

#include <gmock/gmock.h>

#include "explain/engine_text.h"
#include "explain/explain_layers.h"

namespace detent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Explains layers and returns the row of that name.
ExplainReport::Layer row(std::vector<EngineLayer> layers, const std::string& name,
                         std::vector<std::string> bindings = {}) {
  for (const auto& found : explain_layers({"detailed", std::move(layers), std::move(bindings)}))
    if (found.name == name) return found;
  ADD_FAILURE() << "no layer " << name;
  return {};
}

TEST(Causes, AFloatInputOfTheNetworkIsQuantizedAndNeedsNoCure) {
  const auto q = row({pair_node("Q_1", {"x", kLinear}, {"q", kCodes})}, "Q_1", {"x", "y"});
  EXPECT_EQ(q.kind, "quantize");
  EXPECT_THAT(q.cause, HasSubstr("the network's input is fp32"));
  EXPECT_THAT(q.cure, HasSubstr("none is needed"));
}

/// A Conv whose output is quantized for one reader and added as floats by another.
std::vector<EngineLayer> float_shortcut() {
  return {int8_conv("Conv_1", {{"x", kCodes}}, {"a", kHalf8}),
          pair_node("QuantizeLinear_2", {"a", kHalf8}, {"q", kCodes}),
          int8_conv("Conv_3", {{"q", kCodes}}, {"b", kCodes}),
          int8_conv("Conv_4 + Add_5 + Relu_6", {{"b", kCodes}, {"a", kHalf8}}, {"y", kCodes})};
}

TEST(Causes, AShortcutWithoutPairMakesItsSourceWriteFloats) {
  EXPECT_THAT(row(float_shortcut(), "QuantizeLinear_2").cause,
              HasSubstr("the shortcut into Conv_4 + Add_5 + Relu_6 has no pair"));
  const auto conv = row(float_shortcut(), "Conv_1");
  EXPECT_THAT(conv.cause, AllOf(HasSubstr("writes fp16"), HasSubstr("Add_5")));
  EXPECT_THAT(conv.cure, HasSubstr("detent repair"));
}

TEST(Causes, WithAPairOnTheShortcutNothingIsToSay) {
  EXPECT_THAT(row({int8_conv("Conv_1", {{"x", kCodes}}, {"a", kCodes}),
                   int8_conv("Conv_4 + Add_5", {{"b", kCodes}, {"a", kCodes}}, {"y", kCodes})},
                  "Conv_1")
                  .cause,
              IsEmpty());
}

TEST(Causes, AMaxPoolHandsOnWhatItsReaderWants) {
  auto layers = float_shortcut();
  layers.insert(layers.begin() + 1, plain_layer("Pooling", "MaxPool_7", {{"c", kHalf8}}, {"a", kHalf8}));
  layers[0].outputs[0].name = "c";
  EXPECT_THAT(row(layers, "Conv_1").cause, AllOf(HasSubstr("MaxPool_7 hands it on"), HasSubstr("the shortcut into")));
}

TEST(Causes, AReaderWithoutPairIsNamedWithTheOption) {
  const std::vector<EngineLayer> layers{int8_conv("Conv_1", {{"x", kCodes}}, {"a", kLinear}),
                                        plain_layer("Pooling", "GlobalAveragePool_2", {{"a", kLinear}}, {"b", kLinear}),
                                        pair_node("QuantizeLinear_3", {"b", kLinear}, {"q", kCodes}),
                                        int8_conv("Gemm_4", {{"q", kCodes}}, {"y", kLinear})};
  EXPECT_THAT(row(layers, "Conv_1").cause, HasSubstr("writes fp32: GlobalAveragePool_2 reads it as fp32"));
  EXPECT_THAT(row(layers, "Conv_1").cure, HasSubstr("--include GlobalAveragePool_2"));
  EXPECT_THAT(row(layers, "QuantizeLinear_3").cause, HasSubstr("GlobalAveragePool_2 has no pair in front of it"));
  EXPECT_THAT(row(layers, "Gemm_4").cause, HasSubstr("it is the network's output"));
  EXPECT_THAT(row(layers, "Gemm_4").cure, IsEmpty());
}

TEST(Causes, AFloatIslandIsNamed) {
  EngineLayer island = int8_conv("Conv_2", {{"a", kHalf8}}, {"b", kHalf8});
  island.weights = "Half";
  EXPECT_THAT(row({island, pair_node("QuantizeLinear_3", {"b", kHalf8}, {"q", kCodes})}, "QuantizeLinear_3").cause,
              HasSubstr("Conv_2 is a float island: it computes in fp16"));
}

TEST(Causes, ADequantizedShortcutIsExplainedByTheReaderBehind) {
  EXPECT_THAT(row({pair_node("DequantizeLinear_1", {"q", kCodes}, {"s", kLinear}),
                   int8_conv("Conv_2 + Add_3", {{"x", kCodes}, {"s", kLinear}}, {"a", kLinear}),
                   plain_layer("Pooling", "GlobalAveragePool_4", {{"a", kLinear}}, {"y", kLinear})},
                  "DequantizeLinear_1", {"x", "q", "y"})
                  .cause,
              AllOf(HasSubstr("Conv_2 + Add_3 reads its shortcut as fp32"), HasSubstr("GlobalAveragePool_4")));
}

TEST(Causes, TwoDequantizedInputsOfAnAddBehindAConvAreAPairOnItsOutput) {
  const std::string name = "__myl_CastMulCastMulAddReluMulMinMaxRounCast_myl2_3";
  const auto kernel = row({plain_layer("correlation", "/conv/Conv_myl2_1", {{"x", "Int8"}}, {"a", "Int8"}),
                           plain_layer("kgen", name, {{"a", "Int8"}, {"s", "Int8"}}, {"y", "Int8"})},
                          name);
  EXPECT_THAT(kernel.cause, HasSubstr("a pair on a Conv output in front of an Add"));
  EXPECT_THAT(kernel.cure, HasSubstr("removes the pair"));
}

TEST(Causes, OtherKernelsBetweenCodesHaveNone) {
  EXPECT_THAT(
      row({plain_layer("kgen", "__myl_CastMulRelu_myl2_3", {{"a", "Int8"}}, {"y", "Int8"})}, "__myl_CastMulRelu_myl2_3")
          .cause,
      IsEmpty());
}

TEST(Causes, ReformatsAreExplainedByBorderTypeAndLayout) {
  const std::string name = "Reformatting CopyNode for Input Tensor 0 to X";
  EXPECT_THAT(row({reformat({"x", kLinear}, {"r", kHalf8})}, name, {"x"}).cause, HasSubstr("the network's input"));
  EXPECT_THAT(row({plain_layer("Softmax", "Softmax_1", {{"x", kLinear}}, {"a", kLinear}),
                   reformat({"a", kLinear}, {"r", kHalf8}),
                   plain_layer("Pooling", "MaxPool_2", {{"r", kHalf8}}, {"y", kHalf8})},
                  name, {"x", "y"})
                  .cause,
              HasSubstr("Softmax_1 writes fp32, MaxPool_2 reads fp16"));
  EXPECT_THAT(row({plain_layer("Softmax", "Softmax_1", {{"x", "Row FP16"}}, {"a", "Row FP16"}),
                   reformat({"a", "Row FP16"}, {"r", kHalf8}),
                   plain_layer("Pooling", "MaxPool_2", {{"r", kHalf8}}, {"y", kHalf8})},
                  name, {"x", "y"})
                  .cause,
              HasSubstr("only the layout differs"));
}

TEST(Causes, EndlessChainsOfReformatsEndTheSearch) {
  std::vector<EngineLayer> layers;
  for (int i = 0; i < 20000; ++i)
    layers.push_back(
        plain_layer("NoOp", "n", {{"t" + std::to_string(i), kHalf8}}, {"t" + std::to_string(i + 1), kHalf8}));
  layers.push_back(pair_node("QuantizeLinear_1", {"t20000", kHalf8}, {"q", kCodes}));
  EXPECT_EQ(row(layers, "QuantizeLinear_1").kind, "quantize");
}

TEST(Causes, ATensorThatFeedsItselfEndsNoSearch) {
  EXPECT_EQ(row({reformat({"a", kLinear}, {"a", kHalf8}), pair_node("QuantizeLinear_1", {"a", kHalf8}, {"q", kCodes})},
                "QuantizeLinear_1")
                .kind,
            "quantize");
}

}  // namespace
}  // namespace detent
