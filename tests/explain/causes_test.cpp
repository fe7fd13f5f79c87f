#include "explain/causes.h"

#include <gmock/gmock.h>

#include "explain/engine_text.h"
#include "explain/explain_layers.h"

namespace detent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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

/// A Conv whose value and weights have pairs, each a layer by itself, as TensorRT builds it without an INT8 kernel.
std::vector<EngineLayer> conv_without_kernel() {
  EngineLayer conv{.name = "Conv_3", .type = "CaskConvolution", .weights = "Half"};
  conv.inputs = {{"d", "Half"}, {"wd", "Half"}};
  conv.outputs = {{"c", "Half"}};
  EngineLayer constant{.name = "w_quantized", .type = "Constant", .outputs = {{"w", "Int8"}}};
  return {plain_layer("kgen", "Norm_1", {{"n", "Half"}}, {"a", "Half"}),
          constant,
          plain_layer("Scale", "w_DequantizeLinear", {{"w", "Int8"}}, {"wd", "Half"}),
          pair_node("a_QuantizeLinear", {"a", "Half"}, {"q", "Int8"}),
          pair_node("a_DequantizeLinear", {"q", "Int8"}, {"d", "Half"}),
          conv,
          plain_layer("kgen", "Norm_4", {{"c", "Half"}}, {"y", "Half"})};
}

TEST(Causes, ALayerWithPairsThatRunsInFloatsIsAKindOfItsOwnWithItsCost) {
  const auto conv = row(conv_without_kernel(), "Conv_3", {"n", "y"});
  EXPECT_EQ(conv.finding, "no_int8_kernel");
  EXPECT_THAT(conv.cause, AllOf(HasSubstr("has pairs and runs in fp16: the engine has no INT8 kernel for it"),
                                HasSubstr("3 layers that quantize or dequantize for it take 50.0 %")));
  EXPECT_EQ(conv.cure, "leave it float: detent quantize --exclude Conv_3");
  for (const auto& [name, words] : {std::pair("w_DequantizeLinear", "dequantizes the weights of Conv_3"),
                                    std::pair("a_QuantizeLinear", "quantizes for Conv_3"),
                                    std::pair("a_DequantizeLinear", "dequantizes for Conv_3")}) {
    const auto pair = row(conv_without_kernel(), name, {"n", "y"});
    EXPECT_EQ(pair.kind + " " + pair.finding, "quantize no_int8_kernel") << name;
    EXPECT_THAT(pair.cause, HasSubstr(words));
    EXPECT_EQ(pair.cure, conv.cure);
  }
}

TEST(Causes, AConvWithoutPairOnItsWeightsIsNone) {
  auto layers = conv_without_kernel();
  layers[5].inputs.pop_back();
  EXPECT_THAT(row(layers, "Conv_3", {"n", "y"}).finding, IsEmpty());
  EXPECT_EQ(row(layers, "a_DequantizeLinear", {"n", "y"}).finding, "float_reader");
}

TEST(Causes, AQuantizerForAnotherLayerTooIsNotPutDownToIt) {
  auto layers = conv_without_kernel();
  layers.push_back(int8_conv("Conv_5", {{"q", "Int8"}}, {"z", "Int8"}));
  EXPECT_EQ(row(layers, "a_QuantizeLinear", {"n", "y", "z"}).finding, "float_operator");
}

TEST(Causes, LayersThatAreAlwaysFloatGetNoCureThatLeadsBack) {
  const std::vector<EngineLayer> layers{
      int8_conv("MatMul_1", {{"x", kCodes}}, {"a", "Half"}),
      plain_layer("kgen", "Add_2 + Erf_3 + Mul_4", {{"bias", "Half"}, {"a", "Half"}}, {"y", "Int8"})};
  const auto product = row(layers, "MatMul_1", {"x", "y"});
  EXPECT_THAT(product.cause, AllOf(HasSubstr("a kernel that TensorRT generates"), Not(HasSubstr("shortcut"))));
  EXPECT_THAT(product.cure, IsEmpty());
  const auto in_front_of = [](const EngineLayer& reader) {
    return row({int8_conv("MatMul_1", {{"x", kCodes}}, {"a", "Half"}), reader}, "MatMul_1", {"x", "y"});
  };
  const auto softmax = in_front_of(plain_layer("CudaSoftMax", "/attn/Softmax", {{"a", "Half"}}, {"y", "Half"}));
  EXPECT_THAT(softmax.cause, HasSubstr("Softmax has no INT8 kernel"));
  EXPECT_THAT(softmax.cure, IsEmpty());
  const auto block = in_front_of(plain_layer("Myelin", "{ForeignNode[a...b]}", {{"a", "Half"}}, {"y", "Half"}));
  EXPECT_THAT(block.cause, HasSubstr("the block {ForeignNode[a...b]} reads it as fp16"));
  EXPECT_THAT(block.cure, IsEmpty());
  EXPECT_THAT(in_front_of(plain_layer("Pooling", "pool_of_mine", {{"a", "Half"}}, {"y", "Half"})).cure,
              HasSubstr("--include pool_of_mine"))
      << "names need not end with the operator";
}

/// Two Convs write into the joint tensor of a Concat; another Concat reads one part.
std::vector<EngineLayer> two_concats() {
  EngineLayer copy = reformat({"joint", kCodes}, {"other", kCodes});
  copy.origin = "CONCAT";
  copy.name = "Concat_9_a copy";
  return {int8_conv("Conv_1", {{"x", kCodes}}, {"joint", kCodes}),
          int8_conv("Conv_2", {{"joint", kCodes}}, {"joint", kCodes}), copy,
          int8_conv("Conv_3", {{"other", kCodes}}, {"y", kCodes})};
}

TEST(Causes, ACopyNamesTheJointTensorThatHoldsTheValue) {
  const auto copy = row(two_concats(), "Concat_9_a copy");
  EXPECT_EQ(copy.finding, "concat_copy");
  EXPECT_THAT(copy.cause, HasSubstr("it lies in joint already, the joint tensor of another Concat"));
  EXPECT_THAT(copy.cure, AllOf(HasSubstr("none in this placement"), Not(HasSubstr("repair"))));
  auto floats = two_concats();
  for (EngineLayer& layer : floats)
    for (auto* tensors : {&layer.inputs, &layer.outputs})
      for (EngineTensor& tensor : *tensors) tensor.format = kHalf8;
  EXPECT_THAT(row(floats, "Concat_9_a copy").cure, IsEmpty()) << "INT8 is not the reason";
}

TEST(Causes, ACopyOfAValueThatOneLayerWritesNamesItsReaderOrThatLayer) {
  auto layers = two_concats();
  layers[1].outputs[0].name = "b";
  EXPECT_THAT(row(layers, "Concat_9_a copy").cause, HasSubstr("it has another reader, Conv_2"));
  layers[1].inputs[0].name = "b";
  EXPECT_THAT(row(layers, "Concat_9_a copy").cause, HasSubstr("Conv_1 cannot write there"));
}

/// Explains names and returns the row of one.
ExplainReport::Layer named_row(const std::vector<std::string>& names, const std::string& name) {
  BuiltEngine engine{"names", {}};
  for (const std::string& one : names) engine.layers.push_back({.name = one});
  for (const auto& found : explain_layers(engine))
    if (found.name == name) return found;
  ADD_FAILURE() << "no layer " << name;
  return {};
}

TEST(Causes, OfNamesAreBlocksNormalizationsAndLayersInFrontOfQuantizers) {
  const std::string block = "{ForeignNode[/head/Mul.../Concat_1]}", norm =
                                                                        "bn.weight + (Unnamed Layer* 5) [Shuffle] + "
                                                                        "/bn/BatchNormalization";
  const std::vector<std::string> names{"MaxPool_1", "QuantizeLinear_2", norm, "Resize_3", block};
  EXPECT_EQ(named_row(names, block).finding, "block");
  EXPECT_TRUE(named_row(names, block).block);
  EXPECT_THAT(named_row(names, norm).cause, HasSubstr("the network computes its numbers"));
  EXPECT_THAT(named_row(names, "MaxPool_1").cause, HasSubstr("writes floats: the next layer, QuantizeLinear_2"));
  EXPECT_THAT(named_row(names, "Resize_3").cause, IsEmpty()) << "its type may be any";
}

TEST(Causes, OfNamesKnowAConvBehindADequantizer) {
  const std::vector<std::string> names{"w_quantized",         "w_DequantizeLinear", "u_quantized + Conv_2",
                                       "a_QuantizeLinear",    "a_DequantizeLinear", "Conv_3",
                                       "v_quantized + Conv_4"};
  for (const char* name : {"w_DequantizeLinear", "a_QuantizeLinear", "a_DequantizeLinear", "Conv_3"}) {
    EXPECT_EQ(named_row(names, name).finding, "no_int8_kernel") << name;
    EXPECT_EQ(named_row(names, name).cure, "leave it float: detent quantize --exclude Conv_3") << name;
  }
  EXPECT_EQ(named_row(names, "v_quantized + Conv_4").arithmetic, "int8");
  EXPECT_THAT(named_row(names, "v_quantized + Conv_4").finding, IsEmpty());
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

TEST(Causes, CuresOfTensorRT11AreWithoutOptionsForTypes) {
  BuiltEngine engine{"detailed", {reformat({"x", kLinear}, {"r", kHalf8})}, {"x"}};
  engine.layers.push_back(plain_layer("Softmax", "Softmax_1", {{"s", kLinear}}, {"a", kLinear}));
  engine.layers.push_back(reformat({"a", kLinear}, {"b", kHalf8}));
  EXPECT_THAT(explain_layers(engine).at(0).cure, HasSubstr("--inputIOFormats=fp16:chw"));
  EXPECT_THAT(explain_layers(engine).at(2).cure, HasSubstr("trtexec --fp16"));
  engine.strongly_typed = true;
  EXPECT_THAT(explain_layers(engine).at(0).cure, AllOf(HasSubstr("--format io-type=same"), Not(HasSubstr("fp16:chw"))));
  EXPECT_THAT(explain_layers(engine).at(2).cure, AllOf(HasSubstr("detent cast"), Not(HasSubstr("--fp16"))));
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
