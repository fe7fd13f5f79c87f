#include "prepare/engine_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "exec/same_outputs.h"
#include "ops/value_types.h"
#include "place/engines/target.h"
#include "prepare/prepare_model.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> form_of(const Model& model) {
  std::vector<std::string> found;
  for (const Node& node : model.graph().nodes()) found.push_back(node.op_type);
  return found;
}

/// Returns numbers from -3 to 3 in this shape.
Tensor ramp(const Shape& shape, DataType type = DataType::Float32) {
  Tensor tensor(DataType::Float32, shape);
  const auto numbers = tensor.mutable_data<float>();
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = -3 + 6 * static_cast<float>(i) / static_cast<float>(numbers.size());
  return cast(tensor, type);
}

/// Brings the model into the forms that HTP wants and expects the same outputs for `inputs`.
std::vector<std::string> changed(const std::string& text, const std::vector<Tensor>& inputs) {
  Model model = parse_model_text(text);
  const NamedOutputs before = outputs_of(model, inputs);
  (void)bring_into_forms(model, find_target("qnn"));
  EXPECT_NO_THROW(check_same_outputs(before, model, inputs, "forms"));
  return form_of(model);
}

std::string gelu(const std::string& body, int opset = 20) {
  return "<ir_version: 10, opset_import: [\"\" : " + std::to_string(opset) + R"(]>
    g (float[2,16] x) => (float[2,16] y)
    <float root = {1.4142135}, float inverse = {0.70710678}, float one = {1}, float half = {0.5}, float two = {2}>
    { )" +
         body + " }";
}

TEST(Forms, GeluIsOneOperatorInAnyOrder) {
  for (const char* body : {
           "a = Div (x, root)  b = Erf (a)  c = Add (b, one)  d = Mul (x, c)  y = Mul (d, half)",
           "a = Mul (x, inverse)  b = Erf (a)  c = Add (one, b)  d = Mul (half, x)  y = Mul (d, c)",
           "a = Div (x, root)  b = Erf (a)  c = Add (b, one)  d = Mul (c, half)  y = Mul (d, x)",
           "a = Div (x, root)  b = Erf (a)  c = Add (b, one)  d = Mul (x, c)  y = Div (d, two)",
       })
    EXPECT_THAT(changed(gelu(body), {ramp({2, 16})}), ElementsAre("Gelu")) << body;
}

TEST(Forms, AlphaAndBetaOfAGemmBecomePartOfItsConstants) {
  const auto gemm = [](const std::string& attributes, const std::string& inputs) {
    return R"(<ir_version: 8, opset_import: ["" : 17]> g (float[2,4] x, float[2,3] c) => (float[2,3] y)
      <float[4,3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, float[3] b = {1, -2, 3}>
      { y = Gemm <)" +
           attributes + "> (" + inputs + ") }";
  };
  const auto plain = [](const std::string& text) {
    Model model = parse_model_text(text);
    const std::vector<Tensor> inputs{ramp({2, 4}), ramp({2, 3})};
    const NamedOutputs before = outputs_of(model, inputs);
    (void)bring_into_forms(model, find_target("qnn"));
    EXPECT_NO_THROW(check_same_outputs(before, model, inputs, "forms"));
    const Node& node = model.graph().nodes().front();
    return node.float_or("alpha", 1) == 1 && node.float_or("beta", 1) == 1;
  };
  EXPECT_TRUE(plain(gemm("alpha = 0.5, beta = 2.0", "x, w, b")));
  EXPECT_TRUE(plain(gemm("alpha = 0.5", "x, w, c")));
  EXPECT_TRUE(plain(gemm("alpha = 0.5", "x, w")));
  EXPECT_FALSE(plain(gemm("beta = 2.0", "x, w, c"))) << "nothing constant holds the factor";
}

TEST(Forms, GeluRaisesTheOpset) {
  Model model =
      parse_model_text(gelu("a = Div (x, root)  b = Erf (a)  c = Add (b, one)  d = Mul (x, c)  y = Mul (d, half)", 13));
  (void)bring_into_forms(model, find_target("qnn"));
  EXPECT_EQ(model.graph().opset(), 20);
  EXPECT_THAT(form_of(model), ElementsAre("Gelu"));
}

TEST(Forms, WhatIsNoGeluStays) {
  for (const char* body : {
           "a = Div (x, two)  b = Erf (a)  c = Add (b, one)  d = Mul (x, c)  y = Mul (d, half)",   // another slope
           "a = Div (x, root)  b = Erf (a)  c = Add (b, two)  d = Mul (x, c)  y = Mul (d, half)",  // another sum
           "y = Erf (x)",
       })
    EXPECT_THAT(changed(gelu(body), {ramp({2, 16})}), ::testing::Contains("Erf")) << body;
}

std::vector<std::string> with_exponentials(const std::string& body) {
  return changed(R"(<ir_version: 8, opset_import: ["" : 17]> g (float[2,16] x) => (float[2,16] y)
    <float one = {1}, float two = {2}, float half = {0.5}, float zero = {0}> { )" +
                     body + " }",
                 {ramp({2, 16})});
}

TEST(Forms, ActivationsWithExponentialsAreWrittenWithout) {
  const auto becomes = [](const char* body, const std::vector<std::string>& operators) {
    EXPECT_EQ(with_exponentials(body), operators) << body;
  };
  becomes("a = Exp (x)  b = Add (a, one)  y = Log (b)", {"Softplus"});
  becomes("a = Exp (x)  b = Add (one, a)  y = Log (b)", {"Softplus"});
  becomes("m = Max (x, zero)  a = Abs (x)  n = Neg (a)  e = Exp (n)  p = Add (e, one)  l = Log (p)  y = Add (m, l)",
          {"Softplus"});
  becomes("n = Neg (x)  s = Sigmoid (n)  l = Log (s)  y = Neg (l)", {"Softplus"});
  becomes("s = Sigmoid (x)  y = Log (s)", {"Neg", "Softplus", "Neg"});
  becomes("a = Exp (x)  b = Add (a, one)  l = Log (b)  t = Tanh (l)  y = Mul (x, t)", {"Softplus", "Tanh", "Mul"});
  becomes(
      "e = Exp (x)  p = Add (e, one)  q = Pow (p, two)  n = Sub (q, one)  d = Add (q, one)  r = Div (n, d)  "
      "y = Mul (r, x)",
      {"Softplus", "Tanh", "Mul"});
  becomes("n = Neg (x)  e = Exp (n)  p = Add (e, one)  y = Div (x, p)", {"Sigmoid", "Mul"});
  becomes("n = Neg (x)  e = Exp (n)  p = Add (e, one)  y = Reciprocal (p)", {"Sigmoid"});
  becomes("s = Mul (x, two)  a = Exp (s)  b = Add (a, one)  l = Log (b)  y = Mul (l, half)",
          {"Mul", "Softplus", "Mul"});
}

TEST(Forms, OtherExponentialsStay) {
  for (const char* body : {"e = Exp (x)  p = Add (e, two)  y = Log (p)", "y = Exp (x)",
                           "e = Exp (x)  p = Add (e, one)  l = Log (p)  y = Add (l, e)"})
    EXPECT_THAT(with_exponentials(body), ::testing::Contains("Exp")) << body;
}

TEST(Forms, AGateThatIsReadElsewhereStaysBesideGelu) {
  const auto found = changed(R"(<ir_version: 10, opset_import: ["" : 20]>
    g (float[2,16] x) => (float[2,16] y, float[2,16] b)
    <float root = {1.4142135}, float one = {1}, float half = {0.5}>
    { a = Div (x, root)  b = Erf (a)  c = Add (b, one)  d = Mul (x, c)  y = Mul (d, half) })",
                             {ramp({2, 16})});
  EXPECT_THAT(found, ::testing::UnorderedElementsAre("Div", "Erf", "Gelu"));
}

TEST(Forms, OtherOperatorsReplaceWhatHtpComputesWrong) {
  const std::vector<Tensor> inputs{ramp({2, 16})};
  const std::string head = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[2,16] x) => (float[2,16] y) <float c = {1}, float k = {0.5}, float[16] w = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7}> )";
  EXPECT_THAT(changed(head + "{ a = Exp (x)  y = Reciprocal (a) }", inputs), ElementsAre("Exp", "Div"));
  EXPECT_THAT(changed(head + "{ a = Add (x, c)  y = Mul (a, k) }", inputs), ElementsAre("Sub", "Mul"));
  EXPECT_THAT(changed(head + "{ a = Add (c, x)  y = Mul (a, k) }", inputs), ElementsAre("Sub", "Mul"));
  EXPECT_THAT(changed(head + "{ a = Add (x, w)  y = Mul (a, k) }", inputs), ElementsAre("Add", "Mul")) << "a bias";
}

TEST(Forms, SumsOfSquaresKeepTheirAxes) {
  EXPECT_THAT(changed(R"(<ir_version: 8, opset_import: ["" : 13]>
    g (float[2,3,4] x) => (float[2,4] y) { y = ReduceSumSquare <axes = [1], keepdims = 0> (x) })",
                      {ramp({2, 3, 4})}),
              ElementsAre("Mul", "ReduceSum"));
}

TEST(Forms, RemaindersOfNegativeNumbersComeOutRight) {
  const std::string text = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (int64[12] x) => (int64[12] y) <int64 n = {3}> { y = Mod (x, n) })";
  std::vector<int64_t> numbers;
  for (int64_t i = -6; i < 6; ++i) numbers.push_back(i);
  const auto found = changed(text, {Tensor::from<int64_t>({12}, numbers)});
  EXPECT_THAT(found, ::testing::Not(::testing::Contains("Mod")));
}

constexpr const char* kDeconvolution = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,4,5,5] x) => (float[1,6,H,W] y) <float[4,3,2,2] w = {
       1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3,  4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6,
       7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9,  3, 2, 1, 4, 5, 6, 9, 8, 7, 1, 3, 2}, float[6] b = {1, 2, 3, 4, 5, 6}> )";

TEST(Forms, ADeconvolutionIsSplitIntoItsGroups) {
  EXPECT_THAT(changed(std::string(kDeconvolution) + "{ y = ConvTranspose <group = 2, strides = [2,2]> (x, w, b) }",
                      {ramp({1, 4, 5, 5})}),
              ::testing::UnorderedElementsAre("Split", "ConvTranspose", "ConvTranspose", "Concat"));
}

TEST(Forms, ADilatedDeconvolutionHasZerosInItsKernel) {
  EXPECT_THAT(changed(std::string(kDeconvolution) + "{ y = ConvTranspose <group = 2, dilations = [2,3]> (x, w, b) }",
                      {ramp({1, 4, 5, 5})}),
              ::testing::UnorderedElementsAre("Split", "ConvTranspose", "ConvTranspose", "Concat"));
}

TEST(Forms, VolumesArePooledPlaneByPlane) {
  EXPECT_THAT(changed(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,2,5,6,7] x) => (float[1,2,D,H,W] y)
    { y = MaxPool <kernel_shape = [2,3,2], strides = [1,2,2], pads = [1,1,0,0,1,1]> (x) })",
                      {ramp({1, 2, 5, 6, 7})}),
              ElementsAre("Reshape", "MaxPool", "Reshape", "MaxPool", "Reshape"));
}

std::vector<std::string> changed_pair(const std::string& body) {
  return changed(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[2,6] a, float[2,6] b) => (float[2,6] y) <float low = {0.5}, float high = {2}, float below = {-0.5}> { )" +
                     body + " }",
                 {ramp({2, 6}), ramp({2, 6})});
}

TEST(Forms, SeveralOperandsAreTakenTwoAtATime) {
  EXPECT_THAT(changed_pair("c = Abs (a)  y = Sum (a, b, c)"), ElementsAre("Abs", "Add", "Add"));
  EXPECT_THAT(changed_pair("c = Abs (a)  y = Max (a, b, c)"), ElementsAre("Abs", "Max", "Max"));
  EXPECT_THAT(changed_pair("c = Abs (a)  y = Mean (a, b, c)"), ElementsAre("Abs", "Add", "Add", "Mul"));
  EXPECT_THAT(changed_pair("y = Mean (a, b)"), ElementsAre("Add", "Mul"));
  EXPECT_THAT(changed_pair("y = Sum (a, b)"), ElementsAre("Sum"));
}

TEST(Forms, AClipFromAboveZeroIsAMaximum) {
  EXPECT_THAT(changed_pair("y = Clip (a, low)"), ElementsAre("Max"));
  EXPECT_THAT(changed_pair("y = Clip (a, low, high)"), ElementsAre("Max", "Min"));
  EXPECT_THAT(changed_pair("y = Clip (a, below, high)"), ElementsAre("Clip"));
}

std::vector<std::string> averaged(const std::string& attributes) {
  return changed(R"(<ir_version: 8, opset_import: ["" : 17]> g (float[1,2,13,16] x) => (float[1,2,H,W] y)
    { y = AveragePool <)" +
                     attributes + "> (x) }",
                 {ramp({1, 2, 13, 16})});
}

TEST(Forms, AveragesSideBySideCountNoPadding) {
  EXPECT_THAT(averaged("kernel_shape = [3,3], strides = [3,3], pads = [1,2,1,0], count_include_pad = 1"),
              ElementsAre("Pad", "AveragePool"));
  EXPECT_THAT(averaged("kernel_shape = [3,3], strides = [3,3], pads = [1,1,1,1]"), ElementsAre("AveragePool"));
  EXPECT_THAT(averaged("kernel_shape = [3,3], strides = [2,3], pads = [1,1,1,1], count_include_pad = 1"),
              ElementsAre("AveragePool"));
}

TEST(Forms, EvenWindowsSideBySideAreHalved) {
  EXPECT_THAT(averaged("kernel_shape = [4,4], strides = [4,4]"), ElementsAre("AveragePool", "AveragePool"));
  EXPECT_THAT(averaged("kernel_shape = [6,4], strides = [6,4]"), ElementsAre("AveragePool", "AveragePool"));
  EXPECT_THAT(averaged("kernel_shape = [4,4], strides = [4,4], pads = [1,1,1,1], count_include_pad = 1"),
              ElementsAre("Pad", "AveragePool", "AveragePool"));
  for (const char* kept : {"kernel_shape = [2,2], strides = [2,2]", "kernel_shape = [4,4], strides = [2,4]",
                           "kernel_shape = [13,16], strides = [13,16]", "kernel_shape = [4,3], strides = [4,3]",
                           "kernel_shape = [4,4], strides = [4,4], ceil_mode = 1"})
    EXPECT_THAT(averaged(kept), ElementsAre("AveragePool")) << kept;
}

/// Returns the operators of a graph over x[1,2,9,8] in the form that OpenVINO wants, a Conv with its strides.
std::vector<std::string> strided(const std::string& body, const std::string& outputs = "float[1,2,H,W] y") {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]> g (float[1,2,9,8] x) => ()" + outputs +
                                 R"()
    <float[2,2,1,1] w = {1, -2, 3, 0.5}, float[2,1,1,1] v = {1, -2}, float[1,2,1,1] c = {1, 2},
     float[2,2,2,2] k = {1, 2, 3, 4, -1, -2, -3, -4, 5, 6, 7, 8, 1, 0, 1, 0}> { )" +
                                 body + " }");
  const std::vector<Tensor> inputs{ramp({1, 2, 9, 8})};
  const NamedOutputs before = outputs_of(model, inputs);
  (void)bring_into_forms(model, find_target("openvino"));
  EXPECT_NO_THROW(check_same_outputs(before, model, inputs, "forms")) << body;
  EXPECT_FALSE(lacks_forms(model.graph(), find_target("openvino"))) << body;
  std::vector<std::string> found;
  for (const Node& node : model.graph().nodes()) {
    std::string strides;
    for (const int64_t stride : node.ints_or("strides", {})) strides += " " + std::to_string(stride);
    found.push_back(node.op_type + strides);
  }
  return found;
}

const std::string kTwo = "float[1,2,H,W] y, float[1,2,I,J] z";

TEST(EarlyStrides, AMaxPoolTakesTheElementsThatStridedConvsRead) {
  EXPECT_THAT(strided("y = Conv <strides = [2,2]> (x, w)"), ElementsAre("MaxPool 2 2", "Conv 1 1"));
  EXPECT_THAT(strided("y = Conv <strides = [2,1]> (x, w)  z = Conv <strides = [2,1]> (x, w)", kTwo),
              ElementsAre("MaxPool 2 1", "Conv 1 1", "Conv 1 1"));
  EXPECT_THAT(strided("y = Conv <auto_pad = \"SAME_UPPER\", strides = [3,2]> (x, w)"),
              ElementsAre("MaxPool 3 2", "Conv 1 1"));
}

TEST(EarlyStrides, TheyMoveUpToAConvThatComputesFewerElements) {
  EXPECT_THAT(strided("a = Conv <pads = [1,1,0,0]> (x, k)  b = Relu (a)  y = Conv <strides = [2,2]> (b, w)"),
              ElementsAre("Conv 2 2", "Relu", "Conv 1 1"));
  EXPECT_THAT(strided("a = Conv <strides = [2,1]> (x, k)  b = Conv <strides = [2,2]> (a, w)  y = Conv (b, k)"),
              ElementsAre("Conv 4 2", "Conv 1 1", "Conv"));
  EXPECT_THAT(strided("a = Conv <group = 2> (x, v)  y = Conv <strides = [2,2]> (a, w)"),
              ElementsAre("Conv 2 2", "Conv 1 1"));
}

TEST(EarlyStrides, OneOperandOfASumMayBeReadAsAWholeToo) {
  EXPECT_THAT(strided("a = Relu (x)  b = Conv <pads = [1,1,0,0]> (a, k)  s = Add (b, a)  r = Relu (s)"
                      "  y = Conv <strides = [2,2]> (r, w)  z = Conv <strides = [2,2]> (r, w)",
                      kTwo),
              ElementsAre("Relu", "Conv 2 2", "MaxPool 2 2", "Add", "Relu", "Conv 1 1", "Conv 1 1"));
  EXPECT_THAT(strided("a = Sigmoid (x)  b = Relu (x)  s = Add (a, b)  y = Conv <strides = [2,2]> (s, w)"
                      "  z = Add (a, b)",
                      kTwo),
              ElementsAre("Sigmoid", "Relu", "Add", "MaxPool 2 2", "Conv 1 1", "Add"));
}

TEST(EarlyStrides, APadByComputedExtentsDoesNotHideTheAxesOfASum) {
  EXPECT_THAT(strided("n = Shape (x)  m = Sub (n, n)  o = Concat <axis = 0> (m, m)  p = Pad (x, o)"
                      "  a = Conv <pads = [1,1,0,0]> (p, k)  b = Conv <pads = [1,1,0,0]> (a, k)  s = Add (a, b)"
                      "  y = Conv <strides = [2,2]> (s, w)"),
              ElementsAre("Shape", "Sub", "Concat", "Pad", "Conv", "Conv 2 2", "MaxPool 2 2", "Add", "Conv 1 1"));
}

TEST(EarlyStrides, AFactorForEachChannelHasNoOtherElements) {
  EXPECT_THAT(strided("a = GlobalAveragePool (x)  b = Conv (x, k)  s = Mul (b, a)  t = Add (s, c)"
                      "  y = Conv <strides = [2,2]> (t, w)"),
              ElementsAre("GlobalAveragePool", "Conv 2 2", "Mul", "Add", "Conv 1 1"));
}

TEST(EarlyStrides, OtherReadersHaveTheWholeValue) {
  EXPECT_THAT(strided("a = Conv (x, k)  y = Conv <strides = [2,2]> (a, w)  z = Tanh (a)", kTwo),
              ElementsAre("Conv", "MaxPool 2 2", "Conv 1 1", "Tanh"));
  EXPECT_THAT(strided("z = Conv (x, k)  y = Conv <strides = [2,2]> (z, w)", kTwo),
              ElementsAre("Conv", "MaxPool 2 2", "Conv 1 1"));
}

TEST(EarlyStrides, TheyStayBesideAConvThatTakesOtherElements) {
  EXPECT_THAT(strided("y = Conv <strides = [2,2]> (x, w)  z = Conv <strides = [2,2]> (x, k)", kTwo),
              ElementsAre("Conv 2 2", "Conv 2 2"));
  EXPECT_THAT(strided("y = Conv <strides = [2,2]> (x, w)  z = Conv <strides = [1,2]> (x, w)", kTwo),
              ElementsAre("Conv 2 2", "Conv 1 2"));
  EXPECT_THAT(strided("y = Conv <strides = [2,2]> (x, w)  z = Conv (x, w)", kTwo), ElementsAre("Conv 2 2", "Conv"));
}

TEST(EarlyStrides, PaddingAndGroupsKeepThem) {
  for (const char* body : {"y = Conv <strides = [2,2], pads = [1,1,1,1]> (x, w)",
                           "y = Conv <strides = [2,2], group = 2> (x, v)", "y = Conv <strides = [2,2]> (x, k)"})
    EXPECT_THAT(strided(body), ElementsAre("Conv 2 2")) << body;
  // Padding that depends on the strides, and padding of a 1x1 Conv.
  EXPECT_THAT(strided("a = Conv <auto_pad = \"SAME_UPPER\"> (x, k)  y = Conv <strides = [2,2]> (a, w)"),
              ElementsAre("Conv", "MaxPool 2 2", "Conv 1 1"));
  EXPECT_THAT(strided("a = Conv <pads = [1,1,1,1]> (x, w)  y = Conv <strides = [2,2]> (a, w)"),
              ElementsAre("Conv", "MaxPool 2 2", "Conv 1 1"));
}

TEST(Forms, ABatchNormalizationHasNoStatistics) {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]> g (float[1,2,3] x) => (float[1,2,3] y)
    <float[2] scale = {1, 2}, float[2] shift = {1, -1}, float[2] mean = {0.5, -2}, float[2] variance = {4, 0.25}>
    { y = BatchNormalization (x, scale, shift, mean, variance) })");
  const std::vector<Tensor> inputs{ramp({1, 2, 3})};
  const NamedOutputs before = outputs_of(model, inputs);
  (void)bring_into_forms(model, find_target("qnn"));
  EXPECT_NO_THROW(check_same_outputs(before, model, inputs, "forms"));
  const Node& node = model.graph().nodes().front();
  EXPECT_THAT(model.graph().constant(node.input(3))->data<float>(), ::testing::Each(0));
  EXPECT_FALSE(lacks_forms(model.graph(), find_target("qnn"))) << "a second time changes nothing";
}

TEST(Forms, AProductOfAVectorIsOneOfAMatrix) {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[3] x) => (float[2] y) <float[3,2] w = {1,2,3,4,5,6}, float[2] b = {1,2}, float[2,2] v = {1,2,3,4}>
    { a = MatMul (x, w)  c = Add (a, b)  r = Relu (c)  y = MatMul (r, v) })");
  const std::vector<Tensor> inputs{ramp({3})};
  const NamedOutputs before = outputs_of(model, inputs);
  (void)bring_into_forms(model, find_target("openvino"));
  check_same_outputs(before, model, inputs, "forms");
  EXPECT_THAT(form_of(model),
              ElementsAre("Unsqueeze", "MatMul", "Squeeze", "Add", "Relu", "Unsqueeze", "MatMul", "Squeeze"));
}

TEST(Forms, DefaultActivationsAreLeftOut) {
  const auto has_activations = [](const char* names) {
    Model model = parse_model_text(std::string(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[5,1,2] x) => (float[5,1,1,2] y)
      <float[1,8,2] w = {1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8}, float[1,8,2] r = {1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8}>
      { y = LSTM <hidden_size = 2, activations = [)") +
                                   names + "]> (x, w, r) }");
    (void)bring_into_forms(model, find_target("qnn"));
    return model.graph().nodes().front().has("activations");
  };
  EXPECT_FALSE(has_activations("\"Sigmoid\", \"Tanh\", \"Tanh\""));
  EXPECT_TRUE(has_activations("\"HardSigmoid\", \"Tanh\", \"Tanh\""));
}

TEST(Forms, NormsWriteOutTheirDefaultsForRockchip) {
  const auto axis_and_epsilon = [](const char* target, const std::string& attributes) {
    Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[1,3,2] x) => (float[1,3,2] y) <float[2] w = {1, 2}>
      { y = LayerNormalization )" + attributes +
                                   " (x, w) }");
    const std::vector<Tensor> inputs{ramp({1, 3, 2})};
    const NamedOutputs before = outputs_of(model, inputs);
    (void)bring_into_forms(model, find_target(target));
    check_same_outputs(before, model, inputs, "forms");
    const Node& norm = model.graph().nodes().front();
    return std::pair{norm.int_or("axis", 7), norm.float_or("epsilon", 7)};
  };
  EXPECT_EQ(axis_and_epsilon("rknn", ""), std::pair(int64_t{-1}, 1e-5F));
  EXPECT_EQ(axis_and_epsilon("rknn", "<axis = 2, epsilon = 0.5>"), std::pair(int64_t{2}, 0.5F)) << "what it says holds";
  EXPECT_EQ(axis_and_epsilon("qnn", ""), std::pair(int64_t{7}, 7.0F)) << "HTP knows the defaults";
}

TEST(Forms, HalvesBecomeFloatsBetweenInputsAndOutputs) {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float16[1,2] x) => (float16[1,2] y) <float[2] w = {1, 2}>
    { h = Cast <to = 10> (w)  a = Mul (x, h)  b = Relu (a)  y = Neg (b) })");
  const std::vector<Tensor> inputs{ramp({1, 2}, DataType::Float16)};
  const NamedOutputs before = outputs_of(model, inputs);
  (void)prepare_model(model, find_target("qnn"));
  check_same_outputs(before, model, inputs, "forms");
  const ValueMap<DataType> types = value_types(model.graph());
  EXPECT_EQ(types[*model.graph().find_value("a")], DataType::Float32);
  EXPECT_EQ(types[*model.graph().find_value("y")], DataType::Float16);
  EXPECT_THAT(form_of(model), ElementsAre("Cast", "Mul", "Relu", "Neg", "Cast"));
  EXPECT_FALSE(lacks_forms(model.graph(), find_target("qnn"))) << "a second time changes nothing";
}

TEST(Forms, MasksAreFinite) {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,2] x, bool[1,2] b) => (float[1,2] y) <float zero = {0}, float one = {1}>
    { low = Log (zero)  m = Where (b, x, low)  y = Softmax (m) })");
  (void)prepare_model(model, find_target("qnn"));
  const Tensor* low = model.graph().constant(*model.graph().find_value("low"));
  ASSERT_TRUE(low) << "folded";
  EXPECT_FLOAT_EQ(low->data<float>()[0], -1e30F);
}

TEST(Forms, OtherEnginesKeepWhatExportersWrite) {
  Model model = parse_model_text(gelu("y = Reciprocal (x)"));
  EXPECT_EQ(bring_into_forms(model, find_target("tensorrt")), 0U);
  EXPECT_THAT(form_of(model), ElementsAre("Reciprocal"));
}

/// A block of attention whose scores `masked` makes of s, the scores, and m, a padding mask of zeros and ones.
Model masked_attention(const std::string& masked, const std::string& more = "") {
  return parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,4,8] q, float[1,2,8,4] k, float[1,2,4,8] v, int64[1,4] m) => (float[1,2,4,8] y)
<int64[2] axes = {1, 2}, float one = {1}, float lowest = {-3.4e38}, float small = {-5}, float soft = {0.5},
 float[1,1,4,4] causal = {0,-1e30,-1e30,-1e30, 0,0,-1e30,-1e30, 0,0,0,-1e30, 0,0,0,0}>
{
  s = MatMul (q, k)
  )" + more + masked + R"(
  p = Softmax <axis = -1> (a)
  y = MatMul (p, v)
})");
}

TEST(Forms, MasksOfAttentionComeNear) {
  const std::string padding = "w = Unsqueeze (m, axes) f = Cast <to = 1> (w) i = Sub (one, f) b = Mul (i, lowest) ";
  const std::vector<Tensor> inputs{ramp({1, 2, 4, 8}), ramp({1, 2, 8, 4}), ramp({1, 2, 4, 8}),
                                   Tensor::from<int64_t>(Shape{1, 4}, {1, 1, 1, 0})};
  const auto form = [&](Model model) {
    const NamedOutputs before = outputs_of(model, inputs);
    (void)bring_into_forms(model, find_target("onnxruntime"));
    EXPECT_NO_THROW(check_same_outputs(before, model, inputs, "forms"));
    EXPECT_FALSE(lacks_forms(model.graph(), find_target("onnxruntime"))) << "done once";
    return model;
  };
  EXPECT_THAT(form_of(form(masked_attention("a = Add (s, b)", padding))), ::testing::Contains("Max"));
  const Model causal = form(masked_attention("a = Add (causal, s)"));
  const Node& add = *causal.graph().producer(*causal.graph().find_value("a"));
  const auto numbers = causal.graph().constant(add.input(0))->data<float>();
  EXPECT_EQ(std::ranges::min(numbers), -50);
  EXPECT_EQ(std::ranges::max(numbers), 0);
  for (const char* other : {"b = Mul (i, small) a = Add (s, b)",               // a bias, no mask
                            "c = Cast <to = 9> (w) a = Where (c, s, lowest)",  // takes the place of the scores
                            "b = Mul (i, lowest) t = Mul (b, soft) a = Mul (s, soft)"})
    EXPECT_THAT(
        form_of(form(masked_attention(other, "w = Unsqueeze (m, axes) f = Cast <to = 1> (w) i = Sub (one, f) "))),
        ::testing::Not(::testing::Contains("Max")))
        << other;
}

}  // namespace
}  // namespace detent
