#include "prepare/fold_operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/same_outputs.h"
#include "model/model.h"
#include "ops/self_gated.h"
#include "prepare/prepare_model.h"
#include "tests/model/onnx_protos.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

/// Returns a model of one Conv, ConvTranspose or Gemm and what stands behind it.
Model model_of(const std::string& nodes, const std::string& constants, const std::string& inputs) {
  return parse_model_text("<ir_version: 7, opset_import: [\"\" : 13]>\ng (" + inputs + ") => (float y)\n<" + constants +
                          ">\n{" + nodes + "}");
}

Model plane_model(const std::string& nodes, const std::string& constants) {
  return model_of(nodes,
                  "float[2, 2, 1, 1] w = {1, 2, 3, 4}, float[2] bias = {10, 20}, float[1] two = {2}, float half = "
                  "{0.5}, float[1] three = {3}, float zero = {0}, float six = {6}, float[1, 2, 1, 1] f = {2, 4}, "
                  "float[2, 1, 1] g = {-1, 5}" +
                      std::string(constants.empty() ? "" : ", ") + constants,
                  "float[1, 2, 3, 4] x");
}

std::vector<std::string> kinds_of(const Model& model) {
  std::vector<std::string> kinds;
  for (const Node& node : model.graph().nodes()) kinds.push_back(node.op_type);
  return kinds;
}

/// Returns numbers from -3 to 3.
Tensor numbers_of(const Shape& shape) {
  Tensor tensor(DataType::Float32, shape);
  const auto numbers = tensor.mutable_data<float>();
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = -3 + 6 * static_cast<float>(i) / static_cast<float>(numbers.size());
  return tensor;
}

/// Folds, and expects this number of folded operators and the same outputs.
void expect_folds(Model& model, size_t count, const Shape& shape = {1, 2, 3, 4}) {
  const std::vector<Tensor> inputs{numbers_of(shape)};
  const NamedOutputs before = outputs_of(model, inputs);
  EXPECT_EQ(has_foldable_operators(model.graph()), count > 0);
  EXPECT_EQ(fold_operators(model), count);
  EXPECT_EQ(changed_output(before, model, inputs), std::nullopt);
}

TEST(FoldOperators, TakesOneNumberForEachChannel) {
  for (const char* nodes :
       {"c = Conv (x, w)  y = Add (c, f)", "c = Conv (x, w, bias)  y = Mul (g, c)", "c = Conv (x, w)  y = Sub (c, g)",
        "c = Conv (x, w, bias)  y = Sub (f, c)", "c = Conv (x, w, bias)  y = Div (c, f)"}) {
    Model model = plane_model(nodes, "");
    expect_folds(model, 1);
    EXPECT_THAT(kinds_of(model), ElementsAre("Conv")) << nodes;
  }
}

TEST(FoldOperators, TakesAChainOfNumbersInItsOrder) {
  Model model = plane_model(
      "c = Conv (x, w)  m = Mul (c, two)  a = Add (m, half)  d = Div (a, f)  s = Sub (three, d)  y = Relu (s)", "");
  expect_folds(model, 4);
  EXPECT_THAT(kinds_of(model), ElementsAre("Conv", "Relu"));
  EXPECT_EQ(model.graph().value(*model.graph().nodes()[0].output(0)).name, "s");
}

TEST(FoldOperators, FoldsIntoGroupsTransposedConvolutionsAndGemm) {
  const std::string grouped = "float[4, 1, 1, 1] w = {1, 2, 3, 4}, float[1, 4, 1, 1] f = {2, 4, 6, 8}";
  Model conv = model_of("c = Conv <group = 2> (x, w)  y = Mul (c, f)", grouped, "float[1, 2, 3, 4] x");
  expect_folds(conv, 1);
  Model transposed =
      model_of("c = ConvTranspose <group = 2> (x, w)  m = Mul (c, f)  y = Add (m, f)",
               "float[2, 2, 1, 1] w = {1, 2, 3, 4}, float[1, 4, 1, 1] f = {2, 4, 6, 8}", "float[1, 2, 3, 4] x");
  expect_folds(transposed, 2);
  for (const char* transB : {"0", "1"}) {
    Model gemm = model_of("c = Gemm <alpha = 3.0, beta = 0.5, transB = " + std::string(transB) +
                              "> (x, w, bias)  m = Mul (c, f)  y = Sub (m, g)",
                          "float[2, 2] w = {1, 2, 3, 4}, float[2] bias = {10, 20}, float[2] f = {2, 4}, "
                          "float[1, 2] g = {3, 5}",
                          "float[3, 2] x");
    expect_folds(gemm, 2, {3, 2});
    EXPECT_THAT(kinds_of(gemm), ElementsAre("Gemm"));
  }
}

TEST(FoldOperators, LeavesTheWeightOfAnotherNodeAsItIs) {
  Model scaled = plane_model("c = Conv (x, w)  d = Conv (x, w)  m = Mul (c, f)  y = Sub (d, m)", "");
  expect_folds(scaled, 1);
  EXPECT_THAT(scaled.graph().constant(*scaled.graph().find_value("w"))->data<float>(), ElementsAre(1, 2, 3, 4));

  Model shifted = plane_model("c = Conv (x, w)  d = Conv (x, w)  m = Add (c, f)  y = Sub (d, m)", "");
  expect_folds(shifted, 1);
  EXPECT_EQ(shifted.graph().value(*shifted.graph().find_value("w")).uses.size(), 2U) << "a bias needs no copy";
}

TEST(FoldOperators, LeavesOperatorsThatAreNoFunctionOfAChannel) {
  const std::string more =
      "float[1, 1, 1, 4] p = {1, 2, 3, 4}, float[1, 1, 2, 1, 1] wide = {1, 2}, float[2, 1, 1, 1] batch = {1, 2}";
  for (const char* nodes :
       {"c = Conv (x, w)  y = Add (c, p)", "c = Conv (x, w)  y = Mul (c, batch)", "c = Conv (x, w)  y = Mul (c, wide)",
        "c = Conv (x, w)  y = Div (f, c)", "c = Conv (x, w)  y = Mul (c, x)", "c = Conv (x, w)  y = Mul (c, c)",
        "c = Conv (x, w)  m = Mul (c, f)  y = Add (m, c)", "y = Mul (x, f)", "c = Relu (x)  y = Mul (c, f)",
        "c = Conv (x, w)  y = Div (c, zero_of_channel)"}) {
    Model model = plane_model(nodes, more + ", float[2, 1, 1] zero_of_channel = {1, 0}");
    const std::string before = model.proto().SerializeAsString();
    EXPECT_EQ(fold_operators(model), 0U) << nodes;
    EXPECT_EQ(model.proto().SerializeAsString(), before) << nodes;
  }
}

TEST(FoldOperators, LeavesAConvolutionWhoseResultIsAGraphOutput) {
  Model model = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[1, 1, 2, 2] x) => (float[1, 1, 2, 2] c, float[1, 1, 2, 2] y)
<float[1, 1, 1, 1] w = {1}, float[1, 1, 1, 1] f = {2}>
{
  c = Conv (x, w)
  y = Mul (c, f)
})");
  EXPECT_EQ(fold_operators(model), 0U);
}

// A number in front of these operators makes a pattern with them; a number for each channel does not.
TEST(FoldOperators, LeavesNumbersThatMakeAPatternWithTheirReader) {
  for (const char* reader :
       {"y = Clip (a, zero, six)", "y = Sigmoid (a)", "y = Softmax (a)", "y = Tanh (a)", "y = Erf (a)", "y = Exp (a)",
        "y = Div (a, x)", "y = MatMul (a, product)", "t = Transpose (a)  i = Identity (t)  y = Sigmoid (i)",
        "r, s = Split <axis = 3> (a)  t = Concat <axis = 1> (r, s)  y = Exp (t)", "y = Reshape (a, all)"}) {
    const std::string more = "float[4, 1] product = {1, 2, 3, 4}, int64[1] all = {-1}";
    Model number = plane_model("c = Conv (x, w)  m = Mul (c, two)  a = Add (m, three)  " + std::string(reader), more);
    EXPECT_FALSE(has_foldable_operators(number.graph())) << reader;
    EXPECT_EQ(fold_operators(number), 0U) << reader;
    Model channels = plane_model("c = Conv (x, w)  m = Mul (c, two)  a = Add (m, f)  " + std::string(reader), more);
    expect_folds(channels, 2);
    Model bias = plane_model("c = Conv (x, w)  m = Add (c, f)  a = Mul (m, half)  " + std::string(reader), more);
    expect_folds(bias, 1);
    EXPECT_EQ(kinds_of(bias)[1], "Mul") << reader;
  }
}

TEST(FoldOperators, TakesTheBiasOfALayerWithOneChannelInFrontOfASigmoid) {
  Model model = model_of("c = ConvTranspose (x, w)  a = Add (c, b)  y = Sigmoid (a)",
                         "float[2, 1, 1, 1] w = {1, 2}, float[1, 1, 1, 1] b = {3}", "float[1, 2, 3, 4] x");
  expect_folds(model, 1);
  EXPECT_THAT(kinds_of(model), ElementsAre("ConvTranspose", "Sigmoid"));
}

TEST(FoldOperators, WrittenHardSigmoidAndHardSwishAreStillFound) {
  const std::string tail = "a = Add (n, three)  k = Clip (a, zero, six)  ";
  Model swish = plane_model(
      "c = Conv (x, w)  m = Mul (c, two)  n = Add (m, half)  " + tail + "p = Mul (n, k)  y = Div (p, six)", "");
  expect_folds(swish, 2);
  EXPECT_THAT(kinds_of(swish), ElementsAre("Conv", "Add", "Clip", "Mul", "Div"));
  const auto found = self_gated_activation(swish.graph(), swish.graph().nodes()[3]);
  ASSERT_TRUE(found);
  EXPECT_EQ(swish.graph().value(found->input).name, "n");
  EXPECT_EQ(found->hard_swish, 6.0F);

  Model sigmoid = plane_model("n = Conv (x, w)  " + tail + "d = Div (k, six)  y = Mul (x, d)", "");
  expect_folds(sigmoid, 0);
  EXPECT_THAT(kinds_of(sigmoid), ElementsAre("Conv", "Add", "Clip", "Div", "Mul"));
}

TEST(FoldOperators, LeavesWhatHalfPrecisionCannotHold) {
  const auto folded = [](const char* factor) {
    Model model = parse_model_text(
        "<ir_version: 7, opset_import: [\"\" : 13]>\ng (float16[1, 1, 2, 2] x) => (float16 "
        "y)\n<float[1, 1, 1, 1] wide = {1000}, float[1, 1, 1, 1] factor = {" +
        std::string(factor) +
        "}>\n{ w = Cast <to = 10> (wide)  f = Cast <to = 10> "
        "(factor)  c = Conv (x, w)  m = Mul (c, f)  y = Relu (m) }");
    return prepare_model(model, find_target("tensorrt")).folded_operators;
  };
  EXPECT_EQ(folded("10"), 1U);
  EXPECT_EQ(folded("100"), 0U) << "100000 is beyond the largest FP16 number, 65504";
}

TEST(FoldOperators, LeavesTheScaleInFrontOfAResidualAdd) {
  Model summed = plane_model("c = Conv (x, w)  m = Mul (c, f)  y = Add (m, x)", "");
  expect_folds(summed, 0);
  Model normalized = plane_model("c = Conv (x, w)  m = Mul (c, f)  s = Sub (m, g)  y = Add (s, x)", "");
  expect_folds(normalized, 2);
  Model alone = plane_model("c = Conv (x, w)  m = Mul (c, f)  y = Relu (m)", "");
  expect_folds(alone, 1);
}

TEST(FoldOperators, PreparationCountsThem) {
  Model model = plane_model("c = Conv (x, w)  m = Mul (c, two)  a = Add (m, three)  y = Relu (a)", "");
  const std::vector<Tensor> inputs{numbers_of({1, 2, 3, 4})};
  const Preparation done = prepare_checked(model, find_target("onnxruntime"), inputs);
  EXPECT_EQ(done.folded_operators, 2U);
  EXPECT_TRUE(done.changed());
}

}  // namespace
}  // namespace detent
