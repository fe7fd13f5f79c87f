// Tests of the weights and biases that are written once, copied, raised or left float.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "exec/executor.h"
#include "model/half_constants.h"
#include "rewrite/planned_graph.h"

namespace detent {
namespace {

using test::constant;
using test::count;
using test::PlannedGraph;
using test::producer;
using test::reads;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(WeightInserter, AWeightSharedByTwoNodesIsWrittenOnce) {
  PlannedGraph planned(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[1, 2] x) => (float[1, 2] y) <float[2, 2] w = {1, 2, 3, 4}>
{
  a = MatMul (x, w)
  b = MatMul (a, w)
  y = MatMul (b, w)
})");
  planned.weight("MatMul_0", 1, 1);
  planned.weight("MatMul_1", 1, 1);
  const Model model = planned.rewritten();
  EXPECT_EQ(reads(model, "MatMul_0", 1), "w_dequantized");
  EXPECT_EQ(reads(model, "MatMul_1", 1), "w_dequantized");
  EXPECT_EQ(reads(model, "MatMul_2", 1), "w") << "not in the plan";
  EXPECT_EQ(count(model, "DequantizeLinear"), 1U);
}

TEST(WeightInserter, AWeightReadAlongTwoAxesIsWrittenTwice) {
  PlannedGraph planned(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[1, 2] x) => (float[1, 2] y) <float[2, 2] w = {1, 2, 3, 4}>
{
  a = Gemm (x, w)
  b = Gemm <transB = 1> (a, w)
  y = Gemm (b, w)
})");
  planned.weight("Gemm_0", 1, 1);
  planned.weight("Gemm_1", 1, 0);
  planned.weight("Gemm_2", 1, 1);
  for (const char* layer : {"Gemm_0", "Gemm_1", "Gemm_2"}) planned.pair(layer, 0);
  for (const char* value : {"x", "a", "b"}) planned.range(value, {-1, 1});
  const Model model = planned.rewritten();
  EXPECT_EQ(reads(model, "Gemm_0", 1), reads(model, "Gemm_2", 1));
  EXPECT_NE(reads(model, "Gemm_0", 1), reads(model, "Gemm_1", 1));
  EXPECT_EQ(producer(model, reads(model, "Gemm_0", 1)).int_or("axis", -7), 1);
  EXPECT_EQ(producer(model, reads(model, "Gemm_1", 1)).int_or("axis", -7), 0);
  EXPECT_EQ(count(model, "DequantizeLinear"), 5U) << "three of data";
  const auto scale_of = [&](const char* node) -> const Tensor& {
    return *model.graph().constant(producer(model, reads(model, node, 1)).input(1));
  };
  EXPECT_THAT(scale_of("Gemm_0").data<float>(),
              ElementsAre(static_cast<float>(3.0 / 127), static_cast<float>(4.0 / 127)));
  EXPECT_THAT(scale_of("Gemm_1").data<float>(),
              ElementsAre(static_cast<float>(2.0 / 127), static_cast<float>(4.0 / 127)));
}

TEST(WeightInserter, AWeightOfFloatDataHasTheScalesOfTheLeastError) {
  constexpr const char* kText = R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[1, 2] x) => (float[1, 2] y) <float[2, 2] w = {0.3, 0.7, 1, 1.9}> { y = Gemm (x, w) })";
  const auto scales = [](PlannedGraph planned, const RewriteOptions& options) {
    planned.weight("Gemm_0", 1, 1);
    const Model model = planned.rewritten(options);
    const auto found = model.graph().constant(producer(model, reads(model, "Gemm_0", 1)).input(1))->data<float>();
    return std::vector<float>(found.begin(), found.end());
  };
  PlannedGraph paired(kText);
  paired.pair("Gemm_0", 0);
  paired.range("x", {-1, 1});
  const std::vector<float> least = scales(PlannedGraph(kText), {});
  EXPECT_EQ(least, scales(PlannedGraph(kText), {.weight_range = WeightRange::Mse}));
  EXPECT_NE(least, scales(std::move(paired), {})) << "data with a pair: the largest number";
}

TEST(WeightInserter, AWeightReadByTwoOperatorsIsWrittenTwice) {
  PlannedGraph planned(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[1, 2] x) => (float[1, 2] y) <float[2, 2] w = {1, 2, 3, 4}>
{
  a = Gemm (x, w)
  y = MatMul (a, w)
})");
  planned.weight("Gemm_0", 1, 1);
  planned.weight("MatMul_1", 1, 1);
  const Model model = planned.rewritten();
  EXPECT_NE(reads(model, "Gemm_0", 1), reads(model, "MatMul_1", 1));
  EXPECT_EQ(count(model, "DequantizeLinear"), 2U);
}

// --- INT32 biases

/// A network y = Conv(x, w, b) with one input and two output channels; x in [-2, 2].
PlannedGraph convolution_of(const std::string& weights, const std::string& biases) {
  const std::string text = R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 1, 2, 2] x) => (float[N, 2, 2, 2] y)
<float[2, 1, 1, 1] w = {)" +
                           weights + "}, float[2] b = {" + biases + "}> { y = Conv (x, w, b) }";
  PlannedGraph planned(text.c_str());
  planned.pair("Conv_0", 0);
  planned.weight("Conv_0", 1, 0);
  planned.range("x", {-2, 2});
  return planned;
}

RewriteOptions with_int32_bias() {
  RewriteOptions options;
  options.int32_bias = true;
  return options;
}

/// Returns the number that the model adds to each channel: its output for an input of zeros.
std::vector<float> added(const Model& model) {
  const Tensor zeros = Tensor::from<float>({1, 1, 2, 2}, {0, 0, 0, 0});
  const Tensor out = to_plain(run_once(model.graph(), std::span(&zeros, 1), model.graph().outputs()).at(0));
  return {out.data<float>()[0], out.data<float>()[4]};
}

TEST(WeightInserter, ABiasCanBecomeIntegersOfBothScales) {
  PlannedGraph planned = convolution_of("1, -0.5", "0.25, 0.5");
  const Model model = planned.rewritten(with_int32_bias());
  const Node& dequantize = producer(model, reads(model, "Conv_0", 2));
  EXPECT_EQ(dequantize.op_type, "DequantizeLinear");
  const Tensor* codes = model.graph().constant(dequantize.input(0));
  const Tensor* scales = model.graph().constant(dequantize.input(1));
  EXPECT_EQ(codes->type(), DataType::Int32);
  const float input_scale = static_cast<float>(2.0 / 127);
  EXPECT_THAT(scales->data<float>(),
              ElementsAre(input_scale * static_cast<float>(1.0 / 127), input_scale * static_cast<float>(0.5 / 127)));
  // 0.25 / (2/127 * 1/127) = 2016.1; 0.5 / (2/127 * 0.5/127) = 8064.5, where the float scales decide
  EXPECT_THAT(codes->data<int32_t>(), ElementsAre(2016, ::testing::AnyOf(8064, 8065)));
  EXPECT_THAT(planned.warnings, IsEmpty());
}

TEST(WeightInserter, AWeightScaleIsRaisedOnlyWhereTheBiasWouldNotFit) {
  // s_x = 2/127 and s_w = 1e-6/127: 2^31 codes reach up to 0.26626, less one product of 128 * 255 for the sum.
  const float scale = static_cast<float>(1e-6 / 127);
  PlannedGraph fits = convolution_of("1e-6, 1", "0.266, 0.5");
  const Model within = fits.rewritten(with_int32_bias());
  EXPECT_EQ(constant(within, "w_scale").data<float>()[0], scale);
  EXPECT_THAT(fits.warnings, IsEmpty());

  PlannedGraph exceeds = convolution_of("1e-6, 1", "-0.267, 0.5");
  const Model beyond = exceeds.rewritten(with_int32_bias());
  EXPECT_NEAR(constant(beyond, "w_scale").data<float>()[0], scale * 0.267 / 0.26626, scale * 1e-4);
  EXPECT_EQ(constant(beyond, "w_scale").data<float>()[1], static_cast<float>(1.0 / 127)) << "the other is left alone";
  EXPECT_THAT(exceeds.warnings, ElementsAre(HasSubstr("the scale of 1 of 2 channels was raised")));
  const Tensor* codes = beyond.graph().constant(producer(beyond, reads(beyond, "Conv_0", 2)).input(0));
  EXPECT_EQ(codes->type(), DataType::Int32);
  EXPECT_GT(codes->data<int32_t>()[0], std::numeric_limits<int32_t>::min());
  EXPECT_LT(codes->data<int32_t>()[0], -2147000000);
}

TEST(WeightInserter, ARaisedScaleKeepsTheBias) {
  PlannedGraph planned = convolution_of("1e-9, 1", "100, 0.5");
  const std::vector<float> bias = added(planned.rewritten(with_int32_bias()));
  EXPECT_NEAR(bias[0], 100, 100 * 0x1p-22);
  // Half a step of s_x * s_w = 2/127 * 1/127.
  EXPECT_NEAR(bias[1], 0.5, 0.5 * 2 / 127 / 127);
}

TEST(WeightInserter, AChannelWithoutWeightsKeepsItsBias) {
  PlannedGraph planned = convolution_of("0, 0", "0.003, 0");
  const Model model = planned.rewritten(with_int32_bias());
  EXPECT_NEAR(added(model)[0], 0.003, 0.003 * 0x1p-22) << "with scale 1 it would be 0 or a step of 2/127";
  EXPECT_EQ(constant(model, "w_scale").data<float>()[1], 1.0F);
  EXPECT_THAT(constant(model, "w_quantized").data<int8_t>(), ElementsAre(0, 0));
  EXPECT_EQ(constant(planned.rewritten(), "w_scale").data<float>()[0], 1.0F) << "a float bias asks for nothing";
}

TEST(WeightInserter, ASharedWeightServesTheLargestBiasOfItsReaders) {
  PlannedGraph planned(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[1, 1] x) => (float[1, 1] y)
<float[1, 1] w = {1e-6}, float[1] b = {0.1}, float[1] c = {3}>
{
  a = Gemm (x, w, b)
  y = Gemm (a, w, c)
})");
  for (const char* node : {"Gemm_0", "Gemm_1"}) {
    planned.pair(node, 0);
    planned.weight(node, 1, 1);
  }
  planned.range("x", {-2, 2});
  planned.range("a", {-2, 2});
  const Model model = planned.rewritten(with_int32_bias());
  EXPECT_EQ(reads(model, "Gemm_0", 1), reads(model, "Gemm_1", 1));
  EXPECT_NEAR(constant(model, "w_scale").data<float>()[0], 3 / (2.0 / 127) / 0x1p31, 1e-4 * 3 / (2.0 / 127) / 0x1p31);
  for (const char* node : {"Gemm_0", "Gemm_1"})
    EXPECT_EQ(model.graph().constant(producer(model, reads(model, node, 2)).input(0))->type(), DataType::Int32);
}

TEST(WeightInserter, ABiasWithoutAPairBeforeItsNodeStaysFloatAndIsNamed) {
  PlannedGraph planned = convolution_of("1, 1", "0.25, 0.5");
  planned.plan.edges.clear();
  const Model model = planned.rewritten(with_int32_bias());
  EXPECT_EQ(reads(model, "Conv_0", 2), "b");
  EXPECT_THAT(planned.warnings, ElementsAre("the bias of node 'Conv_0' stays float: its input has no pair"));
}

TEST(WeightInserter, AScaledBiasStaysFloatAndIsNamed) {
  PlannedGraph planned(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[1, 1] x) => (float[1, 1] y) <float[1, 1] w = {1}, float[1] b = {0.1}> { y = Gemm <beta = 2.0> (x, w, b) })");
  planned.pair("Gemm_0", 0);
  planned.weight("Gemm_0", 1, 1);
  planned.range("x", {-2, 2});
  EXPECT_EQ(reads(planned.rewritten(with_int32_bias()), "Gemm_0", 2), "b");
  EXPECT_THAT(planned.warnings, ElementsAre(HasSubstr("'Gemm_0' stays float: alpha or beta is not 1")));
}

// Each channel has a scale, so the number is written once a channel.
TEST(WeightInserter, ABiasOfOneNumberForAllChannelsIsSpreadOverThem) {
  PlannedGraph planned(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[1, 2] x) => (float[1, 2] y) <float[2, 2] w = {1, 2, 3, 4}, float[1] b = {0.1}> { y = Gemm (x, w, b) })");
  planned.pair("Gemm_0", 0);
  planned.weight("Gemm_0", 1, 1);
  planned.range("x", {-2, 2});
  const Model model = planned.rewritten(with_int32_bias());
  EXPECT_EQ(reads(model, "Gemm_0", 2), "b_of_Gemm_0_dequantized");
  const Graph& graph = model.graph();
  EXPECT_EQ(graph.constant(*graph.find_value("b_of_Gemm_0_quantized"))->shape(), (Shape{2}));
  EXPECT_THAT(planned.warnings, IsEmpty());
}

TEST(WeightInserter, ABiasOfAnotherNumberOfChannelsStaysFloatAndIsNamed) {
  PlannedGraph planned(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[1, 2] x) => (float[1, 2] y) <float[2, 2] w = {1, 2, 3, 4}, float[3] b = {0.1, 0.2, 0.3}> { y = Gemm (x, w, b) })");
  planned.pair("Gemm_0", 0);
  planned.weight("Gemm_0", 1, 1);
  planned.range("x", {-2, 2});
  EXPECT_EQ(reads(planned.rewritten(with_int32_bias()), "Gemm_0", 2), "b");
  EXPECT_THAT(planned.warnings, ElementsAre(HasSubstr("'Gemm_0' stays float: its shape")));
}

TEST(WeightInserter, ABiasThatIsComputedStaysFloatAndIsNamed) {
  PlannedGraph planned(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[1, 1] x, float[1] b) => (float[1, 1] y) <float[1, 1] w = {1}> { y = Gemm (x, w, b) })");
  planned.pair("Gemm_0", 0);
  planned.weight("Gemm_0", 1, 1);
  planned.range("x", {-2, 2});
  EXPECT_EQ(reads(planned.rewritten(with_int32_bias()), "Gemm_0", 2), "b");
  EXPECT_THAT(planned.warnings, ElementsAre(HasSubstr("'Gemm_0' stays float: it is not constant")));
}

TEST(WeightInserter, BiasesOfHalvesStayHalvesAndAreCounted) {
  PlannedGraph planned(test::parse_half_model(R"(<ir_version: 9, opset_import: ["" : 19]>
g (float16[1, 1] x) => (float16[1, 1] y) <float[1, 1] wf = {1}, float[1] bf = {0.1}>
{
  w = Cast <to = 10> (wf)
  b = Cast <to = 10> (bf)
  y = Gemm (x, w, b)
})"));
  const std::string gemm = planned.graph().producer(*planned.graph().find_value("y"))->name;
  planned.pair(gemm.c_str(), 0);
  planned.weight(gemm.c_str(), 1, 1);
  planned.range("x", {-2, 2});
  EXPECT_EQ(reads(planned.rewritten(with_int32_bias()), gemm.c_str(), 2), "b");
  EXPECT_THAT(planned.warnings, ElementsAre(HasSubstr("1 bias of an FP16 layer stays FP16")));
}

/// A Conv and a depthwise Conv of UINT8 data, both with weights of equal signs.
PlannedGraph saturating_graph() {
  PlannedGraph planned(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[1, 2, 4, 4] x) => (float[1, 2, 4, 4] y) <float[2, 2, 1, 1] w = {1, 0.9, -1, 0.5}, float[2, 1, 1, 1] v = {1, 0.3}>
{
  a = Conv (x, w)
  y = Conv <group = 2> (a, v)
})");
  planned.weight("Conv_0", 1, 0);
  planned.weight("Conv_1", 1, 0);
  planned.pair("Conv_0", 0);
  planned.pair("Conv_1", 0);
  planned.range("x", {0, 1});
  planned.range("a", {0, 1});
  return planned;
}

RewriteOptions on_cpus(RewriteOptions::Saturation saturation) {
  RewriteOptions options;
  options.activation.type = DataType::UInt8;
  options.saturation = saturation;
  return options;
}

TEST(WeightInserter, SaturationIsAvoidedWhereProductsAreAddedInPairs) {
  PlannedGraph planned = saturating_graph();
  const Model model = planned.rewritten(on_cpus(RewriteOptions::Saturation::Avoided));
  const auto w = constant(model, "w_quantized").data<int8_t>();
  EXPECT_LE(w[0] + w[1], 128);
  EXPECT_EQ(w[2], -127) << "-1 and 0.5 have opposite signs";
  EXPECT_EQ(constant(model, "v_quantized").data<int8_t>()[0], 127) << "a depthwise Conv adds exactly";
}

TEST(WeightInserter, SaturationIsAcceptedWhereTheUserKnowsTheCpu) {
  PlannedGraph planned = saturating_graph();
  const Model model = planned.rewritten(on_cpus(RewriteOptions::Saturation::Accepted));
  const auto w = constant(model, "w_quantized").data<int8_t>();
  EXPECT_EQ(w[0], 127);
  EXPECT_EQ(w[1], 114);
}

/// OpenVINO runs them in INT8, and ONNX Runtime a MatMul whose Casts it removes.
TEST(WeightInserter, SaturationIsAvoidedInFp16LayersToo) {
  PlannedGraph planned(test::parse_half_model(R"(
<ir_version: 9, opset_import: ["" : 19]>
g (float16[1, 2] x) => (float16[1, 1] y) <float[2, 1] wf = {1, 0.9}>
{
  w = Cast <to = 10> (wf)
  y = Gemm (x, w)
})"));
  const std::string gemm = planned.graph().producer(*planned.graph().find_value("y"))->name;
  planned.weight(gemm.c_str(), 1, 1);
  planned.pair(gemm.c_str(), 0);
  planned.range("x", {0, 1});
  const Model model = planned.rewritten(on_cpus(RewriteOptions::Saturation::Avoided));
  const auto w = constant(model, "w_quantized").data<int8_t>();
  EXPECT_LE(w[0] + w[1], 128);
  EXPECT_EQ(planned.paired.layers, 1U);
}

TEST(WeightInserter, SevenBitsAreForWeightsThatCanSaturate) {
  PlannedGraph planned = saturating_graph();
  RewriteOptions options = on_cpus(RewriteOptions::Saturation::Accepted);
  options.weight_bits = 7;
  const Model model = planned.rewritten(options);
  EXPECT_EQ(constant(model, "w_quantized").data<int8_t>()[0], 63);
  EXPECT_EQ(constant(model, "v_quantized").data<int8_t>()[0], 127) << "a depthwise Conv adds exactly";
}

TEST(WeightInserter, Uint8WeightsKeepAllCodes) {
  PlannedGraph planned = saturating_graph();
  RewriteOptions options = on_cpus(RewriteOptions::Saturation::Avoided);
  options.uint8_weights = {"w"};
  const Model model = planned.rewritten(options);
  const auto w = constant(model, "w_quantized").data<uint8_t>();
  EXPECT_EQ(w[0], 255);
  EXPECT_EQ(w[1], 128 + 114);
  EXPECT_EQ(w[2], 1);
  EXPECT_EQ(constant(model, "w_zero_point").data<uint8_t>()[0], 128);
}

TEST(WeightInserter, TheScaleThatCodesWereChosenWithIsKept) {
  PlannedGraph planned = saturating_graph();
  RewriteOptions options = on_cpus(RewriteOptions::Saturation::Avoided);
  options.weight_scales["w"] = {0.25F, 0.125F};
  const Model model = planned.rewritten(options);
  const auto scale = constant(model, "w_scale").data<float>();
  EXPECT_EQ(scale[0], 0.25F);
  EXPECT_EQ(scale[1], 0.125F);
}

constexpr const char* kTwoProducts = R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[1, 2] x) => (float[1, 2] y) <float[2, 2] w = {-0.5, 0, 1, 2.05}, float[2, 2] v = {1, 2, 3, 4}>
{
  a = MatMul (x, w)
  y = Gemm (a, v)
})";

TEST(WeightInserter, AWeightWithOneScaleIsUInt8WhereTheTargetWantsThat) {
  PlannedGraph planned(kTwoProducts);
  planned.weight("MatMul_0", 1, -1);
  planned.weight("Gemm_1", 1, 1);
  RewriteOptions options;
  options.uint8_single_scales = true;
  const Model model = planned.rewritten(options);
  EXPECT_EQ(constant(model, "w_quantized").type(), DataType::UInt8);
  EXPECT_EQ(constant(model, "w_zero_point").data<uint8_t>()[0], 50);
  EXPECT_EQ(constant(model, "v_quantized").type(), DataType::Int8) << "one scale for each channel";
}

TEST(WeightInserter, AllWeightsAreUInt8WithPerTensorScalesThen) {
  PlannedGraph planned(kTwoProducts);
  planned.weight("MatMul_0", 1, -1);
  planned.weight("Gemm_1", 1, 1);
  RewriteOptions options;
  options.uint8_single_scales = options.per_tensor_weights = true;
  const Model model = planned.rewritten(options);
  EXPECT_EQ(constant(model, "v_quantized").type(), DataType::UInt8);
  EXPECT_EQ(constant(planned.rewritten({.per_tensor_weights = true}), "v_quantized").type(), DataType::Int8);
}

TEST(WeightInserter, ASingleScaleThatIsGivenBelongsToShiftedCodes) {
  PlannedGraph planned(kTwoProducts);
  planned.weight("MatMul_0", 1, -1);
  RewriteOptions options;
  options.uint8_single_scales = true;
  options.weight_scales["w"] = {0.025F};
  const Model model = planned.rewritten(options);
  EXPECT_EQ(constant(model, "w_zero_point").data<uint8_t>()[0], 128);
  EXPECT_EQ(constant(model, "w_scale").data<float>()[0], 0.025F);
}

}  // namespace
}  // namespace detent
