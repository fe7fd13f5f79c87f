#include "prepare/cancel_transposes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "exec/same_outputs.h"
#include "prepare/prepare_model.h"
#include "tests/model/onnx_protos.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

constexpr const char* kLayoutConstants =
    "float[3, 3, 1, 1] w = {1, 2, 3, 4, 5, 6, 7, 8, 9}, float[3] c = {1, -2, 3}, float[1, 1, 1, 3] mean = {4, 5, 6}, "
    "float[4, 5, 1] places = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, float two = {2}, "
    "float zero = {0}, float six = {6}, float[1, 1, 1, 1, 3] wide = {1, 2, 3}, bool[3] which = {1, 0, 1}, "
    "int64[2] plane = {1, 2}, int64[4] cube = {15, 2, 2, 1}, float[1, 1, 5, 3] row = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "
    "11, 12, 13, 14, 15}";

/// Returns a model that reads x of shape [1, 3, 4, 5]. LAST is a Transpose to channels last, FIRST one back.
Model layout_model(std::string nodes, const std::string& outputs = "float y", int opset = 13) {
  const auto replace = [&](const std::string& word, const std::string& text) {
    for (size_t at = nodes.find(word); at != std::string::npos; at = nodes.find(word, at))
      nodes.replace(at, word.size(), text);
  };
  replace("LAST", "Transpose <perm = [0, 2, 3, 1]>");
  replace("FIRST", "Transpose <perm = [0, 3, 1, 2]>");
  return parse_model_text("<ir_version: 7, opset_import: [\"\" : " + std::to_string(opset) +
                          "]>\ng (float[1, 3, 4, 5] x) => (" + outputs + ")\n<" + kLayoutConstants + ">\n{" + nodes +
                          "}");
}

std::vector<std::string> operators_left(const Model& model) {
  std::vector<std::string> kinds;
  for (const Node& node : model.graph().nodes()) kinds.push_back(node.op_type);
  return kinds;
}

std::vector<Tensor> sample_of_planes() {
  Tensor tensor(DataType::Float32, {1, 3, 4, 5});
  const auto data = tensor.mutable_data<float>();
  for (size_t i = 0; i < data.size(); ++i) data[i] = -3 + 0.1F * static_cast<float>(i);
  return {tensor};
}

/// Expects this number of Transposes to go, and outputs equal to the bit.
void expect_cancelled(Model& model, size_t count) {
  const NamedOutputs before = outputs_of(model, sample_of_planes());
  EXPECT_EQ(cancel_transposes(model), count);
  const NamedOutputs after = outputs_of(model, sample_of_planes());
  EXPECT_EQ(after.names, before.names);
  for (size_t i = 0; i < before.tensors.size(); ++i) {
    ASSERT_EQ(after.tensors[i].shape(), before.tensors[i].shape());
    ASSERT_TRUE(std::ranges::equal(after.tensors[i].data<float>(), before.tensors[i].data<float>()));
  }
}

void expect_layout_stays(const std::string& nodes, const std::string& outputs = "float y") {
  Model model = layout_model(nodes, outputs);
  const std::string before = model.proto().SerializeAsString();
  EXPECT_EQ(cancel_transposes(model), 0U) << nodes;
  EXPECT_EQ(model.proto().SerializeAsString(), before) << nodes;
}

TEST(CancelTransposes, NodesByElementMoveInFrontOfATransposeAndItsInverse) {
  for (const char* node :
       {"Relu (t)", "Identity (t)", "Sigmoid (t)", "Clip (t, zero, six)", "Erf (t)", "Exp (t)", "Add (t, c)",
        "Sub (mean, t)", "Mul (t, two)", "Div (t, places)", "Pow (t, two)", "Max (t, c, mean)", "Min (row, t)",
        "PRelu (t, c)", "Where (which, t, zero)", "Sum (t, t, c)"}) {
    Model model = layout_model("t = LAST (x)  a = " + std::string(node) + "  y = FIRST (a)");
    SCOPED_TRACE(node);
    expect_cancelled(model, 2);
    EXPECT_EQ(model.graph().nodes().size(), 1U);
  }
}

TEST(CancelTransposes, AConstantGetsTheLayoutOfTheValueThatItMeets) {
  Model model = layout_model("t = LAST (x)  a = Mul (t, c)  b = Add (a, c)  y = FIRST (b)");
  expect_cancelled(model, 2);
  const Graph& graph = model.graph();
  const auto moved = graph.nodes()[0].input(1);
  EXPECT_EQ(graph.constant(moved)->shape(), (Shape{1, 3, 1, 1}));
  EXPECT_EQ(graph.nodes()[1].input(1), moved) << "one copy for two readers";
  EXPECT_EQ(graph.find_value("c"), kNoValue);

  Model shared =
      layout_model("t = LAST (x)  a = PRelu (t, c)  f = FIRST (a)  g = Exp (f)  l = LAST (g)  y = MatMul (l, c)");
  expect_cancelled(shared, 2);
  EXPECT_EQ(shared.graph().constant(shared.graph().find_value("c"))->shape(), (Shape{3})) << "another reader keeps it";
}

TEST(CancelTransposes, AResidualBlockOfChannelsLastBecomesOneOfChannelsFirst) {
  Model model = layout_model(R"(t = LAST (x)  r = Relu (t)
    f = FIRST (r)  k = Conv (f, w)  l = LAST (k)  s = Sub (l, mean)  m = Mul (s, c)  sum = Add (m, r)  e = Relu (sum)
    g = FIRST (e)  y = Conv (g, w))");
  expect_cancelled(model, 4);
  EXPECT_THAT(operators_left(model), ElementsAre("Relu", "Conv", "Sub", "Mul", "Add", "Relu", "Conv"));
  EXPECT_TRUE(model.graph().find_value("f")) << "what has its layout keeps its name";
  EXPECT_FALSE(model.graph().find_value("r")) << "another layout, another name";
}

TEST(CancelTransposes, AnotherPermutationStays) {
  expect_layout_stays("t = LAST (x)  a = Relu (t)  y = LAST (a)");
  expect_layout_stays("t = LAST (x)  a = Relu (t)  y = Transpose (a)");
  expect_layout_stays("t = LAST (x)  s = Transpose <perm = [0, 2, 3, 1]> (x)  y = Softmax (s)  z = Softmax (t)",
                      "float y, float z");
  // Channels last and rows last do not meet in an Add.
  expect_layout_stays(
      "n = Reshape (x, cube)  t = LAST (n)  s = Transpose <perm = [0, 3, 2, 1]> (n)  a = Add (t, s)  y = FIRST (a)");
}

TEST(CancelTransposes, NodesThatReadAnotherLayoutStay) {
  expect_layout_stays("t = LAST (x)  a = Softmax (t)  y = FIRST (a)");
  expect_layout_stays("t = LAST (x)  a = Hardmax (t)  y = FIRST (a)");
  expect_layout_stays("t = LAST (x)  a = Add (t, wide)  u = Transpose <perm = [0, 1, 4, 2, 3]> (a)  y = Relu (u)");
  expect_layout_stays(
      "t = LAST (x)  n = Neg (x)  s = Transpose <perm = [0, 2, 3, 1]> (n)  m = MatMul (t, c)  y = Relu (m)");
}

TEST(CancelTransposes, AReaderOfTheOldLayoutGetsATransposeBehind) {
  Model model = layout_model(
      "t = LAST (x)  a = Relu (t)  f = FIRST (a)  g = FIRST (a)  y = Add (f, g)  z = Softmax (a)", "float y, float z");
  expect_cancelled(model, 2);
  EXPECT_THAT(operators_left(model), ElementsAre("Relu", "Add", "Transpose", "Softmax"));
  EXPECT_TRUE(model.graph().find_value("a"));

  Model opener = layout_model("t = LAST (x)  a = Relu (t)  y = FIRST (a)  z = Softmax (t)", "float y, float z");
  expect_cancelled(opener, 1);
  EXPECT_THAT(operators_left(opener), ElementsAre("Transpose", "Relu", "Softmax"));
}

TEST(CancelTransposes, WhatWinsNothingStays) {
  expect_layout_stays("t = LAST (x)  y = Softmax (t)");
  expect_layout_stays("t = LAST (x)  a = Relu (t)  y = Softmax (a)");
  expect_layout_stays("t = LAST (x)  a = Relu (t)  y = FIRST (a)  b = Exp (a)  z = Softmax (a)  v = Softmax (t)",
                      "float y, float z, float v");
  expect_layout_stays("a = Relu (x)  y = LAST (a)");
}

TEST(CancelTransposes, OneTransposeBehindASumReplacesTwoInFront) {
  Model model = layout_model("n = Neg (x)  s = LAST (n)  t = LAST (x)  a = Add (s, t)  y = Softmax (a)");
  expect_cancelled(model, 1);
  EXPECT_THAT(operators_left(model), ElementsAre("Neg", "Add", "Transpose", "Softmax"));
}

TEST(CancelTransposes, AGraphOutputKeepsNameAndLayout) {
  Model model = layout_model("t = LAST (x)  a = Relu (t)  y = FIRST (a)  z = FIRST (a)", "float y, float z");
  expect_cancelled(model, 1);
  Model inner = layout_model("t = LAST (x)  a = Relu (t)  b = Exp (a)  f = FIRST (b)  g = FIRST (b)  y = Mul (f, g)",
                             "float y, float a");
  expect_cancelled(inner, 2);
  EXPECT_TRUE(inner.graph().value(*inner.graph().find_value("a")).is_output);
  expect_layout_stays("t = LAST (x)  y = FIRST (t)");  // no node could write the output
}

TEST(CancelTransposes, ASubgraphReadsTheOldLayout) {
  Model model = layout_model(R"(t = LAST (x)  a = Relu (t)  f = FIRST (a)  g = FIRST (a)  y = Add (f, g)
    sum = ReduceSum <keepdims = 0> (x)  if = Cast <to = 9> (sum)
    z = If (if) <then_branch = p () => (float u) { u = Neg (a) }, else_branch = q () => (float v) { v = Relu (f) }>)",
                             "float y, float z");
  expect_cancelled(model, 2);
  EXPECT_TRUE(model.graph().find_value("a"));
  EXPECT_TRUE(model.graph().find_value("f"));
}

TEST(CancelTransposes, ConcatAndReductionsGetTheirAxesInFront) {
  Model joined = layout_model("t = LAST (x)  n = Neg (t)  a = Concat <axis = -1> (t, n)  y = FIRST (a)");
  expect_cancelled(joined, 2);
  EXPECT_EQ(joined.graph().nodes()[1].int_or("axis", 0), 1);

  for (const char* mean :
       {"ReduceMax <axes = [1, -2], keepdims = 0> (a)", "ReduceMin <axes = [3], keepdims = 0> (a)"}) {
    Model reduced = layout_model("t = LAST (x)  a = Relu (t)  f = FIRST (a)  g = Exp (f)  m = " + std::string(mean) +
                                     "  y = Neg (g)  z = Exp (m)",
                                 "float y, float z");
    expect_cancelled(reduced, 2);
  }
  Model kept = layout_model("t = LAST (x)  a = ReduceMax <axes = [1, 2]> (t)  y = FIRST (a)");
  expect_cancelled(kept, 2);
  Model by_input = layout_model("t = LAST (x)  a = ReduceMax (t, plane)  y = FIRST (a)", "float y", 18);
  expect_cancelled(by_input, 2);
}

TEST(CancelTransposes, AReductionWhoseResultWouldBeTransposedStays) {
  expect_layout_stays("t = LAST (x)  a = ReduceMax <axes = [1], keepdims = 0> (t)  y = Relu (a)");
  expect_layout_stays("t = LAST (x)  a = ReduceMax (t)  y = FIRST (a)");
}

TEST(CancelTransposes, ANormalizationBehindIsFoldedThen) {
  Model model = layout_model(
      "k = Conv (x, w)  l = LAST (k)  i = Cast <to = 1> (l)  s = Sub (i, mean)  m = Mul (s, c)  r = Relu (m)  y = "
      "FIRST "
      "(r)");
  Model kept = model.clone();
  const Preparation done = prepare_checked(model, find_target("openvino"), sample_of_planes());
  EXPECT_EQ(done.cancelled_transposes, 2U);
  EXPECT_EQ(done.folded_operators, 2U);
  EXPECT_THAT(operators_left(model), ElementsAre("Conv", "Relu"));
  // As repair prepares a file, whose scales belong to the values that it has.
  EXPECT_EQ(prepare_model(kept, find_target("openvino"), {.forms = false}).cancelled_transposes, 0U);
}

TEST(CancelTransposes, EmptyCastsGoWhereTheyMove) {
  Model model = layout_model("a = Cast <to = 1> (x)  t = LAST (a)  b = Cast <to = 1> (t)  r = Relu (b)  y = FIRST (r)");
  expect_cancelled(model, 2);
  EXPECT_THAT(operators_left(model), ElementsAre("Cast", "Relu"));
  Model wide = layout_model("t = LAST (x)  a = Cast <to = 11> (t)  b = Cast <to = 1> (a)  y = FIRST (b)");
  expect_cancelled(wide, 2);
  EXPECT_THAT(operators_left(wide), ElementsAre("Cast", "Cast"));
}

}  // namespace
}  // namespace detent
