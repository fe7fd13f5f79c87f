#include "prepare/weights_in_rows.h"

#include <gtest/gtest.h>

#include "exec/same_outputs.h"

namespace detent {
namespace {

const Node& only(const Graph& graph, std::string_view op) {
  for (const Node& node : graph.nodes())
    if (node.op_type == op) return node;
  throw std::runtime_error("no such node");
}

void expect_same_outputs(const Model& before, const Model& after) {
  const std::vector<Tensor> inputs{Tensor::from<float>({1, 2}, {0.5F, -3})};
  check_same_outputs(outputs_of(before, inputs), after, inputs, "rearranging");
}

constexpr const char* kGemm = R"(
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2] x) => (float[1,3] y) <float[3,2] w = {1,2,3,4,5,6}> { y = Gemm <transB = 1> (x, w) })";

TEST(WeightsInRows, AGemmReadsTheTransposedConstantAndTransposesNoMore) {
  const Model before = parse_model_text(kGemm);
  Model model = before.clone();
  EXPECT_EQ(put_weights_in_rows(model), 1U);
  const Node& gemm = only(model.graph(), "Gemm");
  EXPECT_EQ(gemm.int_or("transB", 0), 0);
  EXPECT_EQ(model.graph().constant(gemm.input(1))->shape(), (Shape{2, 3}));
  EXPECT_EQ(model.graph().find_value("w"), kNoValue);  // not read any more
  expect_same_outputs(before, model);
}

TEST(WeightsInRows, AMatMulReadsPastTheTranspose) {
  const Model before = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[1,2] x) => (float[1,3] y) <float[3,2] w = {1,2,3,4,5,6}> { t = Transpose <perm = [1, 0]> (w) y = MatMul (x, t) })");
  Model model = before.clone();
  EXPECT_EQ(put_weights_in_rows(model), 1U);
  EXPECT_TRUE(model.graph().value(*only(model.graph(), "MatMul").input(1)).is_constant);
  EXPECT_EQ(model.graph().nodes().size(), 1U);  // the Transpose and the original constant are gone
  EXPECT_EQ(model.graph().find_value("w"), kNoValue);
  expect_same_outputs(before, model);
}

// Tied embeddings: the rows that Gather reads stay as they are.
TEST(WeightsInRows, WhatElseReadsTheConstantKeepsIt) {
  Model model = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[1,2] x, int64[1] i) => (float[1,3] y, float[1,3] z, float[1,2] e) <float[3,2] w = {1,2,3,4,5,6}> {
      t = Transpose <perm = [1, 0]> (w) y = MatMul (x, t) z = Gemm <transB = 1> (x, w) e = Gather (w, i) })");
  EXPECT_EQ(put_weights_in_rows(model), 2U);
  const Graph& graph = model.graph();
  EXPECT_EQ(graph.value(*only(graph, "Gather").input(0)).name, "w");
  EXPECT_EQ(only(graph, "MatMul").input(1), only(graph, "Gemm").input(1));  // transposed once
}

TEST(WeightsInRows, ATransposeThatIsReadOtherwiseStays) {
  Model model = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[1,2] x) => (float[1,3] y, float[2,3] s) <float[3,2] w = {1,2,3,4,5,6}> {
      t = Transpose <perm = [1, 0]> (w) y = MatMul (x, t) s = Relu (t) })");
  EXPECT_EQ(put_weights_in_rows(model), 1U);
  EXPECT_EQ(only(model.graph(), "Transpose").op_type, "Transpose");
}

TEST(WeightsInRows, OtherProductsStay) {
  Model model = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[2,2] x) => (float[2,2] y, float[2,2] z, float[2,2] v) <float[2,2] w = {1,2,3,4}> {
      y = MatMul (x, w) t = Transpose <perm = [1, 0]> (x) z = MatMul (x, t) u = Transpose <perm = [0, 1]> (w) v = MatMul (x, u) })");
  EXPECT_EQ(put_weights_in_rows(model), 0U);
}

}  // namespace
}  // namespace detent
