#include "rewrite/qdq_inserter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "exec/executor.h"
#include "model/qoperators.h"
#include "place/rules/rules.h"
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
using ::testing::SizeIs;

constexpr const char* kConvolution = R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 1, 2, 2] x) => (float[N, 2, 2, 2] y)
<float[2, 1, 1, 1] w = {1, -0.5}, float[2] b = {0.25, 0.5}>
{
  c = Conv (x, w, b)
  r = Relu (x)
  s = Add (c, r)
  y = Neg (s)
})";

PlannedGraph convolution() {
  PlannedGraph planned(kConvolution);
  planned.pair("Conv_0", 0);
  planned.weight("Conv_0", 1, 0);
  planned.range("x", {-2, 2});
  return planned;
}

TEST(QdqInserter, PairsOneEdgeAndLeavesTheOtherReaderFloat) {
  PlannedGraph planned = convolution();
  const Model model = planned.rewritten();
  EXPECT_EQ(reads(model, "Conv_0", 0), "x_dequantized");
  EXPECT_EQ(reads(model, "Relu_1", 0), "x");
  EXPECT_EQ(producer(model, "x_dequantized").op_type, "DequantizeLinear");
  EXPECT_EQ(producer(model, "x_quantized").op_type, "QuantizeLinear");
  EXPECT_EQ(constant(model, "x_scale").shape(), Shape{});
  EXPECT_EQ(constant(model, "x_scale").data<float>()[0], static_cast<float>(2.0 / 127));
  EXPECT_EQ(constant(model, "x_zero_point").type(), DataType::Int8);
  EXPECT_EQ(constant(model, "x_zero_point").shape(), Shape{});
  EXPECT_TRUE(producer(model, "x_quantized").has("axis"));
  EXPECT_TRUE(producer(model, "x_dequantized").has("axis"));
  EXPECT_THAT(planned.warnings, IsEmpty());
  ASSERT_THAT(planned.values, SizeIs(1));
  EXPECT_EQ(planned.values[0].range, (Range{-2, 2}));
  EXPECT_TRUE(is_quantized(model.graph()));
}

TEST(QdqInserter, OnePairServesAllQuantizedReaders) {
  PlannedGraph planned = convolution();
  planned.pair("Relu_1", 0);
  const Model model = planned.rewritten();
  EXPECT_EQ(reads(model, "Relu_1", 0), "x_dequantized");
  EXPECT_EQ(count(model, "QuantizeLinear"), 1U);
}

TEST(QdqInserter, WeightsBecomeIntegersWithTheirChannelsScales) {
  const Model model = convolution().rewritten();
  const Node& dequantize = producer(model, reads(model, "Conv_0", 1));
  EXPECT_EQ(dequantize.op_type, "DequantizeLinear");
  EXPECT_EQ(dequantize.int_or("axis", -7), 0);
  EXPECT_THAT(constant(model, "w_quantized").data<int8_t>(), ElementsAre(127, -127));
  EXPECT_THAT(constant(model, "w_scale").data<float>(),
              ElementsAre(static_cast<float>(1.0 / 127), static_cast<float>(0.5 / 127)));
  EXPECT_EQ(constant(model, "w_zero_point").shape(), Shape{2});
  EXPECT_EQ(model.graph().find_value("w"), kNoValue) << "the float weight is not kept beside the codes";
  EXPECT_EQ(reads(model, "Conv_0", 2), "b");
}

TEST(QdqInserter, FloatWeightsGetAFullPairWhereTheEngineWantsIt) {
  RewriteOptions options;
  options.int8_weights = false;
  const Model model = convolution().rewritten(options);
  EXPECT_EQ(producer(model, "w_quantized").op_type, "QuantizeLinear");
  EXPECT_EQ(producer(model, "w_quantized").int_or("axis", -7), 0);
  EXPECT_EQ(constant(model, "w").type(), DataType::Float32);
}

TEST(QdqInserter, OneScalePerWeightOnRequest) {
  RewriteOptions options;
  options.per_tensor_weights = true;
  const Model model = convolution().rewritten(options);
  EXPECT_EQ(constant(model, "w_scale").shape(), Shape{});
  EXPECT_THAT(constant(model, "w_quantized").data<int8_t>(), ElementsAre(127, -64));  // -63.5, half to even
}

TEST(QdqInserter, UnsignedActivationsHaveAZeroPoint) {
  PlannedGraph planned = convolution();
  planned.range("x", {-1, 3});
  RewriteOptions options;
  options.activation.type = DataType::UInt8;
  const Model model = planned.rewritten(options);
  EXPECT_THAT(constant(model, "x_zero_point").data<uint8_t>(), ElementsAre(64));  // 1 / (4 / 255) = 63.75
  EXPECT_THAT(constant(model, "w_quantized").data<int8_t>(), ElementsAre(127, -127)) << "weights stay signed";
}

TEST(QdqInserter, NoZeroPointInTheMiddleOfTheCodesOnRequest) {
  PlannedGraph planned = convolution();
  RewriteOptions options;
  options.activation.type = DataType::UInt8;
  options.narrow_weights = true;
  const auto point = [&](const Range& range, bool off_middle) {
    planned.range("x", range);
    options.off_middle = off_middle;
    return int{constant(planned.rewritten(options), "x_zero_point").data<uint8_t>()[0]};
  };
  EXPECT_EQ(point({-1.004F, 1}, false), 128);
  EXPECT_EQ(point({-1.004F, 1}, true), 129) << "the wider side keeps its codes";
  EXPECT_EQ(point({-1, 3}, true), 64);
  const Model model = planned.rewritten(options);
  EXPECT_THAT(constant(model, "w_quantized").data<int8_t>(), ElementsAre(126, -128));
  EXPECT_THAT(constant(model, "w_zero_point").data<int8_t>(), ElementsAre(-1, -1));
  EXPECT_THAT(constant(model, "w_scale").data<float>(),
              ElementsAre(static_cast<float>(1.0 / 127), static_cast<float>(0.5 / 127)));
}

TEST(QdqInserter, AGraphOutputKeepsItsNameBehindItsPair) {
  PlannedGraph planned(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[4] x) => (float[4] y, float[4] z)
{
  y = Relu (x)
  z = Neg (y)
})");
  planned.plan.values[*planned.graph().find_value("y")] = {.pair = true,
                                                           .output = OutputPair{&rules::kGraphOutputs, "on request"}};
  planned.range("y", {-1, 1});
  const Model model = planned.rewritten();
  EXPECT_EQ(producer(model, "y").op_type, "DequantizeLinear");
  EXPECT_EQ(producer(model, "y_float").op_type, "Relu");
  EXPECT_EQ(reads(model, "Neg_1", 0), "y_float") << "its edge was not to be paired";
  planned.pair("Neg_1", 0);
  EXPECT_EQ(reads(planned.rewritten(), "Neg_1", 0), "y");
}

TEST(QdqInserter, ConstantActivationsBecomeCodesToo) {
  PlannedGraph planned(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[2] x) => (float[2] y) <float[2] k = {1, -2}> { y = Add (x, k) })");
  planned.pair("Add_0", 1);
  planned.range("k", {-2, 2});
  const Model model = planned.rewritten();
  EXPECT_THAT(constant(model, "k_quantized").data<int8_t>(), ElementsAre(64, -127));
  EXPECT_EQ(count(model, "QuantizeLinear"), 0U);
  EXPECT_EQ(count(model, "DequantizeLinear"), 1U);
}

TEST(QdqInserter, NamesThatAreTakenGetANumber) {
  PlannedGraph planned(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[2] x, float[2] x_dequantized, float[2] x_scale) => (float[2] y)
{
  a = Relu (x)
  b = Add (x_dequantized, x_scale)
  y = Add (a, b)
})");
  planned.pair("Relu_0", 0);
  planned.range("x", {-1, 1});
  EXPECT_EQ(reads(planned.rewritten(), "Relu_0", 0), "x_dequantized_1");
}

constexpr const char* kHalf = R"(
<ir_version: 9, opset_import: ["" : 19]>
g (float16[N, 2] x) => (float16[N, 2] y) { y = Relu (x) })";

TEST(QdqInserter, HalfPrecisionValuesGetHalfPrecisionScales) {
  PlannedGraph planned(kHalf);
  planned.pair("Relu_0", 0);
  planned.range("x", {-1, 1});
  const Model model = planned.rewritten();
  EXPECT_EQ(constant(model, "x_scale").type(), DataType::Float16);
  EXPECT_EQ(count(model, "Cast"), 0U);
}

TEST(QdqInserter, OrFloatScalesBetweenCasts) {
  PlannedGraph planned(kHalf);
  planned.pair("Relu_0", 0);
  planned.range("x", {-1, 1});
  RewriteOptions options;
  options.half_scales = false;
  const Model model = planned.rewritten(options);
  EXPECT_EQ(constant(model, "x_scale").type(), DataType::Float32);
  const Node& back = producer(model, reads(model, "Relu_0", 0));
  EXPECT_EQ(back.op_type, "Cast");
  EXPECT_EQ(back.int_or("to", 0), 10);  // FLOAT16
  EXPECT_EQ(count(model, "Cast"), 2U);
}

TEST(QdqInserter, AValueThatWasAlwaysZeroIsNamed) {
  PlannedGraph planned = convolution();
  planned.range("x", {0, 0});
  (void)planned.rewritten();
  EXPECT_THAT(planned.warnings, ElementsAre(HasSubstr("'x' was 0 in every sample")));
}

TEST(QdqInserter, AMissingRangeIsNamed) {
  PlannedGraph planned = convolution();
  planned.ranges.clear();
  try {
    (void)planned.rewritten();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::TableMismatch);
    EXPECT_THAT(error.what(), HasSubstr("'x'"));
  }
}

TEST(QdqInserter, AnEmptyPlanGivesAnEmptyPatch) {
  const PlannedGraph planned(kConvolution);
  EXPECT_TRUE(make_qdq_patch(planned.graph(), planned.plan, {}).patch.empty());
}

TEST(QdqInserter, TheResultComputesWhatQuantizationByHandComputes) {
  PlannedGraph planned = convolution();
  const Tensor input = Tensor::from<float>({1, 1, 2, 2}, {0.3F, -1.7F, 2.5F, 0.01F});
  for (const bool int8_weights : {true, false}) {
    RewriteOptions options;
    options.int8_weights = int8_weights;
    const Model model = planned.rewritten(options);
    const std::vector<Tensor> got = run_once(model.graph(), std::span(&input, 1), model.graph().outputs());
    const float scale = static_cast<float>(2.0 / 127);
    for (size_t i = 0; i < 8; ++i) {
      const float x = input.data<float>()[i % 4];
      const float rounded = std::clamp(std::nearbyint(x / scale), -128.0F, 127.0F) * scale;
      const float weight = i < 4 ? 1.0F : -0.5F, bias = i < 4 ? 0.25F : 0.5F;
      const float expected = -(weight * rounded + bias + std::max(x, 0.0F));
      // A handful of float operations on numbers up to 5.
      EXPECT_NEAR(got[0].data<float>()[i], expected, 5 * 4 * 0x1p-24) << i;
    }
  }
}

PlannedGraph wide_convolution() {
  PlannedGraph planned = convolution();
  planned.plan.type = CodeType::A16W8;
  return planned;
}

TEST(WideCodes, AreOperatorsOfMicrosoftBelowOpset21) {
  RewriteOptions options;
  options.activation.type = DataType::UInt16;
  const Model model = wide_convolution().rewritten(options);
  EXPECT_TRUE(producer(model, "x_quantized").of_microsoft);
  EXPECT_TRUE(producer(model, "x_dequantized").of_microsoft);
  EXPECT_FALSE(producer(model, reads(model, "Conv_0", 1)).of_microsoft) << "weights have 8 bits";
  EXPECT_EQ(model.opsets().at("com.microsoft"), 1);
  EXPECT_EQ(constant(model, "x_zero_point").type(), DataType::UInt16);
  EXPECT_EQ(constant(model, "x_scale").data<float>()[0], static_cast<float>(4.0 / 65535));
  EXPECT_EQ(constant(model, "w_quantized").type(), DataType::Int8);
}

TEST(WideCodes, AreOnnxOwnOperatorsFromOpset21On) {
  std::string text = kConvolution;
  text.replace(text.find(": 13"), 4, ": 21");
  PlannedGraph planned(text.c_str());
  planned.pair("Conv_0", 0);
  planned.range("x", {-2, 2});
  planned.plan.type = CodeType::A16W8;
  const Model model = planned.rewritten({.activation = {.type = DataType::Int16}});
  EXPECT_FALSE(producer(model, "x_quantized").of_microsoft);
  EXPECT_FALSE(model.opsets().contains("com.microsoft"));
  EXPECT_EQ(constant(model, "x_scale").data<float>()[0], static_cast<float>(2.0 / 32767));
}

TEST(WideCodes, AreThoseOfTheWideValuesAlone) {
  PlannedGraph planned = convolution();
  planned.pair("Neg_3", 0);
  planned.range("s", {-1, 1});
  planned.plan.values[*planned.graph().find_value("s")].wide = true;
  const Model model = planned.rewritten();
  EXPECT_EQ(constant(model, "s_zero_point").type(), DataType::Int16);
  EXPECT_EQ(constant(model, "x_zero_point").type(), DataType::Int8);
  EXPECT_FALSE(producer(model, "x_quantized").of_microsoft);
}

TEST(WideCodes, OfOneReaderComeFromASecondPair) {
  PlannedGraph planned = convolution();
  planned.pair("Neg_3", 0);
  planned.range("s", {-1, 1});
  planned.plan.edges.back().reads = Reads::SecondPair;
  planned.plan.values[*planned.graph().find_value("s")].second_pair = true;
  const Model model = planned.rewritten();
  EXPECT_EQ(reads(model, "Neg_3", 0), "s_int16_dequantized");
  EXPECT_EQ(constant(model, "s_zero_point").type(), DataType::Int8) << "the value's own pair";
  EXPECT_EQ(constant(model, "s_int16_zero_point").type(), DataType::Int16);
  const Graph& graph = model.graph();
  EXPECT_EQ(graph.value(*producer(model, "s_int16_quantized").input(0)).name, "s_dequantized");
}

TEST(WideCodes, RaiseAWeightScaleWhoseBiasWouldNotFit32Bits) {
  PlannedGraph planned = wide_convolution();
  planned.range("x", {-1e-5F, 1e-5F});  // the bias of 0.25 is 25000 times as large as any product
  const Model model = planned.rewritten({.activation = {.type = DataType::UInt16}, .int32_bias = true});
  ASSERT_FALSE(planned.warnings.empty());
  EXPECT_THAT(planned.warnings.front(), HasSubstr("was raised so that the INT32 bias fits 32 bits"));
  EXPECT_EQ(producer(model, reads(model, "Conv_0", 2)).op_type, "DequantizeLinear");
  PlannedGraph eight = convolution();
  eight.range("x", {-1e-2F, 1e-2F});
  static_cast<void>(eight.rewritten({.activation = {.type = DataType::UInt8}, .int32_bias = true}));
  EXPECT_THAT(eight.warnings, IsEmpty()) << "8 bits have room for a bias 25 times as large";
}

TEST(WideCodes, ComputeAsTheFloatModelToTheirStep) {
  PlannedGraph planned = wide_convolution();
  const Model written = planned.rewritten({.activation = {.type = DataType::UInt16}});
  const auto run = [](const Model& model) {
    const Tensor input = Tensor::from<float>({1, 1, 2, 2}, {-1.9F, -0.3F, 0.7F, 1.9F});
    return run_once(model.graph(), std::span(&input, 1), model.graph().outputs()).front();
  };
  const Tensor exact = run(planned.model), rounded = run(written);
  for (size_t i = 0; i < exact.data<float>().size(); ++i)
    EXPECT_NEAR(rounded.data<float>()[i], exact.data<float>()[i], 0.55 * 4 / 65535);
}

}  // namespace
}  // namespace detent
