#include "prepare/attention_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attention/attention_block.h"
#include "exec/same_outputs.h"
#include "place/engines/target.h"
#include "prepare/prepare_model.h"

namespace detent {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Tensor waves(const Shape& shape) {
  std::vector<float> numbers(static_cast<size_t>(shape.element_count()));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(0.7F * static_cast<float>(i));
  return Tensor::from<float>(shape, std::move(numbers));
}

size_t count(const Model& model, std::string_view op) {
  return static_cast<size_t>(
      std::ranges::count_if(model.graph().nodes(), [&](const Node& node) { return node.op_type == op; }));
}

std::vector<AttentionBlock> blocks_of(const Model& model) {
  return find_attention_blocks(model.graph(), [](ValueId) { return std::nullopt; });
}

std::vector<std::string> operators_between(const Model& model) {
  std::vector<std::string> names;
  const std::vector<AttentionBlock> blocks = blocks_of(model);
  for (const NodeId node : blocks.front().between) names.push_back(model.graph().node(node).op_type);
  return names;
}

/// Applies all patches. Fails where outputs change by more than rounding (check_same_outputs) or a block has an
/// obstacle.
Model shaped(const Model& before, std::vector<Tensor> inputs) {
  Model model = before.clone();
  EXPECT_GT(shape_attention(model), 0U);
  check_same_outputs(outputs_of(before, inputs), model, inputs, "shaping attention");
  for (const AttentionBlock& block : blocks_of(model)) {
    EXPECT_EQ(block.obstacle, "");
    EXPECT_THAT(block.scales, IsEmpty());
    EXPECT_FALSE(block.has_written_softmax());
    EXPECT_EQ(model.graph().node(block.first).op_type, "MatMul");
    EXPECT_EQ(model.graph().node(block.second).op_type, "MatMul");
  }
  EXPECT_THAT(blocks_of(model), SizeIs(blocks_of(before).size()));
  return model;
}

std::string scaled_by(const std::string& scale) {
  return R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,2,3,4] q, float[1,2,4,3] k, float[1,2,3,4] v, float[1,1,1,3] mask) => (float[1,2,3,4] y)
    <float c = {0.5}, float d = {2}> { s = MatMul (q, k) )" +
         scale + R"( b = Add (m, mask) p = Softmax (b) y = MatMul (p, v) })";
}

std::vector<Tensor> operands() {
  return {waves({1, 2, 3, 4}), waves({1, 2, 4, 3}), waves({1, 2, 3, 4}), waves({1, 1, 1, 3})};
}

TEST(AttentionForm, ScalesMoveToTheQueries) {
  for (const char* scale : {"m = Mul (s, c)", "m = Mul (c, s)", "m = Div (s, d)", "h = Div (s, d) m = Mul (c, h)"}) {
    const Model model = shaped(parse_model_text(scaled_by(scale)), operands());
    EXPECT_THAT(operators_between(model), testing::ElementsAre("Add")) << scale;
    const Node* scaled = model.graph().producer(blocks_of(model).front().query);
    ASSERT_NE(scaled, nullptr) << scale;
    EXPECT_TRUE(scaled->op_type == "Mul" || scaled->op_type == "Div") << scale;
  }
}

TEST(AttentionForm, WhatElseReadsTheQueriesReadsThemUnscaled) {
  const Model model = shaped(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,2,3,4] q, float[1,2,4,3] k, float[1,2,3,4] v) => (float[1,2,3,4] y, float[1,2,3,4] z)
    <float c = {0.5}> { r = Relu (q) s = MatMul (r, k) m = Mul (s, c) p = Softmax (m) y = MatMul (p, v) z = Abs (r) })"),
                             {waves({1, 2, 3, 4}), waves({1, 2, 4, 3}), waves({1, 2, 3, 4})});
  EXPECT_EQ(count(model, "Mul"), 1U);
}

TEST(AttentionForm, BlocksWithAnObstacleStayAsTheyAre) {
  for (const char* text : {// Another reader of the scores.
                           R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,2,3,4] q, float[1,2,4,3] k, float[1,2,3,4] v) => (float[1,2,3,4] y, float[1,2,3,3] m)
    <float c = {0.5}> { s = MatMul (q, k) m = Mul (s, c) p = Softmax (m) y = MatMul (p, v) })",
                           // One temperature a head.
                           R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,2,3,4] q, float[1,2,4,3] k, float[1,2,3,4] v) => (float[1,2,3,4] y)
    <float[2,1,1] c = {0.5, 0.25}> { s = MatMul (q, k) m = Mul (s, c) p = Softmax (m) y = MatMul (p, v) })"}) {
    Model model = parse_model_text(text);
    EXPECT_EQ(shape_attention(model), 0U) << text;
  }
}

// Attention of flax, as exporters of JAX write it: Einsum, and Softmax by its primitives.
constexpr const char* kJax = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[2,3,2,4] q, float[2,5,2,4] k, float[2,5,2,4] v) => (float[2,3,2,4] y)
    <float c = {0.5}, int64[1] last = {3}, float[1] lowest = {-1e30}, int64[4] wide = {2, 2, 3, 5}> {
      r = Mul (q, c)
      s = Einsum <equation = "bqhd,bkhd->bhqk"> (r, k)
      h = ReduceMax <axes = [3], keepdims = 0> (s)
      n = Max (h, lowest)
      u = Unsqueeze (n, last)
      x = Expand (u, wide)
      i = Sub (s, x)
      e = Exp (i)
      t = ReduceSum (e, last)
      p = Div (e, t)
      y = Einsum <equation = "bhqk,bkhd->bqhd"> (p, v) })";

TEST(AttentionForm, JaxGetsMatMulAndSoftmax) {
  const Model model = shaped(parse_model_text(kJax), {waves({2, 3, 2, 4}), waves({2, 5, 2, 4}), waves({2, 5, 2, 4})});
  EXPECT_EQ(count(model, "Einsum"), 0U);
  EXPECT_EQ(count(model, "Softmax"), 1U);
  for (const char* op : {"Exp", "ReduceMax", "ReduceSum", "Div", "Max", "Expand"})
    EXPECT_EQ(count(model, op), 0U) << op;
}

TEST(AttentionForm, PrimitivesOverAnotherAxisAreNoSoftmaxOfAFusedKernel) {
  std::string text = kJax;
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"last = {3}", "last = {2}"}, {"[3]", "[2]"}})
    text.replace(text.find(from), from.size(), to);
  Model model = parse_model_text(text);
  shape_attention(model);
  EXPECT_EQ(count(model, "Softmax"), 0U) << "it would run along the last axis";
  EXPECT_EQ(count(model, "Exp"), 1U);
}

TEST(AttentionForm, AnEinsumThatIsNoBatchedMatrixProductStays) {
  for (const char* equation : {"bqhd,bkhe->bhqk", "bqhd,bkhd->bhkq", "...qd,...kd->...qk"}) {
    Model model = parse_model_text(std::string(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[2,3,2,4] q, float[2,3,2,4] k, float[2,2,3,4] v) => (float[2,2,3,4] y)
      { s = Einsum <equation = ")") +
                                   equation + R"("> (q, k) p = Softmax (s) y = MatMul (p, v) })");
    make_matmuls_of_einsums(model);
    // Rows and columns in the other order are a product too, transposed behind it.
    EXPECT_EQ(count(model, "Einsum"), std::string_view(equation) == "bqhd,bkhd->bhkq" ? 0U : 1U) << equation;
  }
}

std::string operator_text(const std::string& inputs, const std::string& attributes, const std::string& more = "") {
  return "<ir_version: 10, opset_import: [\"\" : 23]> g (" + inputs + ") => (float[1,4,3,8] y) { y = Attention <" +
         attributes + "> (q, k, v" + more + ") }";
}

TEST(AttentionForm, TheOperatorBecomesPrimitives) {
  const std::vector<Tensor> plain{waves({1, 4, 3, 8}), waves({1, 4, 5, 8}), waves({1, 4, 5, 8})};
  const std::string same = "float[1,4,3,8] q, float[1,4,5,8] k, float[1,4,5,8] v";
  shaped(parse_model_text(operator_text(same, "scale = 0.3")), plain);
  shaped(parse_model_text(operator_text(same, "is_causal = 0")), plain);
  shaped(parse_model_text(operator_text(same, "is_causal = 1")), plain);
  std::vector<Tensor> masked = plain;
  masked.push_back(waves({1, 1, 3, 5}));
  shaped(parse_model_text(operator_text(same + ", float[1,1,3,5] m", "is_causal = 1", ", m")), masked);
  masked.back() = Tensor::from<bool>(
      {3, 5}, {true, false, true, true, false, true, true, true, true, true, false, false, true, false, true});
  shaped(parse_model_text(operator_text(same + ", bool[3,5] m", "is_causal = 0", ", m")), masked);
  const Model grouped =
      shaped(parse_model_text(operator_text("float[1,4,3,8] q, float[1,2,5,8] k, float[1,2,5,8] v", "is_causal = 0")),
             {waves({1, 4, 3, 8}), waves({1, 2, 5, 8}), waves({1, 2, 5, 8})});
  EXPECT_TRUE(blocks_of(grouped).front().grouped);
}

TEST(AttentionForm, TheOperatorSplitsHeads) {
  shaped(parse_model_text(R"(<ir_version: 10, opset_import: ["" : 23]>
    g (float[2,3,16] q, float[2,5,8] k, float[2,5,8] v) => (float[2,3,16] y)
    { y = Attention <q_num_heads = 4, kv_num_heads = 2> (q, k, v) })"),
         {waves({2, 3, 16}), waves({2, 5, 8}), waves({2, 5, 8})});
}

TEST(AttentionForm, OperatorsWithoutSuchAFormStay) {
  const std::string same = "float[1,4,3,8] q, float[1,4,5,8] k, float[1,4,5,8] v";
  for (const std::string& text :
       {operator_text(same, "softcap = 2.0"),
        operator_text("float[1,4,S,8] q, float[1,4,T,8] k, float[1,4,T,8] v", "is_causal = 1"),
        operator_text(same + ", float[1,1,3,2] m", "is_causal = 0", ", m"),  // hides the last keys
        operator_text("float[1,4,3,D] q, float[1,4,5,D] k, float[1,4,5,D] v", "is_causal = 0")}) {
    Model model = parse_model_text(text);
    EXPECT_EQ(shape_attention(model), 0U) << text;
  }
}

TEST(AttentionForm, AttentionIsShapedForEnginesThatFuseItAlone) {
  const auto nodes_replaced = [](const char* target, bool attention) {
    Model model = parse_model_text(scaled_by("m = Mul (s, c)"));
    return prepare_checked(model, find_target(target), operands(), {.attention = attention}).attention_nodes;
  };
  EXPECT_EQ(nodes_replaced("tensorrt", true), 1U);
  EXPECT_EQ(nodes_replaced("tensorrt", false), 0U);
  EXPECT_EQ(nodes_replaced("onnxruntime", true), 0U);
}

std::string three_axes(const std::string& mask) {
  return R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[3,2,8] a, float[3,2,8] b, float[3,2,8] d, float[1,3,3] mask) => (float[2,3,8] y)
    <float c = {0.5}> {
      q = Transpose <perm = [1,0,2]> (a) k = Transpose <perm = [1,2,0]> (b) v = Transpose <perm = [1,0,2]> (d)
      s = MatMul (q, k) m = Mul (s, c) )" +
         mask + R"( p = Softmax (m2) y = MatMul (p, v) })";
}

TEST(AttentionForm, ProductsOfThreeAxesGetAFourth) {
  std::vector<Tensor> inputs{waves({3, 2, 8}), waves({3, 2, 8}), waves({3, 2, 8}), waves({1, 3, 3})};
  const Model model = shaped(parse_model_text(three_axes("m2 = Cast <to = 1> (m)")), inputs);
  EXPECT_EQ(count(model, "Unsqueeze"), 3U);
  EXPECT_EQ(count(model, "Squeeze"), 1U);
  const Model masked = shaped(parse_model_text(three_axes("m2 = Add (m, mask)")), inputs);
  EXPECT_EQ(count(masked, "Unsqueeze"), 0U) << "a mask may have the heads in its first axis";
}

TEST(AttentionForm, OperatorsAreTakenApartForPairsAlone) {
  const auto nodes_replaced = [](bool pairs) {
    Model model =
        parse_model_text(operator_text("float[1,4,3,8] q, float[1,4,5,8] k, float[1,4,5,8] v", "is_causal = 0"));
    return prepare_checked(model, find_target("tensorrt"), {}, {.attention_pairs = pairs}).attention_nodes;
  };
  EXPECT_EQ(nodes_replaced(true), 1U);
  EXPECT_EQ(nodes_replaced(false), 0U);
}

}  // namespace
}  // namespace detent
