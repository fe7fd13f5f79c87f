// Tests the drawing of a plan: every node with the values between, and the type that it computes in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/small_network.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

std::vector<NodeType> types_of(const PlanReport& plan) {
  std::vector<NodeType> types;
  for (const auto& node : plan.graph.nodes) types.push_back(node.type);
  return types;
}

class DrawnGraph : public SmallNetwork {
 protected:
  PlanReport plan_of(const std::string& text, const std::string& target = "tensorrt") {
    PlanModelOptions options;
    options.model = folder_ / (text.empty() ? "model.onnx" : "other.onnx");
    if (!text.empty()) write_model(parse_model_text(text), options.model);
    options.target = target;
    options.placement.small_layers = PlacementOptions::SmallLayers::Quantize;
    return plan_model(options);
  }
};

TEST_F(DrawnGraph, HoldsEveryNodeWithItsValuesAndNoConstants) {
  const PlanReport plan = plan_of("");
  ASSERT_EQ(plan.graph.nodes.size(), 7);
  EXPECT_THAT(plan.graph.nodes[0].inputs, ElementsAre("x", ""));  // and a weight
  EXPECT_THAT(plan.graph.nodes[6].outputs, ElementsAre("y"));
  EXPECT_THAT(plan.graph.outputs, ElementsAre("y"));
  // A Relu reads the float output of the Conv in front, so it has the type of its value.
  using enum NodeType;
  EXPECT_THAT(types_of(plan), ElementsAre(Codes, Float32, Codes, Float32, Codes, Float32, Codes));
}

TEST_F(DrawnGraph, WhatIsNoFloatIsToldFromFloatsAndAPoolBetweenPairsIsInt8) {
  const PlanReport plan = plan_of(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,4,4] x) => (float[1,2,2,2] y, int64[4] s)
<float[2,2,1,1] w1 = {0.5, 0.25, 1, 0.75}, float[2,2,1,1] w2 = {1, 0.125, 0.5, 1.5}>
{ c = Conv (x, w1)  s = Shape (c)  r = Relu (c)  p = MaxPool <kernel_shape = [2,2], strides = [2,2]> (r)  y = Conv (p, w2) })");
  for (const auto& node : plan.graph.nodes) {
    if (node.op == "Shape") {
      EXPECT_EQ(node.type, NodeType::Other);
    }
    if (node.op == "Conv") {
      EXPECT_EQ(node.type, NodeType::Codes);
    }
    if (node.op == "MaxPool") {
      bool pair = false;
      for (const auto& edge : plan.edges) pair |= edge.consumer == node.name && is_pair(edge.reads);
      EXPECT_EQ(node.type, pair ? NodeType::Codes : NodeType::Float32);
    }
  }
}

TEST_F(DrawnGraph, HalvesAndTheCastsBetweenAreThere) {
  const PlanReport plan = plan_of("", "tensorrt:11");
  size_t casts = 0;
  for (const auto& node : plan.graph.nodes) {
    if (node.op == "Cast") ++casts;
    if (node.op == "Relu") {
      EXPECT_EQ(node.type, NodeType::Float16);
    }
  }
  EXPECT_GE(casts, 1) << "the output stays FP32";
}

TEST_F(DrawnGraph, OfAWrittenFileIsTheGraphWithoutItsPairs) {
  static_cast<void>(quantize_model(options(samples("calib", {1, 2}))));
  LintOptions lint;
  lint.model = folder_ / "out.onnx";
  const LintReport report = lint_model(lint);
  EXPECT_EQ(types_of(report.plan), types_of(plan_of("")));
}

}  // namespace
}  // namespace detent
