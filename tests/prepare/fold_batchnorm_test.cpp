#include "prepare/fold_batchnorm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "detent/base/error.h"
#include "model/model.h"
#include "tests/model/onnx_protos.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

/// Returns a model around `nodes` with a BatchNormalization over two channels: g = {2, -1}, b = {0.5, 1}, m = {1, 2}, v
/// = {3, 0.25}.
Model model_with(const std::string& nodes, const std::string& weights,
                 const std::string& inputs = "float[N, 2, 4, 4] x") {
  return parse_model_text(
      "<ir_version: 7, opset_import: [\"\" : 13]>\ng (" + inputs + ") => (float[N, C, H, W] y)\n<" + weights +
      ", float[2] g = {2, -1}, float[2] b = {0.5, 1}, float[2] m = {1, 2}, float[2] v = {3, 0.25}>\n{" + nodes + "}");
}

constexpr double kEpsilon = 1e-5;
const double kFactor[] = {2 / std::sqrt(3 + kEpsilon), -1 / std::sqrt(0.25 + kEpsilon)};
const double kShift[] = {0.5 - 1 * kFactor[0], 1 - 2 * kFactor[1]};

std::vector<std::string> operators_of(const Model& model) {
  std::vector<std::string> operators;
  for (const Node& node : model.graph().nodes())
    if (node.op_type != "Constant") operators.push_back(node.op_type);
  return operators;
}

const Tensor& operand(const Model& model, size_t node, size_t slot) {
  const Tensor* tensor = model.graph().constant(model.graph().nodes()[node].input(slot));
  if (!tensor) throw Error(ErrorCode::Internal, "operand is not constant");
  return *tensor;
}

/// Tolerance: folding computes in double and rounds once to float, half a unit in the last place, 2^-24 of the value;
/// the expected value differs by at most as much again (epsilon is a float in the file).
void expect_close(std::span<const float> got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(static_cast<double>(got[i]), expected[i], 0x1p-22 * std::abs(expected[i])) << i;
}

TEST(FoldBatchNorm, ScalesTheRowsOfAConvolution) {
  Model model = model_with("c = Conv (x, w, bias)\n y = BatchNormalization (c, g, b, m, v)",
                           "float[2, 2, 1, 1] w = {1, 2, 3, 4}, float[2] bias = {10, 20}");
  EXPECT_EQ(fold_batchnorms(model), 1U);
  EXPECT_THAT(operators_of(model), ElementsAre("Conv"));
  expect_close(operand(model, 0, 1).data<float>(), {kFactor[0] * 1, kFactor[0] * 2, kFactor[1] * 3, kFactor[1] * 4});
  expect_close(operand(model, 0, 2).data<float>(), {10 * kFactor[0] + kShift[0], 20 * kFactor[1] + kShift[1]});
  EXPECT_EQ(model.graph().value(*model.graph().nodes()[0].output(0)).name, "y");
  EXPECT_EQ(model.proto().graph().initializer_size(), 2) << "the statistics are gone";
}

TEST(FoldBatchNorm, MakesABiasWhereThereWasNone) {
  Model model =
      model_with("c = Conv (x, w)\n y = BatchNormalization (c, g, b, m, v)", "float[2, 2, 1, 1] w = {1, 2, 3, 4}");
  EXPECT_EQ(fold_batchnorms(model), 1U);
  expect_close(operand(model, 0, 2).data<float>(), {kShift[0], kShift[1]});
}

TEST(FoldBatchNorm, ReadsConstantNodesLikeInitializers) {
  Model model = model_with(R"(w = Constant <value = float[2, 2, 1, 1] {1, 2, 3, 4}> ()
    gamma = Constant <value_floats = [2.0, -1.0]> ()
    c = Conv (x, w)
    y = BatchNormalization (c, gamma, b, m, v))",
                           "float[1] unused = {0}");
  EXPECT_EQ(fold_batchnorms(model), 1U);
  const Node& conv = model.graph().node(*model.graph().find_node("Conv_2"));
  expect_close(model.graph().constant(conv.input(1))->data<float>(),
               {kFactor[0], kFactor[0] * 2, kFactor[1] * 3, kFactor[1] * 4});
  EXPECT_EQ(model.graph().find_value("gamma"), kNoValue);
}

TEST(FoldBatchNorm, ScalesTheSecondAxisOfAGroupedTransposedConvolution) {
  // C_in = 2, two groups, one output channel each: the weight of input channel i belongs to output channel i.
  Model model = model_with("c = ConvTranspose <group = 2> (x, w)\n y = BatchNormalization (c, g, b, m, v)",
                           "float[2, 1, 1, 2] w = {1, 2, 3, 4}");
  EXPECT_EQ(fold_batchnorms(model), 1U);
  expect_close(operand(model, 0, 1).data<float>(), {kFactor[0] * 1, kFactor[0] * 2, kFactor[1] * 3, kFactor[1] * 4});
}

TEST(FoldBatchNorm, ScalesTheSecondAxisOfATransposedConvolution) {
  Model model = model_with("c = ConvTranspose (x, w)\n y = BatchNormalization (c, g, b, m, v)",
                           "float[2, 2, 1, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}");
  EXPECT_EQ(fold_batchnorms(model), 1U);
  expect_close(operand(model, 0, 1).data<float>(), {kFactor[0] * 1, kFactor[0] * 2, kFactor[1] * 3, kFactor[1] * 4,
                                                    kFactor[0] * 5, kFactor[0] * 6, kFactor[1] * 7, kFactor[1] * 8});
}

TEST(FoldBatchNorm, FoldsIntoGemmWhicheverWayItsWeightLies) {
  for (const bool transposed : {false, true}) {
    const std::string attributes = std::string("<alpha = 3.0, beta = 0.5, transB = ") + (transposed ? "1" : "0") + ">";
    Model model = model_with("c = Gemm " + attributes + " (x, w, bias)\n y = BatchNormalization (c, g, b, m, v)",
                             "float[2, 2] w = {1, 2, 3, 4}, float[1, 2] bias = {10, 20}", "float[N, 2] x");
    EXPECT_EQ(fold_batchnorms(model), 1U);
    const double f0 = kFactor[0], f1 = kFactor[1];
    expect_close(operand(model, 0, 1).data<float>(), transposed ? std::vector<double>{f0, f0 * 2, f1 * 3, f1 * 4}
                                                                : std::vector<double>{f0, f1 * 2, f0 * 3, f1 * 4});
    // y = 3 x w f + (0.5 * bias * f + shift): alpha stays, beta is used up.
    expect_close(operand(model, 0, 2).data<float>(), {5 * f0 + kShift[0], 10 * f1 + kShift[1]});
    EXPECT_EQ(model.graph().nodes()[0].float_or("alpha", 1), 3.0F);
    EXPECT_EQ(model.graph().nodes()[0].float_or("beta", 1), 1.0F);
  }
}

TEST(FoldBatchNorm, CopiesWeightsThatAnotherNodeReads) {
  Model model = model_with(R"(c = Conv (x, w)
    d = Conv (x, w)
    e = BatchNormalization (c, g, b, m, v)
    y = Add (d, e))",
                           "float[2, 2, 1, 1] w = {1, 2, 3, 4}");
  EXPECT_EQ(fold_batchnorms(model), 1U);
  const Graph& graph = model.graph();
  EXPECT_THAT(graph.constant(*graph.find_value("w"))->data<float>(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(graph.value(*graph.find_value("w")).uses.size(), 1U);
}

TEST(FoldBatchNorm, TwoConvolutionsWithOneWeightAreFoldedEachIntoItsCopy) {
  Model model = model_with(R"(c = Conv (x, w)
    d = Conv (x, w)
    e = BatchNormalization (c, g, b, m, v)
    f = BatchNormalization (d, g, b, m, v)
    y = Add (e, f))",
                           "float[2, 2, 1, 1] w = {1, 2, 3, 4}");
  EXPECT_EQ(fold_batchnorms(model), 2U);
  EXPECT_THAT(operators_of(model), ElementsAre("Conv", "Conv", "Add"));
  EXPECT_EQ(model.graph().find_value("w"), kNoValue);
}

TEST(FoldBatchNorm, FoldsAChainOfTwo) {
  Model model =
      model_with("c = Conv (x, w)\n d = BatchNormalization (c, g, b, m, v)\n y = BatchNormalization (d, g, b, m, v)",
                 "float[2, 2, 1, 1] w = {1, 2, 3, 4}");
  EXPECT_EQ(fold_batchnorms(model), 2U);
  EXPECT_THAT(operators_of(model), ElementsAre("Conv"));
}

// PyTorch's quantization-aware training scales the weight by the factors of the normalization, and divides by them
// behind the Conv.
TEST(FoldBatchNorm, TakesFactorsThatTrainingLeftBetween) {
  const std::string constants =
      "float[2, 2, 1, 1] w = {1, 2, 3, 4}, float[2] bias = {10, 20}, float[1, 2, 1, 1] f = {2, 4}, float[2, 1, 1] a = "
      "{1, 2}";
  Model divided =
      model_with("c = Conv (x, w, bias)  d = Div (c, f)\n y = BatchNormalization (d, g, b, m, v)", constants);
  EXPECT_EQ(fold_batchnorms(divided), 1U);
  EXPECT_THAT(operators_of(divided), ElementsAre("Conv"));
  expect_close(operand(divided, 0, 1).data<float>(),
               {kFactor[0] / 2, kFactor[0] * 2 / 2, kFactor[1] * 3 / 4, kFactor[1] * 4 / 4});
  expect_close(operand(divided, 0, 2).data<float>(), {5 * kFactor[0] + kShift[0], 5 * kFactor[1] + kShift[1]});

  Model several = model_with(
      "c = Conv (x, w, bias)  d = Add (a, c)  e = Mul (d, f)\n y = BatchNormalization (e, g, b, m, v)", constants);
  EXPECT_EQ(fold_batchnorms(several), 1U);
  EXPECT_THAT(operators_of(several), ElementsAre("Conv"));
  expect_close(operand(several, 0, 2).data<float>(), {22 * kFactor[0] + kShift[0], 88 * kFactor[1] + kShift[1]});
}

TEST(FoldBatchNorm, LeavesWhatIsNoFactorOfAChannel) {
  const std::string constants =
      "float[2, 2, 1, 1] w = {1, 2, 3, 4}, float[1, 2, 1, 1] f = {2, 4}, float[1, 1, 1, 4] p = {1, 2, 3, 4}";
  for (const char* between : {"d = Div (f, c)", "d = Mul (c, p)", "d = Div (c, c)"}) {
    Model model =
        model_with("c = Conv (x, w)  " + std::string(between) + "\n y = BatchNormalization (d, g, b, m, v)", constants);
    EXPECT_EQ(fold_batchnorms(model), 0U) << between;
  }
}

TEST(FoldBatchNorm, TakesABiasThatAnExporterWroteAsAnAdd) {
  for (const char* add : {"a = Add (c, extra)", "a = Add (extra, c)"}) {
    Model model =
        model_with(std::string("c = ConvTranspose (x, w)\n ") + add + "\n y = BatchNormalization (a, g, b, m, v)",
                   "float[2, 2, 1, 1] w = {1, 2, 3, 4}, float[1, 2, 1, 1] extra = {10, 20}");
    EXPECT_EQ(fold_batchnorms(model), 1U);
    EXPECT_THAT(operators_of(model), ElementsAre("ConvTranspose"));
    expect_close(operand(model, 0, 2).data<float>(), {10 * kFactor[0] + kShift[0], 20 * kFactor[1] + kShift[1]});
  }
}

/// Graphs in which nothing is folded.
struct Left {
  const char* why;
  const char* nodes;
};

class FoldBatchNormLeaves : public ::testing::TestWithParam<Left> {};

TEST_P(FoldBatchNormLeaves, TheGraphAsItIs) {
  Model model = model_with(GetParam().nodes, "float[2, 2, 1, 1] w = {1, 2, 3, 4}, float[2, 1, 1] spread = {1, 2}",
                           "float[N, 2, 4, 4] x, float[2] fed");
  const std::string before = model.proto().SerializeAsString();
  EXPECT_EQ(fold_batchnorms(model), 0U) << GetParam().why;
  EXPECT_EQ(model.proto().SerializeAsString(), before);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, FoldBatchNormLeaves,
    ::testing::Values(
        Left{"no convolution before it", "y = BatchNormalization (x, g, b, m, v)"},
        Left{"the convolution's result has another reader",
             "c = Conv (x, w)\n d = BatchNormalization (c, g, b, m, v)\n y = Add (c, d)"},
        Left{"training mode", "c = Conv (x, w)\n y, mean, var, m2, v2 = BatchNormalization (c, g, b, m, v)"},
        Left{"statistics that are not constant", "c = Conv (x, w)\n y = BatchNormalization (c, g, b, fed, v)"},
        Left{"a bias that is not constant", "c = Conv (x, w, fed)\n y = BatchNormalization (c, g, b, m, v)"},
        Left{"an Add of something that is fed",
             "c = Conv (x, w)\n a = Add (c, fed)\n y = BatchNormalization (a, g, b, m, v)"},
        Left{"an Add along another axis", "c = Conv (x, w)\n a = Add (c, b)\n y = BatchNormalization (a, g, b, m, v)"},
        Left{"an Add whose sum has another reader",
             "c = Conv (x, w)\n a = Add (c, spread)\n d = BatchNormalization (a, g, b, m, v)\n y = Add (a, d)"},
        Left{"something between", "c = Conv (x, w)\n r = Relu (c)\n y = BatchNormalization (r, g, b, m, v)"}));

TEST(FoldBatchNorm, LeavesAConvolutionWhoseResultIsAGraphOutput) {
  Model model = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 1, 4, 4] x) => (float[N, 1, 4, 4] c, float[N, 1, 4, 4] y)
<float[1, 1, 1, 1] w = {1}, float[1] one = {1}>
{
  c = Conv (x, w)
  y = BatchNormalization (c, one, one, one, one)
})");
  EXPECT_EQ(fold_batchnorms(model), 0U);
}

TEST(FoldBatchNorm, LeavesWhatHalfPrecisionCannotHold) {
  // Factor 1000 / sqrt(1e-5) = 316 228; the largest FP16 number is 65 504.
  Model model = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float16[N, 1, 4, 4] x) => (float16[N, 1, 4, 4] y)
<float[1, 1, 1, 1] w = {0}, float[1] gamma = {0}, float[1] zero = {0}>
{
  c = Conv (x, w)
  y = BatchNormalization (c, gamma, zero, zero, zero)
})");
  const auto set_half = [&](int i, float value) {
    const uint16_t bits = float_to_half(value);
    auto& tensor = *model.mutable_proto().mutable_graph()->mutable_initializer(i);
    tensor.clear_float_data();
    tensor.set_data_type(onnx::TensorProto::FLOAT16);
    tensor.set_raw_data(&bits, sizeof bits);
  };
  set_half(0, 1);
  set_half(1, 1000);
  set_half(2, 0);
  EXPECT_EQ(fold_batchnorms(model), 0U);
  set_half(1, 10);
  EXPECT_EQ(fold_batchnorms(model), 1U);
  EXPECT_EQ(operand(model, 0, 1).type(), DataType::Float16);
}

}  // namespace
}  // namespace detent
