#include "rewrite/integer_gates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "exec/executor.h"
#include "model/model.h"

namespace detent {
namespace {

const std::string kSwish = "h = HardSwish (d)";

/// HardSwish behind a pair of this scale and zero point.
Model behind_pair(const std::string& scale, const std::string& zero, const std::string& nodes = kSwish,
                  const std::string& outputs = "float[2] y") {
  return parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[2] x) => ()" +
                          outputs + R"() <float s = {)" + scale + "}, uint8 z = {" + zero +
                          R"(}, float t = {0.02}, uint8 o = {4}, float three = {3}, float low = {0}, float six = {6}>
    { c = QuantizeLinear (x, s, z) d = DequantizeLinear (c, s, z) )" +
                          nodes + R"(
      q = QuantizeLinear (h, t, o) y = DequantizeLinear (q, t, o) })");
}

size_t nodes_of(const Model& model, const std::string& op) {
  return static_cast<size_t>(std::ranges::count(model.graph().nodes(), op, &Node::op_type));
}

Model on_codes(Model model) {
  if (const GraphPatch patch = integer_gates(model.graph()); !patch.empty()) apply_patch(model, patch);
  return model;
}

const Node& the(const Model& model, const std::string& op) {
  return *std::ranges::find(model.graph().nodes(), op, &Node::op_type);
}

TEST(IntegerGates, ClipCodesFromMinus3To3) {
  const Model model = on_codes(behind_pair("0.05", "60"));
  EXPECT_EQ(nodes_of(model, "HardSwish"), 0U);
  ASSERT_EQ(nodes_of(model, "Clip"), 1U);
  const Graph& graph = model.graph();
  EXPECT_EQ(graph.value(*the(model, "Clip").input(0)).name, "c");
  EXPECT_EQ(graph.constant(the(model, "Clip").input(2))->data<uint8_t>()[0], 120);
  const Node& product = the(model, "Mul");
  EXPECT_EQ(graph.value(*product.input(0)).name, "d");
  const Node& gate = *graph.producer(product.input(1));
  EXPECT_FLOAT_EQ(graph.constant(gate.input(1))->data<float>()[0], 0.05F / 6);
  EXPECT_EQ(graph.constant(gate.input(2))->data<uint8_t>()[0], 0);
}

TEST(IntegerGates, NeedNoClipWhereNoCodeIsAbove3) {
  const Model model = on_codes(behind_pair("0.0234375", "128"));
  EXPECT_EQ(nodes_of(model, "HardSwish") + nodes_of(model, "Clip"), 0U);
  EXPECT_EQ(nodes_of(model, "Mul"), 1U);
}

TEST(IntegerGates, TakeHardSwishOfAnyOperators) {
  for (const std::string nodes : {"g = HardSigmoid <alpha = 0.16666667, beta = 0.5> (d) h = Mul (d, g)",
                                  "a = Add (d, three) g = Clip (a, low, six) p = Mul (d, g) h = Div (p, six)",
                                  "a = Add (d, three) g = Clip (a, low, six) e = Div (g, six) h = Mul (d, e)"}) {
    const Model model = on_codes(behind_pair("0.05", "60", nodes));
    EXPECT_EQ(model.graph().nodes().size(), 7U) << nodes;
    EXPECT_EQ(nodes_of(model, "Mul"), 1U) << nodes;
  }
}

TEST(IntegerGates, ComputeTheSame) {
  for (const auto& [scale, zero] : {std::pair("0.05", "60"), std::pair("0.0234375", "128")}) {
    const Model before = behind_pair(scale, zero), after = on_codes(behind_pair(scale, zero));
    for (float x = -6; x < 10; x += 0.25F) {
      Tensor input(DataType::Float32, Shape{2});
      input.mutable_data<float>()[0] = x, input.mutable_data<float>()[1] = -x;
      const auto outputs = [&](const Model& model) {
        return run_once(model.graph(), std::span(&input, 1), model.graph().outputs()).front();
      };
      const Tensor wanted = outputs(before), got = outputs(after);
      for (const size_t i : {size_t{0}, size_t{1}})
        EXPECT_NEAR(got.data<float>()[i], wanted.data<float>()[i], 1e-6F) << x;
    }
  }
}

TEST(IntegerGates, LeaveWhatCodesAreNotTheSameFor) {
  const auto stays = [](const Model& model) { return integer_gates(model.graph()).empty(); };
  EXPECT_TRUE(stays(behind_pair("0.05", "61"))) << "0 is no whole number of steps above -3";
  EXPECT_TRUE(stays(behind_pair("0.05", "40"))) << "the codes begin at -2";
  EXPECT_TRUE(stays(behind_pair("0.05", "60", "g = Sigmoid (d) h = Mul (d, g)"))) << "SiLU";
  EXPECT_TRUE(stays(behind_pair("0.05", "60", "g = HardSigmoid (d) h = Mul (d, g)"))) << "another slope";
  EXPECT_TRUE(stays(behind_pair("0.05", "60", kSwish + " r = Relu (d)", "float[2] y, float[2] r")))
      << "a second reader of the numbers";
  EXPECT_TRUE(stays(behind_pair("0.05", "60", "a = Add (d, three) g = Clip (a, low, six) h = Mul (d, g)")))
      << "6 times HardSwish, which nothing divides";
  EXPECT_TRUE(stays(parse_model_text(
      R"(<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = HardSwish (x) })")))
      << "floats";
}

TEST(FloatGates, UndoIt) {
  for (const auto& [scale, zero] : {std::pair("0.05", "60"), std::pair("0.0234375", "128")}) {
    Model model = on_codes(behind_pair(scale, zero));
    restore_float_gates(model);
    EXPECT_EQ(nodes_of(model, "Clip"), 0U);
    ASSERT_EQ(nodes_of(model, "HardSigmoid"), 1U);
    EXPECT_FLOAT_EQ(the(model, "HardSigmoid").float_or("alpha", 0), 1.0F / 6);
    EXPECT_FALSE(integer_gates(model.graph()).empty()) << "it is a HardSwish again";
  }
}

TEST(FloatGates, LeaveOtherProducts) {
  const auto stays = [](const std::string& nodes) {
    return float_gates(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (uint8[2] c) => (float[2] y)
      <float s = {0.05}, float t = {0.00833333333}, uint8 z = {60}, uint8 o = {0}, uint8 h = {120}, uint8 k = {100}>
      { d = DequantizeLinear (c, s, z) )" +
                                        nodes + " y = Mul (d, e) }")
                           .graph())
        .empty();
  };
  EXPECT_FALSE(stays("i = Clip (c, , h) e = DequantizeLinear (i, t, o)"));
  EXPECT_TRUE(stays("i = Clip (c, , k) e = DequantizeLinear (i, t, o)")) << "it ends below 3";
  EXPECT_TRUE(stays("i = Clip (c, o, h) e = DequantizeLinear (i, t, z)")) << "another zero point";
  EXPECT_TRUE(stays("e = DequantizeLinear (c, t, o)")) << "no Clip";
  EXPECT_TRUE(stays("e = Identity (d)"));
}

}  // namespace
}  // namespace detent
