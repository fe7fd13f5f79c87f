// DynamicQuantizeLSTM: the codes that numbers get at run time, the weights that codes stand for, and the operator as an
// LSTM of both.
#include "ops/product/dynamic_lstm.h"

#include <algorithm>

#include "ops/node_runner.h"

namespace detent {
namespace {

using test::ramp;

TEST(RunTimeCodes, HoldTheSmallestAndTheLargestNumberAndZero) {
  // Steps of (1.5 + 1.05) / 255 = .01: zero point 105.
  std::vector<float> numbers{-1.05F, 1.5F, 0, 0.123F, -0.006F};
  round_at_run_time(numbers);
  const std::vector<float> expected{-1.05F, 1.5F, 0, 0.12F, -0.01F};
  for (size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], expected[i], 1e-6) << i;
}

TEST(RunTimeCodes, OfZerosAreZeros) {
  std::vector<float> numbers(3, 0.0F);
  round_at_run_time(numbers);
  for (const float number : numbers) EXPECT_EQ(number, 0.0F);
}

TEST(LstmWeights, AreTurnedAndScaledByColumnOrDirection) {
  const Tensor codes = Tensor::from<int8_t>({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor columns =
      lstm_weights(codes, Tensor::from<float>({1, 3}, {1, 10, 100}), Tensor::from<int8_t>({1, 3}, {0, 1, 0}));
  test::expect_close(columns, {1, 3, 2}, {1, 4, 10, 40, 300, 600}, 0, 0);
  const Tensor one =
      lstm_weights(cast(codes, DataType::UInt8), Tensor::from<float>({1}, {2}), Tensor::from<uint8_t>({1}, {1}));
  test::expect_close(one, {1, 3, 2}, {0, 6, 2, 8, 4, 10}, 0, 0);
}

TEST(LstmWeights, RefuseScalesForOtherColumns) {
  const Tensor codes(DataType::Int8, Shape{1, 2, 3});
  const auto weights = [&] {
    return lstm_weights(codes, Tensor::from<float>({1, 2}, {1, 1}), Tensor::from<int8_t>({1}, {0}));
  };
  EXPECT_THROW((void)weights(), Error);
}

std::vector<Tensor> run_lstm(const std::string& node, std::vector<Tensor> inputs) {
  const std::string inside =
      "<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]> g (float a) => (float y) { ";
  const Model model = parse_model_text(inside + node + " }");
  const Graph& graph = model.graph();
  const Node& only = graph.node(NodeId{0});
  const OperatorDef* definition = find_operator(only.domain, only.op_type, graph.opset(only.domain));
  if (!definition) throw Error(ErrorCode::Unsupported, only.op_type);
  std::vector<Tensor> outputs(only.outputs.size());
  Workspace workspace;
  KernelCall call(inputs, outputs, {}, Allocator::heap(), workspace);
  definition->make(KernelContext{graph, only, 1})->run(call);
  return outputs;
}

constexpr int64_t kLstmSteps = 4, kLstmBatch = 2, kLstmInputs = 3, kLstmStates = 2;

// Codes of both directions, and of their LSTM.
struct CodedLstm {
  Tensor w = Tensor(DataType::Int8, Shape{2, kLstmInputs, 4 * kLstmStates}),
         r = Tensor(DataType::Int8, Shape{2, kLstmStates, 4 * kLstmStates});
  Tensor w_scale = ramp({2, 4 * kLstmStates}, 0.01F, 0.02F), r_scale = ramp({2, 4 * kLstmStates}, 0.01F, 0.015F);
  Tensor points = Tensor(DataType::Int8, Shape{2, 4 * kLstmStates});
  Tensor bias = ramp({2, 8 * kLstmStates}, -0.3F, 0.3F);

  CodedLstm() {
    int code = 0;
    for (Tensor* codes : {&w, &r})
      for (int8_t& one : codes->mutable_data<int8_t>()) one = static_cast<int8_t>((code += 37) % 127 - 60);
    std::ranges::fill(points.mutable_data<int8_t>(), int8_t{0});
  }
};

constexpr const char* kLstmAttributes = "hidden_size = 2, direction = \"bidirectional\"";

TEST(DynamicQuantizeLstm, IsAnLstmOfTheWeightsThatItsCodesStandFor) {
  const CodedLstm layer;
  // Multiples of 1/255 from 0 to 1 are codes themselves; the states of one step are rounded to 1/255 of their range.
  Tensor x(DataType::Float32, {kLstmSteps, kLstmBatch, kLstmInputs});
  int code = 0;
  for (float& one : x.mutable_data<float>()) one = static_cast<float>(code++ * 255 / 23) / 255.0F;
  const auto coded = run_lstm(
      std::string("y, h, c = com.microsoft.DynamicQuantizeLSTM <") + kLstmAttributes +
          "> (a, a, a, a, , , , , a, a, a, a)",
      {x, layer.w, layer.r, layer.bias, {}, {}, {}, {}, layer.w_scale, layer.points, layer.r_scale, layer.points});
  const auto floats = run_lstm(std::string("y, h, c = LSTM <") + kLstmAttributes + "> (a, a, a, a)",
                               {x, lstm_weights(layer.w, layer.w_scale, layer.points),
                                lstm_weights(layer.r, layer.r_scale, layer.points), layer.bias});
  // A state is half a step off, 2/255/2, times weights of 66 * .015, two of them: .008 a gate and step, slopes <= 1.
  const double bound = 4 * 0.008;
  ASSERT_EQ(coded.size(), 3U);
  for (size_t output = 0; output < 3; ++output) {
    ASSERT_EQ(coded[output].shape(), floats[output].shape());
    const auto a = coded[output].data<float>(), b = floats[output].data<float>();
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], bound) << output << ", " << i;
  }
}

TEST(DynamicQuantizeLstm, RoundsItsDataToCodesOfAllSteps) {
  const CodedLstm layer;
  Tensor x = ramp({kLstmSteps, kLstmBatch, kLstmInputs}, -0.7F, 1.1F);
  const std::string node = std::string("y, h, c = com.microsoft.DynamicQuantizeLSTM <") + kLstmAttributes +
                           "> (a, a, a, a, , , , , a, a, a, a)";
  const auto run = [&](const Tensor& data) {
    return run_lstm(
        node,
        {data, layer.w, layer.r, layer.bias, {}, {}, {}, {}, layer.w_scale, layer.points, layer.r_scale, layer.points});
  };
  Tensor rounded = x.clone();
  round_at_run_time(rounded.mutable_data<float>());
  const auto a = run(x), b = run(rounded);
  // A second rounding moves codes by float errors alone.
  for (size_t i = 0; i < a[0].data<float>().size(); ++i)
    EXPECT_NEAR(a[0].data<float>()[i], b[0].data<float>()[i], 1e-5);
}

// Gates cut to .5: cells approach s t / (1 - s) = .76 with s = sigmoid(.5), t = tanh(.5), and are not cut.
TEST(DynamicQuantizeLstm, ClipsGatesAndNotTheCellState) {
  const Tensor point = Tensor::from<int8_t>({1}, {0});
  const Tensor zeros = Tensor::from<int8_t>({1, 1, 4}, {0, 0, 0, 0}), scale = Tensor::from<float>({1}, {1});
  const Tensor bias = Tensor::from<float>({1, 8}, {5, 5, 5, 5, 0, 0, 0, 0});
  const auto got = run_lstm(
      "y, h, c = com.microsoft.DynamicQuantizeLSTM <hidden_size = 1, clip = 0.5> (a, a, a, a, , , , , a, a, a, a)",
      {ramp({6, 1, 1}), zeros, zeros, bias, {}, {}, {}, {}, scale, point, scale, point});
  const double gate = 1 / (1 + std::exp(-0.5)), fresh = std::tanh(0.5);
  double cell = 0;
  for (int64_t step = 0; step < 6; ++step) cell = gate * (cell + fresh);
  EXPECT_GT(cell, 0.5);
  EXPECT_NEAR(got[2].data<float>()[0], cell, 1e-5);
  EXPECT_NEAR(got[1].data<float>()[0], gate * std::tanh(cell), 1e-5);
}

TEST(DynamicQuantizeLstm, NeedsItsScales) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]> g (float a) => (float y) { y = "
      "com.microsoft.DynamicQuantizeLSTM <hidden_size = 2> (a, a, a) }");
  const std::vector<NodeId> nodes{NodeId{0}};
  EXPECT_EQ(find_unsupported(model.graph(), nodes).size(), 1U);
}

TEST(DynamicQuantizeLstm, IsAnOperatorOfMicrosoftAlone) {
  EXPECT_EQ(find_operator("", "DynamicQuantizeLSTM", 17), nullptr);
  EXPECT_EQ(find_operator("com.microsoft", "LSTM", 1), nullptr);
  EXPECT_NE(find_operator("com.microsoft", "DynamicQuantizeLSTM", 1), nullptr);
}

}  // namespace
}  // namespace detent
