#include "prepare/fit_opset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cmath>

#include "detent/base/error.h"
#include "exec/same_outputs.h"
#include "model/model.h"
#include "ops/check_signatures.h"
#include "prepare/prepare_model.h"
#include "tests/model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Model newer_model(int opset, const std::string& graph, int ir = 10) {
  return parse_model_text("<ir_version: " + std::to_string(ir) + ", opset_import: [\"\" : " + std::to_string(opset) +
                          "]>\n" + graph);
}

/// A version of ONNX Runtime that refuses opsets above `newest`.
Target limited(int64_t newest) {
  Target target = find_target("onnxruntime");
  target.parser = ParserFacts{.newest_opset = newest, .refuses_newer = true};
  return target;
}

std::vector<Tensor> numbers_for(const Model& model) {
  std::vector<Tensor> inputs;
  for (const ValueId id : model.graph().inputs()) {
    const auto& extents = *model.graph().value(id).declared_shape;
    Tensor tensor(DataType::Float32, Shape(extents));
    int step = 0;
    for (float& number : tensor.mutable_data<float>()) number = 3 * std::sin(static_cast<float>(++step));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

/// A graph with an operator, and the opset that brought its form.
struct Case {
  int opset;
  int64_t newest;
  const char* graph;
};

TEST(FitOpset, LoweredModelsComputeTheSame) {
  const Case cases[] = {
      {22, 19, "g (float[1,4,8] x) => (float[1,8,4] y) { a = Relu (x)  y = Transpose <perm = [0,2,1]> (a) }"},
      {20, 19, "g (float[4] x) => (float[4] y) { y = Gelu (x) }"},
      {22, 19, "g (float[4] x) => (float[4] y) { y = Gelu <approximate = \"tanh\"> (x) }"},
      {24, 19, "g (float[4] x) => (float[4] y) { y = Swish <alpha = 0.5> (x) }"},
      {18, 17, "g (float[4] x) => (float[4] y) { y = Mish (x) }"},
      {23, 19, R"(g (float[2,4,6] x) => (float[2,4,6] y) <float[6] s = {1,2,3,4,5,6}>
        { y = RMSNormalization <axis = -1, epsilon = 0.01> (x, s) })"},
      {23, 19, R"(g (float[1,2,4,8] q, float[1,2,4,8] k, float[1,2,4,8] v) => (float[1,2,4,8] y)
        { y = Attention (q, k, v) })"},
      {21, 20, R"(g (float[2,6,3,2] x) => (float[2,6,3,2] y) <float[6] s = {1,2,3,4,5,6}, float[6] b = {6,5,4,3,2,1}>
        { y = GroupNormalization <num_groups = 3> (x, s, b) })"},
      {20, 19, R"(g (float[1,1,4,4] x, float[1,2,2,2] grid) => (float[1,1,2,2] y)
        { y = GridSample <mode = "cubic"> (x, grid) })"},
      {19, 17,
       "g (float[1,1,4,4] x) => (float[1,1,2,2] y) { y = AveragePool <kernel_shape = [2,2], strides = [2,2], "
       "dilations = [1,1]> (x) }"},
      {18, 17, R"(g (float[2,3,4] x) => (float[2,3,1] y) <int64[1] axes = {-1}>
        { y = ReduceMean <keepdims = 1, noop_with_empty_axes = 0> (x, axes) })"},
      {20, 17, R"(g (float[2,5] x) => (float[2,3] a, float[2,2] b) { a, b = Split <axis = -1, num_outputs = 2> (x) })"},
      {18, 17, R"(g (float[1,2,3,4] x) => (float[1,2,4,7] y) <int64[4] pads = {1,2,0,1}, int64[2] axes = {-2,3}>
        { y = Pad (x, pads, , axes) })"},
      {19, 17, R"(g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] scales = {1,1,2,2}>
        { y = Resize <antialias = 0, keep_aspect_ratio_policy = "stretch", mode = "linear"> (x, , scales) })"},
      {21, 20, R"(g (float[4] x) => (float[4] y) <float scale = {0.05}>
        { q = QuantizeLinear <output_dtype = 3> (x, scale)  y = DequantizeLinear (q, scale, z)  z = Constant
          <value = int8 {0}> () })"},
      {24, 19, R"(g (float[4] x) => (float[4] y) { h = Cast <to = 10, saturate = 1, round_mode = "up"> (x)
        y = Cast <to = 1> (h) })"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.graph);
    Model model = newer_model(one.opset, one.graph);
    const std::vector<Tensor> inputs = numbers_for(model);
    const NamedOutputs before = outputs_of(model, inputs);
    fit_opset(model, limited(one.newest));
    EXPECT_EQ(model.graph().opset(), one.newest);
    EXPECT_LE(model.ir_version(), one.newest < 19 ? 8 : 9);
    check_signatures(model.graph());
    check_same_outputs(before, model, inputs, "lowering");
  }
}

TEST(FitOpset, RefusesWhatHasNoExactForm) {
  struct Refused {
    int opset;
    int64_t newest;
    const char* graph;
    const char* says;
  };
  const Refused cases[] = {
      {20, 19, "g (float[1,2,3] x) => (float[1,4,4,2] y) <int64[4] n = {1,1,4,4}> { y = AffineGrid (x, n) }",
       "(AffineGrid, opset 20): that opset brought the operator"},
      {19, 17, R"(g (float[1,1,4,4] x) => (float[1,1,2,2] y)
        { y = AveragePool <kernel_shape = [2,2], dilations = [2,2]> (x) })",
       "(AveragePool, opset 19): that opset brought its attribute 'dilations'"},
      {19, 17, "g (float[4] x) => (float[6] y) <int64[2] p = {1,1}> { y = Pad <mode = \"wrap\"> (x, p) }", "'wrap'"},
      {18, 17, "g (float[2,3] x, int64[1] axes) => (float[2,1] y) { y = ReduceMax (x, axes) }",
       "(ReduceMax, opset 18): its axes are not constant"},
      {20, 19, "g (float[1,1,2,4,4] x, float[1,2,2,2,3] grid) => (float[1,1,2,2,2] y) { y = GridSample (x, grid) }",
       "(GridSample, opset 20): its input is not declared to have four axes"},
      {22, 19, R"(g (bfloat16[1,2,4,4] x) => (bfloat16[1,2,2,2] y)
        { y = MaxPool <kernel_shape = [2,2], strides = [2,2]> (x) })",
       "bfloat16"},
      {21, 19, R"(g (float[4] x) => (float[4] y) <float s = {0.1}, uint16 z = {0}>
        { q = QuantizeLinear (x, s, z)  y = DequantizeLinear (q, s, z) })",
       "uint16"},
      {20, 17, "g (float[N,4] x) => (float[A,4] a, float[B,4] b) { a, b = Split <axis = 0, num_outputs = 2> (x) }",
       "the model declares no extent of the axis"},
      {21, 19, R"(g (float[1,4,2] x) => (float[1,4,2] y) <float[4] s = {1,1,1,1}, float[4] b = {0,0,0,0}>
        { y = GroupNormalization <num_groups = 2000000000> (x, s, b) })",
       "num_groups=2000000000 does not fit its input"},
  };
  for (const Refused& one : cases) {
    SCOPED_TRACE(one.graph);
    Model model = newer_model(one.opset, one.graph);
    const std::string before = model.proto().SerializeAsString();
    const Error error = error_of<Error>([&] { fit_opset(model, limited(one.newest)); });
    EXPECT_EQ(error.code(), ErrorCode::Unsupported);
    EXPECT_THAT(error.what(), HasSubstr(one.says));
    EXPECT_THAT(error.what(), HasSubstr("reads opset " + std::to_string(one.newest) + " at most"));
    EXPECT_NE(error.hint(), "");
    EXPECT_EQ(model.proto().SerializeAsString(), before);
  }
}

/// Returns the operators of a branch of the model's first node.
std::vector<std::string> operators_in(const Model& model, std::string_view branch) {
  std::vector<std::string> operators;
  for (const Node& node : model.graph().nodes().front().graph(branch)->nodes()) operators.push_back(node.op_type);
  return operators;
}

TEST(FitOpset, ReachesGraphsInside) {
  Model model = newer_model(24, R"(g (bool c, float[4] x) => (float[4] y)
    { y = If (c) <then_branch = t () => (float[4] a) { a = Swish (x) }, else_branch = e () => (float[4] b)
      { b = Gelu (x) }> })");
  fit_opset(model, limited(19));
  EXPECT_THAT(operators_in(model, "then_branch"), ElementsAre("Sigmoid", "Mul"));
  EXPECT_THAT(operators_in(model, "else_branch"), ElementsAre("Div", "Erf", "Add", "Mul", "Mul"));
}

TEST(FitOpset, OperatorsOfOtherDomainsAndLowModelsStay) {
  Model model = newer_model(19, "g (float[4] x) => (float[4] y) { y = Relu (x) }", 9);
  const std::string before = model.proto().SerializeAsString();
  fit_opset(model, limited(19));
  fit_opset(model, find_target("tensorrt:8.6"));
  EXPECT_EQ(model.proto().SerializeAsString(), before);
}

TEST(FitOpset, ANewerFormatIsLoweredAlone) {
  Model model = newer_model(18, "g (float[4] x) => (float[4] y) { y = Relu (x) }", 12);
  fit_opset(model, limited(19));
  EXPECT_EQ(model.graph().opset(), 18);
  EXPECT_EQ(model.ir_version(), 9);
}

TEST(FitOpset, CodesOf4BitsNeedAVersionThatHasThem) {
  Model model = newer_model(
      21, "g (float[4] x) => (float[4] y) { c = Cast <to = 22> (x)  y = Cast <to = 1> (c) }");  // INT4 in between
  const Error error = error_of<Error>([&] { fit_opset(model, find_target("onnxruntime:1.18")); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
  EXPECT_THAT(error.what(), HasSubstr("onnxruntime:1.18 takes no codes of 4 bits"));
  EXPECT_THAT(error.hint(), HasSubstr("--target onnxruntime:1.19"));
  EXPECT_NO_THROW(fit_opset(model, find_target("onnxruntime:1.19")));
  Model floats = newer_model(21, "g (float[4] x) => (float[4] y) { y = Relu (x) }");
  EXPECT_NO_THROW(fit_opset(floats, find_target("onnxruntime:1.18")));
}

TEST(FitOpset, PreparationLowersAndKeepsWithinTheLimit) {
  Model model = newer_model(24, "g (float[1,4] x) => (float[1,4] y) { y = Swish (x) }");
  const Preparation done = prepare_model(model, limited(19));
  EXPECT_EQ(done.opset_before, 24);
  EXPECT_EQ(done.opset_after, 19);
  Model half = newer_model(17, "g (float16[1,4] x) => (float16[1,4] y) { y = Relu (x) }", 8);
  const Error error = error_of<Error>([&] { prepare_model(half, limited(17)); });
  EXPECT_THAT(error.what(), HasSubstr("FP16 scales need opset 19"));
  EXPECT_THAT(error.what(), HasSubstr("17 at most"));
  EXPECT_NO_THROW(prepare_model(half, limited(17), {.half_scales = false}));
}

}  // namespace
}  // namespace detent
