// The node that stands for an LSTM with INT8 weights, and the check of the written file.
#include "rewrite/dynamic_lstm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/executor.h"
#include "place/make_plan.h"
#include "place/placement_case_reader.h"
#include "rewrite/check_qdq_file.h"
#include "rewrite/qdq_inserter.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two directions, a state that goes in, and an output that is left out.
constexpr const char* kLstmNetwork = R"(
<ir_version: 8, opset_import: ["" : 17]>
g (float[5,2,6] x, float[2,2,4] s) => (float[5,2,2,4] y, float[2,2,4] c)
<float[2,16,6] w = {...}, float[2,16,4] r = {...}, float[2,32] b = {...}>
{
  a, , c = LSTM <hidden_size = 4, direction = "bidirectional", clip = 3.0> (x, w, r, b, , s)
  y = Tanh (a)
})";

struct LstmNetwork {
  explicit LstmNetwork(const RewriteOptions& format = {})
      : floats(parse_model_text(test::fill_tensors(kLstmNetwork))), model(floats.clone()) {
    PlacementRequest placement;
    placement.dynamic_products = true;
    const PlacementPlan plan = make_placement_plan(model.graph(), find_target("onnxruntime"), placement);
    promised = promise_of(model.graph(), plan);
    RewriteOptions options = format;
    options.activation.type = DataType::UInt8;
    GraphPatch replaced;
    replaced.remove_nodes = replaced_products(model.graph(), plan);
    apply_patch(model, make_qdq_patch(model.graph(), plan, {}, options).patch);
    apply_patch(model, replaced);
  }
  [[nodiscard]] const Node& node() const { return *model.graph().producer(model.graph().find_value("a")); }
  [[nodiscard]] const Tensor& constant(size_t slot) const { return *model.graph().constant(node().input(slot)); }
  [[nodiscard]] std::vector<Flaw> flaws() const { return find_qdq_flaws(model.graph(), promised); }
  void replace(size_t slot, Tensor tensor) {
    GraphPatch patch;
    patch.replace_constants.emplace_back(model.graph().value(*node().input(slot)).name, std::move(tensor));
    apply_patch(model, patch);
  }

  Model floats, model;
  PromisedFile promised;
};

std::vector<Tensor> run(const Model& model, const std::vector<Tensor>& inputs) {
  const Graph& graph = model.graph();
  const std::vector<ValueId> wanted(graph.outputs().begin(), graph.outputs().end());
  OutputKeeper keeper(graph, wanted);
  Executor(Schedule(graph, wanted)).run(inputs, keeper);
  return keeper.take();
}

Tensor numbers(const Shape& shape) {
  Tensor x(DataType::Float32, shape);
  uint32_t state = 7;
  for (float& one : x.mutable_data<float>())
    one = static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) / 0x1p23F - 1;
  return x;
}

TEST(DynamicLstm, HasTheOperandsAndOutputsOfTheLayer) {
  const LstmNetwork network;
  const Node& node = network.node();
  const Graph& graph = network.model.graph();
  EXPECT_EQ(node.domain, kMicrosoftDomain);
  EXPECT_EQ(node.op_type, "DynamicQuantizeLSTM");
  EXPECT_EQ(graph.opset(kMicrosoftDomain), 1);
  ASSERT_EQ(node.inputs.size(), 12U);
  EXPECT_EQ(graph.value(*node.input(0)).name, "x");
  EXPECT_EQ(graph.value(*node.input(3)).name, "b");
  EXPECT_EQ(graph.value(*node.input(5)).name, "s");
  EXPECT_FALSE(node.input(4));
  EXPECT_FALSE(node.output(1));
  EXPECT_EQ(graph.value(*node.output(2)).name, "c");
  EXPECT_EQ(network.constant(1).shape(), (Shape{2, 6, 16}));
  EXPECT_EQ(network.constant(2).shape(), (Shape{2, 4, 16}));
  EXPECT_EQ(network.constant(8).shape(), (Shape{2, 16}));
  EXPECT_EQ(node.float_or("clip", 0), 3.0F);
  EXPECT_THAT(network.flaws(), IsEmpty());
}

TEST(DynamicLstm, HasOneScaleADirectionOnRequest) {
  RewriteOptions format;
  format.per_tensor_weights = true;
  const LstmNetwork network(format);
  EXPECT_EQ(network.constant(8).shape(), (Shape{2}));
  EXPECT_THAT(network.flaws(), IsEmpty());
}

// Codes are half a step off at most: six numbers of x and four states below 1 times steps of weights, and weights times
// steps of data, 2/255. Gates' slopes are 1 at most, over five steps.
TEST(DynamicLstm, ComputesWhatTheFloatModelComputes) {
  const LstmNetwork network;
  float largest = 0;
  for (const char* name : {"w", "r"})
    for (const float w : network.floats.graph().constant(*network.floats.graph().find_value(name))->data<float>())
      largest = std::max(largest, std::abs(w));
  const float bound = 5 * 10 * (largest / 127 + largest * 2 / 255) / 2;
  const std::vector<Tensor> inputs{numbers({5, 2, 6}), numbers({2, 2, 4})};
  const std::vector<Tensor> expected = run(network.floats, inputs), found = run(network.model, inputs);
  ASSERT_EQ(found.size(), 2U);
  for (size_t output = 0; output < 2; ++output)
    for (size_t i = 0; i < expected[output].data<float>().size(); ++i)
      EXPECT_NEAR(found[output].data<float>()[i], expected[output].data<float>()[i], bound) << output << ", " << i;
}

TEST(DynamicLstm, ScalesWeightsUntilNoPairSaturates) {
  RewriteOptions format;
  format.saturation = RewriteOptions::Saturation::Avoided;
  const LstmNetwork network(format);
  for (const size_t slot : {1U, 2U}) {
    const Tensor& codes = network.constant(slot);
    const auto inner = static_cast<size_t>(codes.shape()[1]), columns = static_cast<size_t>(codes.shape()[2]);
    for (size_t row = 0; row < 2 * inner; row += 2)  // both directions have an even number of rows
      for (size_t column = 0; column < columns; ++column)
        EXPECT_TRUE(is_safe_pair(codes.data<int8_t>()[row * columns + column],
                                 codes.data<int8_t>()[(row + 1) * columns + column]));
  }
  EXPECT_THAT(network.flaws(), IsEmpty());
}

TEST(DynamicLstm, IsCheckedInTheWrittenFile) {
  LstmNetwork code;
  Tensor codes = code.constant(1).clone();
  codes.mutable_data<int8_t>()[17] = static_cast<int8_t>(codes.mutable_data<int8_t>()[17] / 2 + 40);
  code.replace(1, std::move(codes));
  ASSERT_FALSE(code.flaws().empty());
  EXPECT_THAT(code.flaws().front().what, HasSubstr("more than half a step"));

  LstmNetwork operand;
  GraphPatch patch;
  patch.add_nodes.push_back({"Neg", "other", {"s"}, {"other_state"}, {}, ""});
  patch.rewire.push_back({operand.node().name, 5, "other_state"});
  apply_patch(operand.model, patch);
  ASSERT_FALSE(operand.flaws().empty());
  EXPECT_THAT(operand.flaws().front().what, HasSubstr("another value in input 5"));
}

}  // namespace
}  // namespace detent
