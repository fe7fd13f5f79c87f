// Weights whose codes are summed: their floats are not made without a reader, and no bit of a result depends on
// it.
#include <gtest/gtest.h>

#include <algorithm>

#include "exec/coded_network.h"
#include "exec/executor.h"
#include "exec/schedule.h"
#include "model/model.h"
#include "ops/onednn/integer_operands.h"

namespace detent {
namespace {

using test::coded_network;
using test::ramp;

std::vector<float> weights_in(const Model& model, std::initializer_list<const char*> wanted, bool make_all = false) {
  std::vector<ValueId> values;
  for (const char* name : wanted) values.push_back(*model.graph().find_value(name));
  const Schedule schedule(model.graph(), values, {.make_all_constants = make_all});
  const auto numbers = schedule.constant(*model.graph().find_value("w"))->data<float>();
  return {numbers.begin(), numbers.end()};
}

const std::vector<float> kFloats{0.5, -1, 1.5, -2, 1.25, -1.5, 31.75, -32};

TEST(UnreadConstants, AreNotMade) {
  const Model model = coded_network("y = Relu (c)");
  if (!test::sums_codes()) GTEST_SKIP() << "no 8-bit dot products";
  EXPECT_EQ(weights_in(model, {"y"}), std::vector<float>(8, 0));
}

TEST(UnreadConstants, AreNotMadeWhereTheBiasIsDequantizedToo) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 17]> g (float[1,4,6,6] x) => (float[A,B,C,D] y)\n"
      "<float s = {0.05}, int8 z = {0}, float[2] t = {0.5, 0.25}, float[2] u = {0.025, 0.0125},\n"
      " int8[2] o = {0, 0}, int32[2] p = {0, 0}, int8[2,4,1,1] codes = {1, -2, 3, -4, 5, -6, 127, -128},\n"
      " int32[2] bias = {40, -80}>\n"
      "{ q = QuantizeLinear (x, s, z)  d = DequantizeLinear (q, s, z)  w = DequantizeLinear <axis = 0> (codes, t, o)\n"
      "  b = DequantizeLinear <axis = 0> (bias, u, p)  c = Conv (d, w, b)  y = Relu (c) }");
  const std::vector<ValueId> wanted{*model.graph().find_value("y")};
  const Schedule schedule(model.graph(), wanted);
  const auto bias = schedule.constant(*model.graph().find_value("b"))->data<float>();
  EXPECT_EQ(std::vector<float>(bias.begin(), bias.end()), (std::vector<float>{1, -1}));
  if (test::sums_codes()) {
    EXPECT_EQ(weights_in(model, {"y"}), std::vector<float>(8, 0));
  }
}

TEST(UnreadConstants, AreMadeWhereSomebodyReadsThem) {
  EXPECT_EQ(weights_in(coded_network("y = Relu (c)"), {"y", "w"}), kFloats) << "they are wanted";
  EXPECT_EQ(weights_in(coded_network("y = Relu (c)"), {"y"}, true), kFloats) << "for another reader";
  EXPECT_EQ(weights_in(coded_network("m = ReduceMax (w)  y = Mul (c, m)"), {"y"}), kFloats) << "another operator";
  EXPECT_EQ(weights_in(coded_network("e = Conv (x, w)  y = Add (c, e)"), {"y"}), kFloats) << "a Conv of floats";
}

TEST(UnreadConstants, AreMadeByAConvolutionThatHasNoKernelForItsCodes) {
  const Model model = coded_network("y = Relu (c)");
  const Graph& graph = model.graph();
  if (!test::sums_codes()) GTEST_SKIP() << "no 8-bit dot products";
  const Tensor floats = IntegerOperands::find({graph, *graph.producer(*graph.find_value("c")), 17})->float_weights();
  EXPECT_EQ(std::vector<float>(floats.data<float>().begin(), floats.data<float>().end()), kFloats);
}

TEST(UnreadConstants, ChangeNoBitOfTheResult) {
  const Model model = coded_network("y = Neg (c)");
  const Graph& graph = model.graph();
  const std::vector<Tensor> inputs{ramp()};
  const std::vector<ValueId> alone{*graph.find_value("y")}, both{*graph.find_value("y"), *graph.find_value("w")};
  const Tensor without = run_once(graph, inputs, alone).front(), with = run_once(graph, inputs, both).front();
  EXPECT_TRUE(std::ranges::equal(without.data<float>(), with.data<float>()));
  EXPECT_TRUE(std::ranges::any_of(without.data<float>(), [](float one) { return one > 0; }));
}

}  // namespace
}  // namespace detent
